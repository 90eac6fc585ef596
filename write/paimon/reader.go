package paimon

import (
	"io"

	"lakeserver/objstore"
)

// readerAt reads an object from its beginning to its end.
type readerAt struct {
	f    objstore.File
	at   int64
	left int64
}

func (r *readerAt) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n, err := r.f.ReadAt(p[:min(int64(len(p)), r.left)], r.at)
	r.at, r.left = r.at+int64(n), r.left-int64(n)
	if err == io.EOF && r.left > 0 {
		err = io.ErrUnexpectedEOF
	} else if err == io.EOF {
		err = nil
	}
	return n, err
}
