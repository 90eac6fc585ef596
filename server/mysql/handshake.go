package mysql

import (
	"bufio"
	"crypto/rand"
	"crypto/tls"
	"encoding/binary"
	"net"
	"time"

	"lakeserver/cherr"
)

// Capabilities of the protocol that the server looks at.
const (
	capLongPassword     = 1 << 0
	capFoundRows        = 1 << 1
	capLongFlag         = 1 << 2
	capConnectWithDB    = 1 << 3
	capIgnoreSpace      = 1 << 8
	capProtocol41       = 1 << 9
	capInteractive      = 1 << 10
	capTLS              = 1 << 11
	capTransactions     = 1 << 13
	capSecureConnection = 1 << 15
	capMultiStatements  = 1 << 16
	capMultiResults     = 1 << 17
	capPSMultiResults   = 1 << 18
	capPluginAuth       = 1 << 19
	capConnectAttrs     = 1 << 20
	capPluginLenenc     = 1 << 21
	capDeprecateEOF     = 1 << 24
)

const capabilities = capLongPassword | capFoundRows | capLongFlag | capConnectWithDB | capIgnoreSpace | capProtocol41 | capInteractive |
	capTransactions | capSecureConnection | capMultiStatements | capMultiResults | capPSMultiResults | capPluginAuth |
	capConnectAttrs | capPluginLenenc | capDeprecateEOF

// mysqlVersion stands before ClickHouse's: connectors read its first numbers.
const mysqlVersion = "8.0.40"

// utf8mb4 is the character set utf8mb4_0900_ai_ci, which ClickHouse names too.
const utf8mb4 = 255

// login is what a client says of itself.
type login struct {
	caps     uint32
	user     string
	answer   []byte
	database string
	plugin   string
	attrs    map[string]string
}

// greet sends the first packet.
func (c *conn) greet() error {
	caps := uint32(capabilities)
	if c.cfg.TLS != nil {
		caps |= capTLS
	}
	b := append([]byte{10}, mysqlVersion+"-ClickHouse-"+c.cfg.Version...)
	b = append(b, 0)
	b = binary.LittleEndian.AppendUint32(b, c.id)
	b = append(b, c.nonce[:8]...)
	b = append(b, 0, byte(caps), byte(caps>>8), utf8mb4)
	b = binary.LittleEndian.AppendUint16(b, statusAutocommit)
	b = append(b, byte(caps>>16), byte(caps>>24), byte(len(c.nonce)+1))
	b = append(b, make([]byte, 10)...)
	b = append(b, c.nonce[8:]...)
	b = append(b, 0)
	b = append(append(b, firstPlugin...), 0)
	if err := c.p.write(b); err != nil {
		return err
	}
	return c.p.flush()
}

// newNonce makes 20 random bytes, none of them 0 or a dollar sign, which
// clients would take for an end.
func newNonce() []byte {
	b := make([]byte, 20)
	_, _ = rand.Read(b) // never fails
	for i := range b {
		b[i] = b[i]&0x7f | 1
		if b[i] == '$' || b[i] == 0 {
			b[i] = '%'
		}
	}
	return b
}

// tlsRequestLength is how a TLS request is told from an answer.
const tlsRequestLength = 32

// hear reads the client's answer, going over to TLS when it asks.
func (c *conn) hear() (login, error) {
	payload, err := c.p.read()
	if err != nil {
		return login{}, err
	}
	if len(payload) == tlsRequestLength {
		if c.cfg.TLS == nil || binary.LittleEndian.Uint32(payload)&capTLS == 0 {
			return login{}, cherr.New(cherr.SupportIsDisabled, "Client requested SSL, while it is disabled.")
		}
		secure := tls.Server(ahead{c.nc, c.p.in}, c.cfg.TLS)
		if err := secure.Handshake(); err != nil {
			return login{}, err
		}
		seq := c.p.seq
		c.nc, c.secure = secure, true
		c.p = newPackets(secure)
		c.p.seq = seq
		c.limitPackets()
		if payload, err = c.p.read(); err != nil {
			return login{}, err
		}
	}
	return parseLogin(payload)
}

// ahead is a connection of which something was read ahead: the client's first
// TLS record may have come with its request for TLS.
type ahead struct {
	net.Conn
	in *bufio.Reader
}

// Read gives what was read ahead first.
func (a ahead) Read(b []byte) (int, error) { return a.in.Read(b) }

// parseLogin reads a HandshakeResponse41.
func parseLogin(payload []byte) (l login, err error) {
	f := fields{rest: payload}
	l.caps = uint32(f.uint(4))
	if f.err == nil && l.caps&capProtocol41 == 0 {
		return l, cherr.New(cherr.MySQLClientInsufficientCapabilities, "Required capability: CLIENT_PROTOCOL_41.")
	}
	f.take(4 + 1 + 23) // packet size, character set, filler
	l.user = f.word()
	switch {
	case l.caps&capPluginLenenc != 0:
		l.answer = f.text()
	case l.caps&capSecureConnection != 0:
		l.answer = f.take(int(f.uint(1)))
	default:
		l.answer = []byte(f.word())
	}
	if l.caps&capConnectWithDB != 0 {
		l.database = f.word()
	}
	if l.caps&capPluginAuth != 0 {
		l.plugin = f.word()
	}
	if l.caps&capConnectAttrs != 0 && len(f.rest) > 0 {
		l.attrs = parseAttrs(f.text())
	}
	return l, f.err
}

func parseAttrs(b []byte) map[string]string {
	out := map[string]string{}
	f := fields{rest: b}
	for len(f.rest) > 0 && f.err == nil {
		k := string(f.text())
		out[k] = string(f.text())
	}
	return out
}

// handshake greets the client and logs it in. Its errors were sent.
func (c *conn) handshake() error {
	_ = c.raw.SetDeadline(time.Now().Add(handshakeTime)) // a dead connection shows at the next read
	if err := c.greet(); err != nil {
		return err
	}
	l, err := c.hear()
	if err == nil {
		c.caps = l.caps
		err = c.authenticate(l.user, l.plugin, l.answer)
	}
	if err == nil {
		c.client = l.attrs["_client_name"]
		err = c.open(l.database)
	}
	if err != nil {
		c.fail(err)
		return err
	}
	_ = c.raw.SetDeadline(time.Time{})
	return c.ok(0)
}
