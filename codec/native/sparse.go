package native

import (
	"bufio"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// The kinds of serialisation that a column may announce.
const (
	kindDefault = 0
	kindSparse  = 1
)

// kinds is what a column announced, for a Tuple also of its elements.
type kinds struct {
	kind  byte
	elems []kinds
}

func (k kinds) elem(i int) kinds {
	if k.elems == nil {
		return kinds{}
	}
	return k.elems[i]
}

// readKinds reads the flag byte and what follows it. Only default and sparse
// are understood; the others need agreements that we do not make.
func readKinds(r *bufio.Reader, t *types.Type) (kinds, error) {
	custom, err := r.ReadByte()
	if err != nil {
		return kinds{}, torn(err)
	}
	if custom == 0 {
		return kinds{}, nil
	}
	return readKindTree(r, t)
}

func readKindTree(r *bufio.Reader, t *types.Type) (kinds, error) {
	b, err := r.ReadByte()
	if err != nil {
		return kinds{}, torn(err)
	}
	if b > kindSparse {
		return kinds{}, cherr.New(cherr.NotImplemented, "Serialisation kind %d of type %s cannot be read", b, t)
	}
	k := kinds{kind: b}
	if t.Kind() == types.KindTuple {
		for _, e := range t.Elems() {
			ek, err := readKindTree(r, e)
			if err != nil {
				return kinds{}, err
			}
			k.elems = append(k.elems, ek)
		}
	}
	return k, nil
}

// endOfGranule marks the last gap, that of the defaults behind all values.
const endOfGranule = 1 << 62

// readSparse reads gaps, each the number of defaults before the next value,
// and then the values themselves.
func readSparse(r *bufio.Reader, t *types.Type, rows int) (column.Column, error) {
	place := make([]uint32, rows) // 0: the default; else 1 + the value's number
	at, values := uint64(0), uint32(0)
	for {
		gap, err := uvarint(r)
		if err != nil {
			return nil, err
		}
		last := gap&endOfGranule != 0
		at += gap &^ endOfGranule
		if at > uint64(rows) || !last && at >= uint64(rows) {
			return nil, cherr.New(cherr.IncorrectData, "Sparse offsets go beyond the %d rows of the block", rows)
		}
		if last {
			break
		}
		values++
		place[at] = values
		at++
	}
	dense, err := readData(r, t, kinds{}, int(values), false)
	if err != nil {
		return nil, err
	}
	both := column.Concat(t, []column.Column{column.Default(t, 1), dense})
	return both.Gather(place), nil
}
