package format

import (
	"bufio"
	"bytes"
	"io"

	"lakeserver/cherr"
)

// maxRow bounds how much one row of text may take.
const maxRow = 1 << 30

// window is the part of a text document that is in memory: at least the row
// that is read next.
type window struct {
	r   *bufio.Reader
	buf []byte
	pos int
	eof bool
}

// rest gives what is in memory and was not used.
func (w *window) rest() []byte { return w.buf[w.pos:] }

// more reads on; at the end of the document it says so by eof.
func (w *window) more() error {
	if w.eof {
		return nil
	}
	if w.pos > 0 {
		w.buf = w.buf[:copy(w.buf, w.buf[w.pos:])]
		w.pos = 0
	}
	if len(w.buf) > maxRow {
		return cherr.New(cherr.TooLargeStringSize, "A row is longer than %d bytes", maxRow)
	}
	n := max(1<<16, len(w.buf)) // doubles, so that a long row is not copied often
	from := len(w.buf)
	w.buf = append(w.buf, make([]byte, n)...)
	k, err := io.ReadFull(w.r, w.buf[from:])
	w.buf = w.buf[:from+k]
	switch err {
	case io.EOF, io.ErrUnexpectedEOF:
		w.eof = true
		return nil
	}
	return err
}

// next gives the bytes of the next row as split finds it, nil at the end. The
// bytes stay valid until the next call.
func (w *window) next(split splitter) ([]byte, error) {
	for {
		if n, ok := split(w.rest(), w.eof); ok {
			row := w.buf[w.pos : w.pos+n]
			w.pos += n
			return row, nil
		}
		if w.eof {
			row := w.rest()
			w.pos = len(w.buf)
			if len(row) == 0 {
				return nil, nil
			}
			return row, nil // cut: its parser says what is missing
		}
		if err := w.more(); err != nil {
			return nil, err
		}
	}
}

// skipBOM drops the mark that some editors put before UTF-8.
func (w *window) skipBOM() error {
	if len(w.rest()) < 3 {
		if err := w.more(); err != nil {
			return err
		}
	}
	if bytes.HasPrefix(w.rest(), []byte("\xef\xbb\xbf")) {
		w.pos += 3
	}
	return nil
}

// whole gives all that is left of the document.
func (w *window) whole() ([]byte, error) {
	for !w.eof {
		if err := w.more(); err != nil {
			return nil, err
		}
	}
	b := w.rest()
	w.pos = len(w.buf)
	return b, nil
}

// A splitter finds the end of the first row of buf: its bytes with what ends
// it. It says false when the row goes on beyond buf.
type splitter func(buf []byte, final bool) (n int, ok bool)

// splitLine takes a line; a line feed behind a backslash does not end it.
func splitLine(buf []byte, final bool) (int, bool) {
	for from := 0; ; {
		i := bytes.IndexByte(buf[from:], '\n')
		if i < 0 {
			return len(buf), final && len(buf) > 0
		}
		end := from + i
		slashes := 0
		for end-slashes > 0 && buf[end-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return end + 1, true
		}
		from = end + 1
	}
}

// splitRaw takes a line, whatever stands in it.
func splitRaw(buf []byte, final bool) (int, bool) {
	if i := bytes.IndexByte(buf, '\n'); i >= 0 {
		return i + 1, true
	}
	return len(buf), final && len(buf) > 0
}

// splitJSON takes one JSON value with the spaces and commas before it.
func splitJSON(buf []byte, final bool) (int, bool) {
	depth, i := 0, 0
	for i < len(buf) && (buf[i] == ' ' || buf[i] == '\n' || buf[i] == '\t' || buf[i] == '\r' || buf[i] == ',' || buf[i] == ';') {
		i++
	}
	if i == len(buf) {
		return len(buf), final && len(buf) > 0
	}
	for ; i < len(buf); i++ {
		switch buf[i] {
		case '"':
			end := jsonStringEnd(buf[i:])
			if end < 0 {
				return 0, false
			}
			i += end - 1
			if depth == 0 {
				return i + 1, true
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1, true
			}
		case ',', '\n':
			if depth == 0 {
				return i, true
			}
		}
	}
	return len(buf), final
}

// jsonStringEnd gives the length of the string at the front of b, -1 when it
// is cut.
func jsonStringEnd(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}
