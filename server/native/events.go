package native

import (
	"fmt"

	"lakeserver/cherr"
	"lakeserver/codec/native"
	"lakeserver/column"
	"lakeserver/server/native/wire"
	"lakeserver/types"
)

var eventType = must(types.NewEnum(types.KindEnum8, []string{"increment", "gauge"}, []int16{1, 2}))

func must(t *types.Type, err error) *types.Type {
	if err != nil {
		cherr.Bug("%s", err) // a constant of this file
	}
	return t
}

// profileHeader is the columns of ProfileEvents.
var profileHeader = column.Header{
	{Name: "host_name", Type: types.String},
	{Name: "current_time", Type: types.DateTime},
	{Name: "thread_id", Type: types.UInt64},
	{Name: "type", Type: eventType},
	{Name: "name", Type: types.String},
	{Name: "value", Type: types.Int64},
}

// profileEvents sends counters of the query. Clients count these packets
// during INSERT: one for each block and one more, so that insert tells when it
// is about one.
func (x *exchange) profileEvents(insert bool) {
	from := wire.RevProfileEvents
	if insert {
		from = wire.RevInsertProfileEvents
	}
	if x.c.rev < from {
		return
	}
	names, values := []string{"Query"}, []int64{1}
	if x.result != nil {
		s := x.result.Stats()
		names = append(names, "SelectedRows", "SelectedBytes", "InsertedRows", "InsertedBytes")
		values = append(values, int64(s.ReadRows), int64(s.ReadBytes), int64(s.WrittenRows), int64(s.WrittenBytes))
	}
	n := len(names)
	b := column.NewBlock(
		column.NewConst(column.NewStr(x.c.cfg.DisplayName), n), column.NewConst(column.NewFixed([]uint32{uint32(x.c.cfg.Now().Unix())}), n),
		column.NewConst(column.NewFixed([]uint64{0}), n), column.NewConst(column.NewFixed([]int8{1}), n),
		column.NewStr(names...), column.NewFixed(values))
	x.plainBlock(wire.ServerProfileEvents, profileHeader, b)
}

// logHeader is the columns of Log.
var logHeader = column.Header{
	{Name: "event_time", Type: types.DateTime},
	{Name: "event_time_microseconds", Type: types.UInt32},
	{Name: "host_name", Type: types.String},
	{Name: "query_id", Type: types.String},
	{Name: "thread_id", Type: types.UInt64},
	{Name: "priority", Type: types.Int8},
	{Name: "source", Type: types.String},
	{Name: "text", Type: types.String},
}

// priorityInformation is Poco's number for that level.
const priorityInformation = 6

func (x *exchange) logLine() {
	now, s := x.c.cfg.Now(), x.result.Stats()
	line := fmt.Sprintf("Read %d rows, %d bytes in %.6f sec.", s.ReadRows, s.ReadBytes, now.Sub(x.started).Seconds())
	b := column.NewBlock(
		column.NewFixed([]uint32{uint32(now.Unix())}), column.NewFixed([]uint32{uint32(now.Nanosecond() / 1000)}),
		column.NewStr(x.c.cfg.DisplayName), column.NewStr(x.q.ID), column.NewFixed([]uint64{1}),
		column.NewFixed([]int8{priorityInformation}), column.NewStr("executeQuery"), column.NewStr(line))
	h := logHeader
	if x.c.rev < native.RevModernTypes { // the thread's number was a smaller one then
		h = append(column.Header(nil), h...)
		h[4] = column.Field{Name: "thread_number", Type: types.UInt32}
		b.Columns[4] = column.NewFixed([]uint32{1})
	}
	x.plainBlock(wire.ServerLog, h, b)
}

// plainBlock sends a block that is never compressed at our revision.
func (x *exchange) plainBlock(code uint64, h column.Header, b *column.Block) {
	x.c.send(func(w *wire.Buffer) {
		wire.DataHead(w, code, x.c.rev)
		out, err := native.AppendBlock(*w, x.c.rev, h, b)
		if err == nil { // the types are ours
			*w = out
		}
	})
}
