package paimon

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// BucketFunction gives the bucket of a bucket key.
type BucketFunction struct {
	name string
	ts   []*Type
}

// BucketFunction gives the table's function over its bucket keys (BucketKeys).
func (s *Schema) BucketFunction() (*BucketFunction, error) {
	f := &BucketFunction{name: strings.ToLower(s.Options["bucket-function.type"]), ts: TypesOf(s.BucketKeys())}
	switch f.name {
	case "", "default":
		f.name = "default"
	case "hive":
	case "mod":
		if len(f.ts) != 1 || f.ts[0].Kind != Int && f.ts[0].Kind != BigInt {
			return nil, cherr.New(cherr.BadArguments, "bucket-function.type mod wants one bucket key of type INT or BIGINT")
		}
	default:
		return nil, cherr.New(cherr.NotImplemented, "bucket-function.type '%s' is not supported", f.name)
	}
	return f, nil
}

// BucketKeys gives the columns that say in which bucket a row lies: those of
// the option, else the trimmed primary key, else for append tables of old
// releases the whole row.
func (s *Schema) BucketKeys() []Field {
	if names := SplitList(s.Options["bucket-key"]); len(names) > 0 {
		return s.fieldsNamed(names)
	}
	if s.HasPrimaryKey() {
		return s.TrimmedKeys()
	}
	return s.Fields
}

// SplitList reads an option that is names with commas between.
func SplitList(text string) []string {
	var out []string
	for _, n := range strings.Split(text, ",") {
		if n = strings.TrimSpace(n); n != "" {
			out = append(out, n)
		}
	}
	return out
}

// Bucket gives the bucket of a key among n.
func (f *BucketFunction) Bucket(key column.Row, n int) int {
	switch f.name {
	case "mod":
		var v int64
		switch x := key[0].(type) {
		case int32:
			v = int64(x)
		case int64:
			v = x
		}
		return int(((v % int64(n)) + int64(n)) % int64(n))
	case "hive":
		return int(uint32(hiveHash(key, f.ts))&math.MaxInt32) % n
	}
	b := int32(Hash(key, f.ts)) % int32(n)
	if b < 0 {
		b = -b
	}
	return int(b)
}

// Hash is the hash of a row that buckets and hash indexes go by.
func Hash(row column.Row, ts []*Type) int32 { return murmur(encodeBare(row, ts)) }

// murmur is 32-bit Murmur3 over whole words with seed 42.
func murmur(b []byte) int32 {
	h := uint32(42)
	for i := 0; i+4 <= len(b); i += 4 {
		k := binary.LittleEndian.Uint32(b[i:]) * 0xcc9e2d51
		h ^= bits.RotateLeft32(k, 15) * 0x1b873593
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	}
	h ^= uint32(len(b))
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return int32(h ^ h>>16)
}

func hiveHash(row column.Row, ts []*Type) int32 {
	h := int32(0)
	for i, v := range row {
		h = 31*h + hiveValue(v, ts[i])
	}
	return h
}

func hiveValue(v column.Value, t *Type) int32 { // long: one case a form
	fold := func(u uint64) int32 { return int32(u ^ u>>32) }
	switch x := v.(type) {
	case uint8:
		return int32(x)
	case int8:
		return int32(x)
	case int16:
		return int32(x)
	case int32:
		if t.Kind == Decimal {
			return hiveDecimal(big.NewInt(int64(x)), t.Scale)
		}
		return x
	case int64:
		switch t.Kind {
		case Decimal:
			return hiveDecimal(big.NewInt(x), t.Scale)
		case Time:
			return int32(x / 1000)
		}
		return fold(uint64(x))
	case types.I128:
		return hiveDecimal(x.Big(), t.Scale)
	case float32:
		if x == 0 {
			return 0
		}
		return int32(math.Float32bits(x))
	case float64:
		if x == 0 {
			return 0
		}
		return fold(math.Float64bits(x))
	case string:
		h := int32(0)
		for i := range len(x) {
			h = 31*h + int32(int8(x[i]))
		}
		return h
	}
	return 0
}

// hiveDecimal is the hash of Java's BigDecimal without zeros at its end.
func hiveDecimal(v *big.Int, scale int) int32 {
	ten, rem := big.NewInt(10), new(big.Int)
	if v.Sign() == 0 {
		return 0
	}
	for {
		q, r := new(big.Int).QuoRem(v, ten, rem)
		if r.Sign() != 0 {
			break
		}
		v, scale = q, scale-1
	}
	h := int32(0)
	for _, w := range words(new(big.Int).Abs(v)) {
		h = 31*h + int32(w)
	}
	if v.Sign() < 0 {
		h = -h
	}
	return 31*h + int32(scale)
}

// words gives the magnitude's 32-bit words, the greatest first.
func words(v *big.Int) []uint32 {
	b := v.Bytes()
	for len(b)%4 != 0 {
		b = append([]byte{0}, b...)
	}
	out := make([]uint32, len(b)/4)
	for i := range out {
		out[i] = binary.BigEndian.Uint32(b[4*i:])
	}
	return out
}
