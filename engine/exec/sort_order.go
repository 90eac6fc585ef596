package exec

import (
	"cmp"
	"slices"
)

// order gives the rows in the order of the keys; equal rows keep their own.
func (s *sortKeys) order() []uint32 {
	rows := sequence(s.rows)
	if s.rows < 2 {
		return rows
	}
	if s.rows < 512 {
		slices.SortStableFunc(rows, s.compare)
		return rows
	}
	// Words up to and with the first part that words cannot tell.
	n := len(s.parts)
	for i := range s.parts {
		if s.parts[i].rest != nil {
			n = i + 1
			break
		}
	}
	for p := n - 1; p >= 0; p-- {
		radix(s.parts[p].words, rows)
	}
	if n == len(s.parts) && s.parts[n-1].rest == nil {
		return rows
	}
	s.settle(rows, n)
	return rows
}

// settle orders the stretches of rows whose first n parts have equal words.
func (s *sortKeys) settle(rows []uint32, n int) {
	equal := func(i, j uint32) bool {
		for p := range n {
			if s.parts[p].words[i] != s.parts[p].words[j] {
				return false
			}
		}
		return true
	}
	for from := 0; from < len(rows); {
		to := from + 1
		for to < len(rows) && equal(rows[from], rows[to]) {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(rows[from:to], func(i, j uint32) int {
				if r := s.compare(i, j); r != 0 {
					return r
				}
				return cmp.Compare(i, j)
			})
		}
		from = to
	}
}

// wordRow is a row with its word beside it: passes then read memory in order.
type wordRow struct {
	word uint64
	row  uint32
}

// radix orders rows by their words, byte by byte from the lowest, and keeps
// the order of equal ones. Bytes that all words share cost nothing.
func radix(words []uint64, rows []uint32) {
	a, b := make([]wordRow, len(rows)), make([]wordRow, len(rows))
	var counts [8][256]uint32
	for i, r := range rows {
		w := words[r]
		a[i] = wordRow{w, r}
		for d := range counts {
			counts[d][w>>(8*d)&0xFF]++
		}
	}
	for d := range counts {
		count := &counts[d]
		if count[a[0].word>>(8*d)&0xFF] == uint32(len(rows)) {
			continue
		}
		at := uint32(0)
		for i, n := range count {
			count[i] = at
			at += n
		}
		for _, x := range a {
			k := x.word >> (8 * d) & 0xFF
			b[count[k]] = x
			count[k]++
		}
		a, b = b, a
	}
	for i, x := range a {
		rows[i] = x.row
	}
}

// mergeRuns merges the orders of runs whose rows lie behind each other in keys.
func mergeRuns(keys *sortKeys, runs []*sortRun) []uint32 {
	orders := make([][]uint32, len(runs))
	base := 0
	for i, r := range runs {
		orders[i] = make([]uint32, len(r.order))
		for k, row := range r.order {
			orders[i][k] = row + uint32(base)
		}
		base += r.block.Rows
	}
	for len(orders) > 1 {
		half := orders[:0:0]
		for i := 0; i+1 < len(orders); i += 2 {
			half = append(half, mergeTwo(keys, orders[i], orders[i+1]))
		}
		if len(orders)%2 == 1 {
			half = append(half, orders[len(orders)-1])
		}
		orders = half
	}
	return orders[0]
}

func mergeTwo(keys *sortKeys, a, b []uint32) []uint32 {
	out := make([]uint32, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if keys.compare(a[0], b[0]) <= 0 {
			out = append(out, a[0])
			a = a[1:]
		} else {
			out = append(out, b[0])
			b = b[1:]
		}
	}
	return append(append(out, a...), b...)
}
