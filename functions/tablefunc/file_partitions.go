package tablefunc

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/table"
)

// AppendPartitioned implements table.PartitionedAppender: a file for each value
// of PARTITION BY, which stands in the path.
func (t *fileTable) AppendPartitioned(ctx context.Context, columns []string) (table.Sink, error) {
	if !strings.Contains(t.path, partitionID) { // then the clause means nothing
		return t.Append(ctx, columns)
	}
	return &partitionedSink{t: t, columns: columns, files: map[string]*fileSink{}}, nil
}

// partitionedSink hands rows to a file each partition.
type partitionedSink struct {
	t       *fileTable
	columns []string
	files   map[string]*fileSink
}

// Write implements table.Sink.
func (p *partitionedSink) Write(ctx context.Context, b *column.Block) error {
	last := len(b.Columns) - 1
	ids, ok := column.Full(b.Columns[last]).(*column.Str)
	if !ok {
		return cherr.New(cherr.LogicalError, "partition ids are %T", b.Columns[last])
	}
	rows := map[string][]uint32{}
	var order []string
	for i := range b.Rows {
		id := string(ids.At(i))
		if _, ok := rows[id]; !ok {
			order = append(order, id)
		}
		rows[id] = append(rows[id], uint32(i))
	}
	b = &column.Block{Rows: b.Rows, Columns: b.Columns[:last]}
	for _, id := range order {
		f, err := p.file(ctx, id)
		if err != nil {
			return err
		}
		part := b
		if len(order) > 1 {
			part = b.Gather(rows[id])
		}
		if err := f.Write(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

func (p *partitionedSink) file(ctx context.Context, id string) (*fileSink, error) {
	if f := p.files[id]; f != nil {
		return f, nil
	}
	if !utf8.ValidString(id) || strings.ContainsFunc(id, func(r rune) bool { return r < 0x20 || strings.ContainsRune(`?*{}\`, r) }) {
		return nil, cherr.New(cherr.CannotParseText, "Illegal character in partition id '%q'", id)
	}
	f, err := p.t.newSink(ctx, strings.ReplaceAll(p.t.path, partitionID, id), p.columns)
	if err == nil {
		p.files[id] = f
	}
	return f, err
}

// Commit implements table.Sink: file after file, so that one that cannot be
// made visible does not take back those before it.
func (p *partitionedSink) Commit(ctx context.Context) error {
	ids := make([]string, 0, len(p.files))
	for id := range p.files {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if err := p.files[id].Commit(ctx); err != nil {
			_ = p.Abort(ctx) // it cannot fail
			return err
		}
	}
	return nil
}

// Abort implements table.Sink.
func (p *partitionedSink) Abort(ctx context.Context) error {
	for _, f := range p.files {
		_ = f.Abort(ctx) // it cannot fail
	}
	return nil
}
