package aggregate

import (
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Aggregate{
	Name:            "avg",
	CaseInsensitive: true,
	Doc: functions.Doc{
		Syntax: "avg(x)", Summary: "The mean of numbers. The sum of 64-bit integers wraps around, as in ClickHouse.",
		Examples: []string{"SELECT avg(number) FROM numbers(10)"},
	},
	Bind: unary("avg", bindAvg),
})

func bindAvg(t *types.Type) (*functions.BoundAggregate, error) {
	if t.IsDateOrTime() {
		return bindAvgTime(t), nil
	}
	sum := sumType(t)
	if sum == nil || t.Kind() == types.KindInterval {
		return nil, illegal("avg", t)
	}
	result := types.Float64
	make := func() functions.Accumulator {
		return &averager{sum: newSummer(t, sum)(), scale: pow10(t.Scale())}
	}
	return plain("avg", result, make), nil
}

// bindAvgTime: the mean of dates and times is one again.
func bindAvgTime(t *types.Type) *functions.BoundAggregate {
	sum := types.Int64
	if t.Kind() == types.KindDate || t.Kind() == types.KindDateTime {
		sum = types.UInt64
	}
	return bound(t, func() functions.Accumulator {
		return &averager{sum: newSummer(t, sum)(), scale: 1, time: t}
	})
}

// averager keeps a sum and a count a group.
type averager struct {
	sum   functions.Accumulator // a summer
	n     counter
	scale float64
	time  *types.Type // of the result when it is a date or time
}

func (a *averager) Grow(n int) { a.sum.Grow(n); a.n.Grow(n) }

func (a *averager) Add(groups []uint32, args []column.Column, rows int) error {
	if err := a.sum.Add(groups, args, rows); err != nil {
		return err
	}
	return a.n.Add(groups, args, rows)
}

func (a *averager) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	f := from.(*averager)
	if err := a.sum.Merge(groups, f.sum, some); err != nil {
		return err
	}
	return a.n.Merge(groups, &f.n, some)
}

func (a *averager) Result(from, to int) (column.Column, error) {
	c, err := a.sum.Result(from, to)
	if err != nil {
		return nil, err
	}
	if a.time != nil {
		return a.times(c, from), nil
	}
	out := numbersOf[float64](c)
	for i := range out {
		out[i] = out[i] / a.scale / float64(a.n.n[from+i])
	}
	return column.NewFixed(out), nil
}

func (a *averager) times(sums column.Column, from int) column.Column {
	v := numbersOf[int64](sums)
	for i := range v {
		if n := int64(a.n.n[from+i]); n > 0 {
			v[i] /= n
		}
	}
	switch a.time.Physical() {
	case types.PhysUInt16:
		return column.NewFixed(convert[uint16](v))
	case types.PhysUInt32:
		return column.NewFixed(convert[uint32](v))
	case types.PhysInt32:
		return column.NewFixed(convert[int32](v))
	}
	return column.NewFixed(v)
}

func (a *averager) Encode(group int, dst []byte) []byte {
	return a.n.Encode(group, a.sum.Encode(group, dst))
}

func (a *averager) Decode(group int, src []byte) (int, error) {
	n, err := a.sum.Decode(group, src)
	if err != nil {
		return 0, err
	}
	m, err := a.n.Decode(group, src[n:])
	return n + m, err
}

func (a *averager) Size() int64 { return a.sum.Size() + a.n.Size() }
