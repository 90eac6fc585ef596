package format

import (
	"bytes"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

// tskvParser reads name=value pairs between tabs.
type tskvParser struct{ set []bool }

func (p *tskvParser) open(r *rows) error {
	p.set = make([]bool, len(r.h))
	return nil
}

func (p *tskvParser) next(r *rows) ([]byte, error) {
	line, err := r.in.next(splitLine)
	if err != nil || line == nil {
		return nil, err
	}
	return trimLine(line), nil
}

func (p *tskvParser) row(r *rows, src []byte) error {
	clear(p.set)
	if string(src) == "tskv" {
		src = nil
	}
	src = bytes.TrimPrefix(src, []byte("tskv\t"))
	for len(src) > 0 {
		end := tokenEnd(src, false)
		if err := p.pair(r, src[:end]); err != nil {
			return err
		}
		src = src[min(end+1, len(src)):]
	}
	for i, set := range p.set {
		if !set {
			r.omit(i)
		}
	}
	return nil
}

func (p *tskvParser) pair(r *rows, src []byte) error {
	r.col = -1
	eq := 0
	for eq < len(src) && src[eq] != '=' {
		if src[eq] == '\\' {
			eq++
		}
		eq++
	}
	if eq >= len(src) {
		return cherr.New(cherr.CannotReadAllData, "Unexpected end of stream while reading key name from TSKV format")
	}
	name := text.NewReader(types.String, text.Escaped, nil)
	if _, err := name.Read(src[:eq]); err != nil {
		return err
	}
	key := string(name.Finish().(*column.Str).At(0))
	i := r.h.Index(key)
	switch {
	case i < 0 && r.o.SkipUnknownFields:
		return nil
	case i < 0:
		return cherr.New(cherr.IncorrectData, "Unknown field found while parsing TSKV format: %s", key)
	case p.set[i]:
		return cherr.New(cherr.IncorrectData, "Duplicate field found while parsing TSKV format: %s", key)
	}
	p.set[i] = true
	_, err := r.value(i, src[eq+1:])
	return err
}
