package wire

import (
	"bufio"
	"encoding/binary"
	"io"

	"lakeserver/cherr"
)

// AppendChunked adds a packet in a chunk of its own and the mark of its end.
func AppendChunked(dst, packet []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(packet)))
	dst = append(dst, packet...)
	return append(dst, 0, 0, 0, 0)
}

// chunks reads the bytes within chunks.
type chunks struct {
	src  *bufio.Reader
	left uint32
}

// NewChunkReader reads the packets' bytes without the marks around them.
func NewChunkReader(src *bufio.Reader) io.Reader { return &chunks{src: src} }

const maxChunk = 1 << 30

func (c *chunks) Read(p []byte) (int, error) {
	for c.left == 0 {
		var head [4]byte
		if _, err := io.ReadFull(c.src, head[:]); err != nil {
			return 0, err
		}
		if c.left = binary.LittleEndian.Uint32(head[:]); c.left > maxChunk {
			return 0, cherr.New(cherr.IncorrectData, "Too large chunk: %d", c.left)
		}
	}
	if uint64(len(p)) > uint64(c.left) {
		p = p[:c.left]
	}
	n, err := c.src.Read(p)
	c.left -= uint32(n)
	return n, err
}
