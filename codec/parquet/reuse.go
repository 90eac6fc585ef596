package parquet

import "lakeserver/objstore"

// On gives the same parsed footer over another handle of the same content, so
// that a footer can be kept when its file is closed. opt replaces the options.
func (r *Reader) On(f objstore.File, opt Options) *Reader {
	out := *r
	out.file, out.opt = f, opt
	if out.opt.Scratch == nil {
		out.opt.Scratch = NewScratch()
	}
	out.groups = make([]RowGroup, len(r.groups))
	for i := range r.groups {
		out.groups[i] = r.groups[i]
		out.groups[i].r = &out
	}
	return &out
}

// FooterSize estimates the bytes that the parsed footer holds.
func (r *Reader) FooterSize() int64 {
	return 4096 + int64(len(r.leaves))*(256+320*int64(len(r.groups)))
}
