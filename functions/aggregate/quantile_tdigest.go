package aggregate

import (
	"cmp"
	"math"
	"slices"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// digest is a t-digest: values glued into centroids, finer towards the ends.
type digest struct {
	centroids []centroid
	count     float32
	loose     int // centroids added since the last gluing
}

type centroid struct{ mean, count float32 }

const (
	digestEpsilon = 0.01
	digestMost    = 2048 // centroids after gluing
	digestLoose   = 4096 // centroids added before gluing
)

func (d *digest) insert(v, w float32) {
	if w == 0 || v != v {
		return
	}
	d.centroids = append(d.centroids, centroid{v, w})
	d.count += w
	if d.loose++; d.loose > digestLoose {
		d.glue()
	}
}

// glue joins neighbours whose weight together stays below what their place allows.
func (d *digest) glue() {
	if d.loose == 0 && len(d.centroids) <= digestMost {
		return
	}
	d.loose = 0
	c := d.centroids
	slices.SortStableFunc(c, func(a, b centroid) int { return cmp.Compare(a.mean, b.mean) })
	if len(c) <= 3 {
		return
	}
	l, sum := 0, float32(0)
	scale := d.count * digestEpsilon * 4
	for r := 1; r < len(c); r++ {
		ql := (sum + c[l].count*0.5) / d.count
		qr := (sum + c[l].count + c[r].count*0.5) / d.count
		room := scale * min(ql*(1-ql), qr*(1-qr))
		if c[l].count+c[r].count <= room {
			c[l].count += c[r].count
			if c[l].mean != c[r].mean {
				c[l].mean += c[r].count * (c[r].mean - c[l].mean) / c[l].count
			}
			continue
		}
		sum += c[l].count
		l++
		c[l] = c[r]
	}
	d.count = sum + c[l].count
	d.centroids = c[:l+1]
}

func (d *digest) at(level float64) float32 {
	if len(d.centroids) == 0 {
		return float32(math.NaN())
	}
	d.glue()
	c := d.centroids
	if len(c) == 1 {
		return c[0].mean
	}
	x := float32(level * float64(d.count))
	var prevX, sum float32
	prev := c[0]
	single := func(c centroid) float32 {
		if c.count == 1 {
			return 0.5
		}
		return 0
	}
	for _, cur := range c {
		at := sum + cur.count*0.5
		if at >= x {
			left, right := prevX+single(prev), at-single(cur)
			switch {
			case x <= left:
				return prev.mean
			case x >= right:
				return cur.mean
			}
			k := (x - left) / (right - left)
			return prev.mean + (cur.mean-prev.mean)*k
		}
		sum += cur.count
		prev, prevX = cur, at
	}
	return c[len(c)-1].mean
}

func addDigest(name string, aliases []string, many, weighted bool) bool {
	return add(functions.Aggregate{
		Name: name, Aliases: aliases,
		Doc: functions.Doc{Syntax: name + "(level)(x)", Summary: "The quantile by a t-digest."},
		Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
			levels, err := levelsOf(name, many, params)
			if err != nil {
				return nil, err
			}
			if weighted && len(args) != 2 || !weighted && len(args) != 1 {
				return nil, wrongCount(name)
			}
			if !orderedKind(args[0]) {
				return nil, illegal(name, args[0])
			}
			result := types.Float32
			if args[0].IsDateOrTime() {
				result = args[0]
			}
			return bound(listIf(many, result), digestOps(args[0], levels, many, weighted, result).new), nil
		},
	})
}

func digestOps(t *types.Type, levels []float64, many, weighted bool, result *types.Type) *ops[digest] {
	return &ops[digest]{
		add: func(a *states[digest], groups []uint32, args []column.Column) error {
			v := floatsOf(t, args[0])
			var w []float64
			if weighted {
				w = numbersOf[float64](args[1])
			}
			for i, g := range groups {
				weight := float32(1)
				if w != nil {
					weight = float32(w[i])
				}
				a.s[g].insert(float32(v[i]), weight)
			}
			a.extra += int64(len(groups)) * 8
			return nil
		},
		merge: func(_ *states[digest], to, from *digest) error {
			for _, c := range from.centroids {
				to.insert(c.mean, c.count)
			}
			return nil
		},
		result: func(s []digest) (column.Column, error) {
			b := column.NewBuilder(listIf(many, result), len(s))
			for i := range s {
				row := make(column.Row, len(levels))
				for k, l := range levels {
					row[k] = fromFloat(result, float64(s[i].at(l)))
				}
				if many {
					b.AppendValue(row)
				} else {
					b.AppendValue(row[0])
				}
			}
			return b.Finish(), nil
		},
		encode: func(s *digest, dst []byte) []byte {
			s.glue()
			dst = putUvarint(dst, uint64(len(s.centroids)))
			for _, c := range s.centroids {
				dst = putFixed(putFixed(dst, c.mean), c.count)
			}
			return dst
		},
		decode: func(s *digest, r *reader) {
			for range r.count(8) {
				m := readFixed[float32](r)
				s.insert(m, readFixed[float32](r))
			}
		},
	}
}

var (
	_ = addDigest("quantileTDigest", []string{"medianTDigest"}, false, false)
	_ = addDigest("quantilesTDigest", nil, true, false)
	_ = addDigest("quantileTDigestWeighted", []string{"medianTDigestWeighted"}, false, true)
	_ = addDigest("quantilesTDigestWeighted", nil, true, true)
)
