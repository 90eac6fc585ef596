package restcatalog

import (
	"context"
	"slices"
	"strings"

	"lakeserver/access"
	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
	"lakeserver/server"
)

// may asks for rights on a table.
func (c *call) may(id Identifier, names ...string) error {
	if c.user.Access == nil {
		return nil
	}
	for _, n := range names {
		if err := c.user.Access.Check(access.Need{Access: n, Path: []string{id.Namespace, id.Name}}); err != nil {
			return err
		}
	}
	return nil
}

// visible tells whether the user may know of a database, or of a table in it.
func (c *call) visible(path ...string) bool {
	if c.user.Access == nil {
		return true
	}
	e := c.user.Access.Effective()
	return e.Everything() || e.Rights.Visible(path...)
}

func (c *call) hasNamespace(name string) bool {
	return slices.Contains(c.h.cfg.Warehouse.Namespaces(), name) && c.visible(name)
}

// mayRead asks for the whole of a table: whoever is told where its files lie
// reads all columns and all rows.
func (c *call) mayRead(id Identifier) error {
	if err := c.may(id, access.Select); err != nil {
		return err
	}
	if c.user.Access == nil {
		return nil
	}
	if some, all := c.user.Access.Policy(id.Namespace, id.Name); len(some)+len(all) > 0 {
		return noRight("%s: A row policy holds for table %s.%s: it can be read by SQL only", c.user.Name, id.Namespace, id.Name)
	}
	return nil
}

// mayWrite refuses users who only read.
func (c *call) mayWrite() error {
	if c.user.Readonly != 0 || c.user.Settings != nil && c.user.Settings.Get("readonly") != "0" {
		return cherr.New(cherr.Readonly, "%s: Cannot execute query in readonly mode", c.user.Name)
	}
	return nil
}

// mayCommit asks for what the updates do: appended rows are INSERT, other
// snapshots delete, too, and all else alters the table.
func (c *call) mayCommit(id Identifier, ups []iceberg.Update) error {
	if err := c.mayWrite(); err != nil {
		return err
	}
	need := map[string]bool{}
	for _, u := range ups {
		switch u := u.(type) {
		case iceberg.AddSnapshot:
			need[access.Insert] = true
			if u.Snapshot.Operation() != "append" {
				need["ALTER DELETE"] = true
			}
		case iceberg.SetSnapshotRef:
			if u.Name != iceberg.MainBranch || !adds(ups, u.Ref.SnapshotID) {
				need["ALTER TABLE"] = true
			}
		case iceberg.AssignUUID, iceberg.SetStatistics, iceberg.SetPartitionStatistics:
			need[access.Insert] = true
		default:
			need["ALTER TABLE"] = true
		}
	}
	for n := range need {
		if err := c.may(id, n); err != nil {
			return err
		}
	}
	return nil
}

func adds(ups []iceberg.Update, snapshot int64) bool {
	return slices.ContainsFunc(ups, func(u iceberg.Update) bool {
		a, ok := u.(iceberg.AddSnapshot)
		return ok && a.Snapshot.ID == snapshot
	})
}

// run executes a statement as the user: his rights, limits and log hold.
func (c *call) run(ctx context.Context, text string) error {
	s := c.h.cfg.Engine.NewSession(c.user)
	defer s.Close()
	res, err := s.Execute(ctx, &server.Query{Text: text, Interface: "REST catalog", Address: c.r.RemoteAddr})
	if err != nil {
		return err
	}
	if res.Stream != nil {
		for {
			b, err := res.Stream.Next(ctx)
			if err != nil || b == nil {
				res.Close(err)
				return err
			}
		}
	}
	res.Close(nil)
	return nil
}

func quoted(name string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(name) + "`"
}

func (id Identifier) quoted() string { return quoted(id.Namespace) + "." + quoted(id.Name) }
