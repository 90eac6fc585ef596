package encrypt

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"strconv"
	"strings"

	"lakeserver/cherr"
)

// mode is a cipher's name taken apart: aes-256-gcm.
type mode struct {
	keySize int // bytes
	kind    string
	mysql   bool // keys and initial vectors of any length are folded and cut
}

func parseMode(text string, mysql bool) (mode, error) {
	parts := strings.Split(text, "-")
	if len(parts) == 3 && parts[0] == "aes" {
		bits, err := strconv.Atoi(parts[1])
		m := mode{bits / 8, parts[2], mysql}
		ok := parts[2] == "ecb" || parts[2] == "cbc" || parts[2] == "ofb" || parts[2] == "ctr" && !mysql || parts[2] == "gcm" && !mysql
		if err == nil && (bits == 128 || bits == 192 || bits == 256) && ok {
			return m, nil
		}
	}
	return mode{}, cherr.New(cherr.BadArguments, "Invalid mode: %s", text)
}

const gcmNonce = 12

// open checks key and initial vector.
func (m mode) open(key, iv []byte) (cipher.Block, []byte, error) {
	if m.mysql && len(key) >= m.keySize {
		key, iv = fold(key, m.keySize), iv[:min(len(iv), aes.BlockSize)]
	}
	if len(key) != m.keySize {
		return nil, nil, cherr.New(cherr.BadArguments, "Invalid key size: %d expected %d", len(key), m.keySize)
	}
	switch {
	case m.kind == "gcm":
		if len(iv) == 0 {
			return nil, nil, cherr.New(cherr.BadArguments, "Invalid IV size %d != expected size %d", len(iv), gcmNonce)
		}
	case m.kind == "ecb" && len(iv) > 0 && !m.mysql, m.kind != "ecb" && len(iv) > 0 && len(iv) != aes.BlockSize:
		return nil, nil, cherr.New(cherr.BadArguments, "Invalid IV size: %d expected %d", len(iv), aes.BlockSize)
	case len(iv) == 0:
		iv = make([]byte, aes.BlockSize)
	}
	block, err := aes.NewCipher(key)
	return block, iv, err
}

// fold makes a key of a size as MySQL does: further bytes are mixed in.
func fold(key []byte, size int) []byte {
	out := make([]byte, size)
	for i, c := range key {
		out[i%size] ^= c
	}
	return out
}

func (m mode) encrypt(dst, text, key, iv, aad []byte) ([]byte, error) {
	block, iv, err := m.open(key, iv)
	if err != nil {
		return dst, err
	}
	from := len(dst)
	switch m.kind {
	case "gcm":
		g, err := cipher.NewGCMWithNonceSize(block, len(iv))
		if err != nil {
			return dst, cherr.WithCode(cherr.BadArguments, err, "Invalid IV")
		}
		return g.Seal(dst, iv, text, aad), nil
	case "ecb", "cbc":
		dst = append(dst, text...)
		pad := aes.BlockSize - len(text)%aes.BlockSize
		dst = append(dst, bytes.Repeat([]byte{byte(pad)}, pad)...)
		if m.kind == "cbc" {
			cipher.NewCBCEncrypter(block, iv).CryptBlocks(dst[from:], dst[from:])
			return dst, nil
		}
		for b := dst[from:]; len(b) > 0; b = b[aes.BlockSize:] {
			block.Encrypt(b, b)
		}
		return dst, nil
	}
	dst = append(dst, text...)
	m.stream(block, iv).XORKeyStream(dst[from:], dst[from:])
	return dst, nil
}

func (m mode) stream(block cipher.Block, iv []byte) cipher.Stream {
	if m.kind == "ctr" {
		return cipher.NewCTR(block, iv)
	}
	//lint:ignore SA1019 SQL has functions with this mode
	return cipher.NewOFB(block, iv) //nolint:staticcheck // the mode that was asked for
}

// errCipher is what a text gives that was not encrypted so.
var errCipher = cherr.New(cherr.OpensslError, "Failed to decrypt: the text was not encrypted with this key and mode")

func (m mode) decrypt(dst, text, key, iv, aad []byte) ([]byte, error) {
	block, iv, err := m.open(key, iv)
	if err != nil || len(text) == 0 {
		return dst, err
	}
	from := len(dst)
	switch m.kind {
	case "gcm":
		g, err := cipher.NewGCMWithNonceSize(block, len(iv))
		if err != nil {
			return dst, cherr.WithCode(cherr.BadArguments, err, "Invalid IV")
		}
		out, err := g.Open(dst, iv, text, aad)
		if err != nil {
			return dst, errCipher
		}
		return out, nil
	case "ecb", "cbc":
		if len(text)%aes.BlockSize != 0 {
			return dst, errCipher
		}
		dst = append(dst, text...)
		if m.kind == "cbc" {
			cipher.NewCBCDecrypter(block, iv).CryptBlocks(dst[from:], dst[from:])
		} else {
			for b := dst[from:]; len(b) > 0; b = b[aes.BlockSize:] {
				block.Decrypt(b, b)
			}
		}
		return unpad(dst, from)
	}
	dst = append(dst, text...)
	m.stream(block, iv).XORKeyStream(dst[from:], dst[from:])
	return dst, nil
}

func unpad(dst []byte, from int) ([]byte, error) {
	pad := int(dst[len(dst)-1])
	if pad == 0 || pad > aes.BlockSize || pad > len(dst)-from {
		return dst[:from], errCipher
	}
	for _, c := range dst[len(dst)-pad:] {
		if int(c) != pad {
			return dst[:from], errCipher
		}
	}
	return dst[:len(dst)-pad], nil
}
