package catalog

import (
	"bufio"
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// hive is a Hive metastore, over thrift. Its namespaces have one level. A
// commit holds the metastore's lock on the table while it looks at the pointer
// and moves it.
type hive struct {
	files
	address string
	idle    chan *thriftConn
}

// hiveConns bounds the connections that are kept.
const hiveConns = 16

func newHive(o Options) (Catalog, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "thrift" || u.Host == "" {
		return nil, cherr.New(cherr.BadArguments, "The address of a Hive metastore has the form thrift://host:port")
	}
	address := u.Host
	if u.Port() == "" {
		address = net.JoinHostPort(u.Hostname(), "9083")
	}
	if err := o.Stores.Hosts().CheckHost(address); err != nil {
		return nil, err
	}
	return &hive{files: files{o.Stores, o.Storage, o.Warehouse}, address: address, idle: make(chan *thriftConn, hiveConns)}, nil
}

// call runs a method. One that changes nothing is tried again on a fresh
// connection, since the server may have closed an idle one.
func (h *hive) call(ctx context.Context, again bool, method string, args record) (record, error) {
	for try := 0; ; try++ {
		c, err := h.conn(ctx, try > 0 || !again)
		if err != nil {
			return nil, err
		}
		out, err := c.call(ctx, method, args)
		if err == nil || isCoded(err) {
			select {
			case h.idle <- c:
			default:
				c.conn.Close()
			}
			return out, err
		}
		c.conn.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !again || try == 2 {
			return nil, cherr.New(cherr.NetworkError, "The metastore at %s: %s", h.address, err)
		}
	}
}

func isCoded(err error) bool {
	_, ok := errors.AsType[*cherr.Error](err)
	return ok
}

func (h *hive) conn(ctx context.Context, fresh bool) (*thriftConn, error) {
	if !fresh {
		select {
		case c := <-h.idle:
			return c, nil
		default:
		}
	}
	d := net.Dialer{Timeout: 10 * time.Second}
	conn, err := d.DialContext(ctx, "tcp", h.address)
	if err != nil {
		return nil, networkError(err, h.address)
	}
	return &thriftConn{conn: conn, r: bufio.NewReader(conn)}, nil
}

// exception gives the number and text of the exception in a result, 0 for none.
func exception(r record) (int16, string) {
	for _, f := range r {
		if e, ok := f.value.(record); ok && f.id != 0 {
			return f.id, e.text(1)
		}
	}
	return 0, ""
}

func refused(doing string, id Identifier, text string) error {
	return cherr.New(cherr.DatalakeDatabaseError, "%s `%s` in the metastore: %.300s", doing, id, text)
}

func args(fields ...field) record { return fields }

func word(id int16, s string) field { return field{id, thriftString, s} }

func (h *hive) names(ctx context.Context, method string, in record) ([]string, error) {
	out, err := h.call(ctx, true, method, in)
	if err != nil {
		return nil, err
	}
	if n, text := exception(out); n != 0 {
		return nil, refused("listing", Identifier{Name: "*"}, text)
	}
	l, _ := out.get(0).(list)
	var names []string
	for _, x := range l.items {
		if s, ok := x.(string); ok {
			names = append(names, s)
		}
	}
	return names, nil
}

// Namespaces gives the databases.
func (h *hive) Namespaces(ctx context.Context) ([][]string, error) {
	names, err := h.names(ctx, "get_all_databases", nil)
	out := make([][]string, len(names))
	for i, n := range names {
		out[i] = []string{n}
	}
	return out, err
}

// hiveBatch is how many tables are described by one call.
const hiveBatch = 500

// Tables gives the Iceberg tables of a database.
func (h *hive) Tables(ctx context.Context, namespace []string) ([]Identifier, error) {
	db := strings.Join(namespace, ".")
	names, err := h.names(ctx, "get_all_tables", args(word(1, db)))
	if err != nil {
		return nil, err
	}
	var out []Identifier
	for len(names) > 0 {
		n := min(len(names), hiveBatch)
		batch := list{kind: thriftString}
		for _, s := range names[:n] {
			batch.items = append(batch.items, s)
		}
		names = names[n:]
		res, err := h.call(ctx, true, "get_table_objects_by_name", args(word(1, db), field{2, thriftList, batch}))
		if err != nil {
			return nil, err
		}
		if n, text := exception(res); n != 0 {
			return nil, refused("listing", Identifier{namespace, "*"}, text)
		}
		l, _ := res.get(0).(list)
		for _, x := range l.items {
			if t, ok := x.(record); ok && isIceberg(t) {
				out = append(out, Identifier{namespace, t.text(1)})
			}
		}
	}
	return out, nil
}

// Fields of the metastore's structs.
const (
	tableSD         = 7
	tableParameters = 9
)

func isIceberg(t record) bool {
	p, _ := t.get(tableParameters).(dict)
	return strings.EqualFold(p.get("table_type"), "iceberg") && p.get("metadata_location") != ""
}

func (h *hive) get(ctx context.Context, id Identifier) (record, error) {
	out, err := h.call(ctx, true, "get_table", args(word(1, strings.Join(id.Namespace, ".")), word(2, id.Name)))
	if err != nil {
		return nil, err
	}
	switch n, text := exception(out); n {
	case 0:
	case 2:
		return nil, unknownTable(id)
	default:
		return nil, refused("loading", id, text)
	}
	t, _ := out.get(0).(record)
	if !isIceberg(t) {
		return nil, cherr.New(cherr.DatalakeDatabaseError, "Table `%s` of the catalog is no Iceberg table", id)
	}
	return t, nil
}

// Load reads the metadata file that the metastore names.
func (h *hive) Load(ctx context.Context, id Identifier) (*Table, error) {
	t, err := h.get(ctx, id)
	if err != nil {
		return nil, err
	}
	p, _ := t.get(tableParameters).(dict)
	m, err := h.load(ctx, p.get("metadata_location"), nil)
	if err != nil {
		return nil, cherr.Wrap(err, "loading `%s` from the catalog", id)
	}
	return &Table{Meta: m}, nil
}

// DefaultLocation is in the database's folder, or below the warehouse while
// there is no such database.
func (h *hive) DefaultLocation(ctx context.Context, id Identifier) (string, error) {
	out, err := h.call(ctx, true, "get_database", args(word(1, strings.Join(id.Namespace, "."))))
	if err != nil {
		return "", err
	}
	if db, ok := out.get(0).(record); ok && db.text(3) != "" {
		return strings.TrimRight(db.text(3), "/") + "/" + id.Name, nil
	}
	return h.place(id)
}

func columnsOf(m *iceberg.TableMetadata) list {
	l := list{kind: thriftStruct}
	for _, f := range m.CurrentSchema().Fields {
		l.items = append(l.items, args(word(1, f.Name), word(2, hiveType(f.Type)), word(3, f.Doc)))
	}
	return l
}

// Create writes the first version and names it to the metastore.
func (h *hive) Create(ctx context.Context, id Identifier, def *iceberg.TableMetadata) (*Table, error) {
	m := *def
	if err := h.write(ctx, &m, 0, nil); err != nil {
		return nil, err
	}
	db := strings.Join(id.Namespace, ".")
	now := int32(time.Now().Unix())
	params := map[string]string{"EXTERNAL": "TRUE", "table_type": "ICEBERG", "metadata_location": m.File}
	order := []string{"EXTERNAL", "metadata_location", "table_type"}
	sd := args(
		field{1, thriftList, columnsOf(&m)}, word(2, m.Location),
		word(3, "org.apache.hadoop.mapred.FileInputFormat"), word(4, "org.apache.hadoop.mapred.FileOutputFormat"),
		field{5, thriftBool, byte(0)}, field{6, thriftI32, int32(0)},
		field{7, thriftStruct, args(word(2, "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"))},
		field{8, thriftList, list{kind: thriftString}}, field{9, thriftList, list{kind: thriftStruct}},
	)
	table := args(
		word(1, id.Name), word(2, db), word(3, "lakeserver"), field{4, thriftI32, now}, field{5, thriftI32, now}, field{6, thriftI32, int32(0)},
		field{tableSD, thriftStruct, sd}, field{8, thriftList, list{kind: thriftStruct}},
		field{tableParameters, thriftMap, textDict(params, order)}, word(12, "EXTERNAL_TABLE"),
	)
	for try := 0; ; try++ {
		out, err := h.call(ctx, false, "create_table", args(field{1, thriftStruct, table}))
		if err != nil {
			return nil, err
		}
		switch n, text := exception(out); {
		case n == 0:
			return h.Load(ctx, id)
		case n == 1:
			h.forget(ctx, &m, nil)
			return nil, exists(id)
		case try > 0:
			return nil, refused("creating", id, text)
		}
		// Most likely the database is missing.
		where := strings.TrimRight(h.warehouse, "/") + "/" + db
		if _, err := h.call(ctx, false, "create_database", args(field{1, thriftStruct, args(word(1, db), word(2, ""), word(3, where))})); err != nil {
			return nil, err
		}
	}
}

// Drop takes the table out of the metastore; its files stay.
func (h *hive) Drop(ctx context.Context, id Identifier, _ bool) error {
	out, err := h.call(ctx, false, "drop_table", args(word(1, strings.Join(id.Namespace, ".")), word(2, id.Name), field{3, thriftBool, byte(0)}))
	if err != nil {
		return err
	}
	switch n, text := exception(out); n {
	case 0:
		return nil
	case 1:
		return unknownTable(id)
	default:
		return refused("dropping", id, text)
	}
}

// Rename moves a table to another name.
func (h *hive) Rename(ctx context.Context, from, to Identifier) error {
	t, err := h.get(ctx, from)
	if err != nil {
		return err
	}
	if _, err := h.get(ctx, to); err == nil {
		return exists(to)
	}
	next := t.set(1, thriftString, to.Name).set(2, thriftString, strings.Join(to.Namespace, "."))
	return h.alter(ctx, from, next, "renaming")
}

func (h *hive) alter(ctx context.Context, id Identifier, next record, doing string) error {
	out, err := h.call(ctx, false, "alter_table", args(word(1, strings.Join(id.Namespace, ".")), word(2, id.Name), field{3, thriftStruct, next}))
	if err != nil {
		return err
	}
	if n, text := exception(out); n != 0 {
		return refused(doing, id, text)
	}
	return nil
}

// Commit writes the next version and moves the pointer under the table's lock,
// if it still points at the version that the change was made for.
func (h *hive) Commit(ctx context.Context, id Identifier, base *Table, reqs []iceberg.Requirement, ups []iceberg.Update) (*Table, error) {
	m, err := h.next(ctx, base, reqs, ups)
	if err != nil {
		return nil, err
	}
	unlock, err := h.lock(ctx, id)
	if err != nil {
		h.forget(ctx, m, nil)
		return nil, err
	}
	defer unlock()
	t, err := h.get(ctx, id)
	if err != nil {
		h.forget(ctx, m, nil)
		return nil, err
	}
	p, _ := t.get(tableParameters).(dict)
	if p.get("metadata_location") != base.Meta.File {
		h.forget(ctx, m, nil)
		return nil, cherr.Wrap(ErrConflict, "committing to `%s`", id)
	}
	next := t.set(tableParameters, thriftMap, p.set("metadata_location", m.File).set("previous_metadata_location", base.Meta.File))
	if sd, ok := t.get(tableSD).(record); ok {
		next = next.set(tableSD, thriftStruct, sd.set(1, thriftList, columnsOf(m)))
	}
	err = h.alter(ctx, id, next, "committing to")
	if err == nil {
		return &Table{Meta: m}, nil
	}
	if now, lerr := h.Load(context.WithoutCancel(ctx), id); lerr == nil {
		if landed(now.Meta, m.File) {
			return now, nil
		}
		if cherr.Is(err, cherr.DatalakeDatabaseError) {
			h.forget(ctx, m, nil)
			return nil, err
		}
	}
	return nil, cherr.Wrap(ErrUnknown, "committing to `%s`: %s", id, err)
}

// lockTime bounds the wait for a table's lock: a writer that cannot have it
// gives way.
const lockTime = 2 * time.Minute

// lock takes the table's exclusive lock.
func (h *hive) lock(ctx context.Context, id Identifier) (unlock func(), err error) {
	host, _ := os.Hostname()
	component := args(field{1, thriftI32, int32(3)}, field{2, thriftI32, int32(2)}, word(3, strings.Join(id.Namespace, ".")), word(4, id.Name))
	out, err := h.call(ctx, false, "lock", args(field{1, thriftStruct, args(
		field{1, thriftList, list{kind: thriftStruct, items: []any{component}}}, word(3, "lakeserver"), word(4, host), word(5, "lakeserver"),
	)}))
	if err != nil {
		return nil, err
	}
	if n, text := exception(out); n != 0 {
		return nil, refused("locking", id, text)
	}
	state, _ := out.get(0).(record)
	lockID := state.number(1)
	unlock = func() {
		// A lock that is not given back runs out in the metastore.
		_, _ = h.call(context.WithoutCancel(ctx), true, "unlock", args(field{1, thriftStruct, args(field{1, thriftI64, lockID})}))
	}
	for n, end := 0, time.Now().Add(lockTime); state.number(2) == 2; n++ { // waiting
		if time.Now().After(end) {
			unlock()
			return nil, cherr.Wrap(ErrConflict, "the lock on `%s` was not to be had", id)
		}
		if err := wait(ctx, min(20*time.Millisecond<<min(n, 6), time.Second)); err != nil {
			unlock()
			return nil, err
		}
		if out, err = h.call(ctx, true, "check_lock", args(field{1, thriftStruct, args(field{1, thriftI64, lockID})})); err != nil {
			unlock()
			return nil, err
		}
		if n, text := exception(out); n != 0 {
			return nil, refused("locking", id, text)
		}
		state, _ = out.get(0).(record)
	}
	if state.number(2) != 1 {
		unlock()
		return nil, cherr.Wrap(ErrConflict, "the lock on `%s` was refused (state %s)", id, strconv.FormatInt(state.number(2), 10))
	}
	return unlock, nil
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d/2 + time.Duration(rand.Int64N(int64(d))))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
