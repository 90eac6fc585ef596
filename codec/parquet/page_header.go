package parquet

type pageHeader struct {
	kind         int32
	uncompressed int32
	compressed   int32
	crc          uint32
	hasCRC       bool

	values    int32
	encoding  int32
	defEnc    int32 // v1
	repEnc    int32 // v1
	nulls     int32 // v2
	rows      int32 // v2
	defBytes  int32 // v2
	repBytes  int32 // v2
	plainBody bool  // v2: the values are not compressed
}

// parsePageHeader gives the header and its length in bytes.
func parsePageHeader(buf []byte) (h pageHeader, n int, state thriftState) {
	r := &thriftReader{buf: buf}
	var present uint32
	for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
		switch {
		case t == thriftI32 && id >= 1 && id <= 4:
			v := r.i32()
			present |= 1 << id
			switch id {
			case 1:
				h.kind = v
			case 2:
				h.uncompressed = v
			case 3:
				h.compressed = v
			case 4:
				h.crc, h.hasCRC = uint32(v), true
			}
		case t == thriftStruct && id == 5:
			h.parseBody(r, [8]*int32{1: &h.values, 2: &h.encoding, 3: &h.defEnc, 4: &h.repEnc})
			present |= 1 << id
		case t == thriftStruct && id == 7:
			h.parseBody(r, [8]*int32{1: &h.values, 2: &h.encoding})
			present |= 1 << id
		case t == thriftStruct && id == 8:
			h.parseBody(r, [8]*int32{1: &h.values, 2: &h.nulls, 3: &h.rows, 4: &h.encoding, 5: &h.defBytes, 6: &h.repBytes})
			present |= 1 << id
		default:
			r.skip(t)
		}
	}
	if r.state == thriftOK && !h.valid(present) {
		return h, 0, thriftBad
	}
	return h, r.pos, r.state
}

func (h *pageHeader) parseBody(r *thriftReader, to [8]*int32) {
	for id, t, ok := r.field(0); ok; id, t, ok = r.field(id) {
		switch {
		case t == thriftI32 && id >= 1 && id < len(to) && to[id] != nil:
			*to[id] = r.i32()
		case id == 7 && to[6] != nil && (t == thriftTrue || t == thriftFalse):
			h.plainBody = !boolean(t)
		default:
			r.skip(t)
		}
	}
}

func (h *pageHeader) valid(present uint32) bool {
	const sizes = 1<<1 | 1<<2 | 1<<3
	if present&sizes != sizes || h.uncompressed < 0 || h.compressed < 0 || h.values < 0 {
		return false
	}
	switch h.kind {
	case pageData:
		return present&(1<<5) != 0
	case pageDictionary:
		return present&(1<<7) != 0
	case pageDataV2:
		return present&(1<<8) != 0 && h.nulls >= 0 && h.rows >= 0 && h.defBytes >= 0 && h.repBytes >= 0 &&
			int64(h.defBytes)+int64(h.repBytes) <= int64(min(h.compressed, h.uncompressed))
	}
	return true
}
