package catalog

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
)

// paimonFiles is a warehouse folder: <database>.db/<table>/schema/schema-0
// (paimon.md §5.1).
type paimonFiles struct {
	files
}

func newPaimonFiles(o PaimonOptions) (Paimon, error) {
	w := o.Warehouse
	if w == "" {
		w = o.URL
	}
	if w == "" {
		return nil, cherr.New(cherr.BadArguments, "A catalog of the type 'paimon_filesystem' needs the folder of its warehouse")
	}
	return &paimonFiles{files{o.Stores, o.Storage, strings.TrimRight(w, "/")}}, nil
}

// folders gives the names of the folders right below one.
func (p *paimonFiles) folders(ctx context.Context, address string) ([]string, error) {
	store, path, err := p.open(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	return objstore.Folders(ctx, store, strings.TrimRight(path, "/")+"/")
}

// Databases gives the folders *.db.
func (p *paimonFiles) Databases(ctx context.Context) (out []string, err error) {
	found, err := p.folders(ctx, p.warehouse)
	for _, f := range found {
		if name, ok := strings.CutSuffix(f, ".db"); ok && name != "" {
			out = append(out, name)
		}
	}
	return out, err
}

// Tables gives the folders of a database in which schemas are.
func (p *paimonFiles) Tables(ctx context.Context, db string) ([]string, error) {
	found, err := p.folders(ctx, p.warehouse+"/"+db+".db")
	if err != nil {
		return nil, err
	}
	is := make([]bool, len(found))
	g, gctx := cherr.NewGroup(ctx)
	g.SetLimit(listAtOnce)
	for i, name := range found {
		g.Go(func() error { // one listing each
			d, err := p.dir(gctx, p.warehouse+"/"+db+".db/"+name)
			if err == nil {
				var ids []int64
				ids, err = d.SchemaIDs(gctx)
				is[i] = len(ids) > 0
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	out := found[:0]
	for i, name := range found {
		if is[i] {
			out = append(out, name)
		}
	}
	return out, nil
}

func (p *paimonFiles) dir(ctx context.Context, address string) (paimon.Dir, error) {
	store, path, err := p.open(ctx, address, nil)
	return paimon.Dir{Store: store, Root: strings.TrimRight(path, "/") + "/"}, err
}

// at gives a table's address and the branch that its name ends in.
func (p *paimonFiles) at(id Identifier) (address, branch string, err error) {
	db, err := database(id)
	if err != nil {
		return "", "", err
	}
	name, branch, _ := strings.Cut(id.Name, "$branch_")
	if strings.ContainsAny(db+name, "/\\\x00") || slices.Contains([]string{".", ".."}, name) {
		return "", "", cherr.New(cherr.UnknownTable, "`%s` is no name of a table in a Paimon catalog", id)
	}
	return p.warehouse + "/" + db + ".db/" + name, branch, nil
}

// Load finds a table's folder.
func (p *paimonFiles) Load(ctx context.Context, id Identifier) (*PaimonTable, error) {
	address, branch, err := p.at(id)
	if err != nil {
		return nil, err
	}
	d, err := p.dir(ctx, address)
	if err != nil {
		return nil, err
	}
	s, err := d.On(branch).LatestSchema(ctx)
	if cherr.Is(err, cherr.FileDoesntExist) {
		return nil, unknownTable(id)
	}
	if err != nil {
		return nil, err
	}
	return &PaimonTable{Path: address, SchemaID: s.ID}, nil
}

// Create writes the first schema.
func (p *paimonFiles) Create(ctx context.Context, id Identifier, def *paimon.Schema) error {
	address, branch, err := p.at(id)
	if err != nil {
		return err
	}
	if branch != "" {
		return cherr.New(cherr.BadArguments, "`%s`: a branch is not made by CREATE TABLE", id)
	}
	d, err := p.dir(ctx, address)
	if err != nil {
		return err
	}
	ids, err := d.SchemaIDs(ctx)
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		return exists(id)
	}
	data, err := def.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = d.Store.Put(ctx, d.SchemaPath(0), bytes.NewReader(paimon.Indent(data)), objstore.PutOptions{IfAbsent: true})
	if errors.Is(err, objstore.ErrExists) {
		return exists(id)
	}
	return err
}

// Drop deletes a table's folder: the schemas first, so that it is no table any
// more when something stops the rest.
func (p *paimonFiles) Drop(ctx context.Context, id Identifier) error {
	if _, err := p.Load(ctx, id); err != nil {
		return err
	}
	address, branch, err := p.at(id)
	if err != nil {
		return err
	}
	if branch != "" {
		return cherr.New(cherr.BadArguments, "`%s`: a branch is dropped by EXECUTE delete_branch", id)
	}
	d, err := p.dir(ctx, address)
	if err != nil {
		return err
	}
	for _, folder := range []string{d.Root + "schema/", d.Root} {
		objs, err := d.Store.List(ctx, folder, true)
		if err != nil {
			return err
		}
		for _, o := range objs {
			if err := d.Store.Delete(ctx, o.Path); err != nil && !cherr.Is(err, cherr.FileDoesntExist) {
				return err
			}
		}
	}
	return nil
}

// Rename is an operation on folders, which object stores do not have.
func (p *paimonFiles) Rename(_ context.Context, from, _ Identifier) error {
	return cherr.New(cherr.NotImplemented, "Table `%s` of a catalog of the type 'paimon_filesystem' cannot be renamed: its folder is its name", from)
}
