package pruning

import (
	"math/rand/v2"
	"testing"

	"lakeserver/metadata/iceberg"
	"lakeserver/types"
)

func stringField(w int) *specField {
	return &specField{PartitionField: iceberg.PartitionField{Transform: iceberg.Transform{Kind: iceberg.Truncate, N: w}}, source: iceberg.ParseType("string")}
}

// For random values: what a transform makes of a value is a partition whose
// range covers the value, also where an old writer stored it one too great.
func TestInvertCoversTheValue(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"identity", "truncate[7]", "year", "month", "day", "hour"} {
		for _, typ := range []string{"int", "long", "date", "timestamp", "timestamptz_ns", "string", "decimal(9,2)", "decimal(30,2)"} {
			it := iceberg.ParseType(typ)
			tr := iceberg.ParseTransform(name)
			f := &specField{PartitionField: iceberg.PartitionField{Transform: tr}, source: it}
			for range 2000 {
				v := randomValue(rnd, it)
				p, ok := tr.Apply(it, v)
				if !ok {
					break
				}
				check := func(p Value) {
					r := f.invert(partitionRange{lo: p, hi: p, nulls: None, exact: true})
					if lo, ok := compare(orValue(r.Lo, v), v); !ok || lo > 0 {
						t.Fatalf("%s of %s: %v is in partition %v, which begins at %v", name, typ, v, p, r.Lo)
					}
					if hi, ok := compare(orValue(r.Hi, v), v); !ok || hi < 0 {
						t.Fatalf("%s of %s: %v is in partition %v, which ends at %v", name, typ, v, p, r.Hi)
					}
				}
				check(p)
				if n, ok := p.(int32); ok && tr.Kind >= iceberg.Year && n < 0 {
					check(n + 1)
				}
			}
		}
	}
}

func randomValue(rnd *rand.Rand, t *iceberg.Type) Value {
	n := rnd.Int64N(1<<uint(4+rnd.IntN(40))) - rnd.Int64N(1<<uint(4+rnd.IntN(40)))
	switch t.Kind {
	case iceberg.Int:
		return int32(n)
	case iceberg.Date:
		return int32(n % 200_000)
	case iceberg.TimestampTZNS:
		return n * 1_000_000
	case iceberg.Decimal:
		if t.Precision <= 9 {
			return int32(n)
		}
		return types.ToI128(n)
	case iceberg.String:
		b := make([]rune, rnd.IntN(12))
		for i := range b {
			b[i] = []rune("abzüß€\U0001F600\U0010FFFF")[rnd.IntN(8)]
		}
		return string(b)
	}
	return n
}
