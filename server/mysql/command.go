package mysql

import (
	"context"
	"encoding/binary"
	"errors"

	"lakeserver/cherr"
)

// The commands.
const (
	comQuit            = 0x01
	comInitDB          = 0x02
	comQuery           = 0x03
	comFieldList       = 0x04
	comCreateDB        = 0x05
	comDropDB          = 0x06
	comStatistics      = 0x09
	comProcessInfo     = 0x0a
	comProcessKill     = 0x0c
	comPing            = 0x0e
	comChangeUser      = 0x11
	comStmtPrepare     = 0x16
	comStmtExecute     = 0x17
	comStmtLongData    = 0x18
	comStmtClose       = 0x19
	comStmtReset       = 0x1a
	comSetOption       = 0x1b
	comResetConnection = 0x1f
)

// The bits of a status.
const (
	statusAutocommit  = 0x0002
	statusMoreResults = 0x0008
)

// errQuit is the client's farewell.
var errQuit = errors.New("the client quits")

// command answers one command. An error ends the connection; errors of the
// command itself are sent and are none here.
func (c *conn) command(ctx context.Context, payload []byte) error {
	if len(payload) == 0 {
		c.fail(errShort)
		return errShort
	}
	code, rest := payload[0], payload[1:]
	switch code {
	case comQuit:
		return errQuit
	case comStmtClose:
		delete(c.stmts, statementID(rest))
		return nil // has no answer
	case comStmtLongData:
		c.longData(rest)
		return nil // has no answer
	case comStatistics:
		if err := c.p.write([]byte("Uptime: 1  Threads: 1  Questions: 1  Slow queries: 0  Opens: 0  Flush tables: 1  Open tables: 0")); err != nil {
			return err
		}
		return c.p.flush()
	}
	err := c.watched(ctx, func(ctx context.Context) error { return c.answer(ctx, code, rest) })
	if err != nil && !c.broken(err) {
		c.fail(err)
		return nil
	}
	return err
}

// broken tells an error of the connection from one of the query.
func (c *conn) broken(err error) bool {
	var w writeError
	return errors.As(err, &w)
}

// answer runs what may take long.
func (c *conn) answer(ctx context.Context, code byte, rest []byte) error {
	switch code {
	case comPing, comSetOption:
		if code == comSetOption {
			return c.eof(0)
		}
		return c.ok(0)
	case comInitDB:
		if err := c.use(string(rest)); err != nil {
			return err
		}
		return c.ok(0)
	case comQuery:
		return c.query(ctx, string(rest))
	case comFieldList:
		return c.fieldList(ctx, rest)
	case comCreateDB:
		return c.query(ctx, "CREATE DATABASE "+quoteName(string(rest)))
	case comDropDB:
		return c.query(ctx, "DROP DATABASE "+quoteName(string(rest)))
	case comProcessInfo:
		return c.query(ctx, "SHOW PROCESSLIST")
	case comProcessKill:
		return c.kill(ctx, uint32((&fields{rest: rest}).uint(4)), true)
	case comStmtPrepare:
		return c.prepare(string(rest))
	case comStmtExecute:
		return c.execute(ctx, rest)
	case comStmtReset:
		if s := c.stmts[statementID(rest)]; s != nil {
			s.long = nil
			return c.ok(0)
		}
		return unknownStatement(statementID(rest))
	case comResetConnection:
		return c.reset()
	case comChangeUser:
		return c.changeUser(rest)
	}
	return cherr.New(cherr.NotImplemented, "Command %d is not implemented.", code)
}

// reset makes the session as it was after the login.
func (c *conn) reset() error {
	c.session.Close()
	c.stmts, c.vars, c.limit = map[uint32]*prepared{}, map[string]string{}, 0
	if err := c.open(""); err != nil {
		return err
	}
	return c.ok(0)
}

// changeUser logs another user in on this connection.
func (c *conn) changeUser(rest []byte) error {
	f := fields{rest: rest}
	user := f.word()
	var answer []byte
	if c.caps&capSecureConnection != 0 {
		answer = f.take(int(f.uint(1)))
	} else {
		answer = []byte(f.word())
	}
	database := f.word()
	plugin := ""
	if len(f.rest) > 2 {
		f.take(2) // character set
		plugin = f.word()
	}
	if f.err != nil {
		return f.err
	}
	if err := c.authenticate(user, plugin, answer); err != nil {
		c.fail(err)
		return writeError{err} // MySQL too ends the connection here
	}
	c.session.Close()
	c.stmts, c.vars, c.limit = map[uint32]*prepared{}, map[string]string{}, 0
	if err := c.open(database); err != nil {
		return err
	}
	return c.ok(0)
}

// writeError is an error of the connection itself.
type writeError struct{ error }

func (e writeError) Unwrap() error { return e.error }

// send queues a payload.
func (c *conn) send(payload []byte) error {
	if err := c.p.write(payload); err != nil {
		return writeError{err}
	}
	return nil
}

func (c *conn) flush() error {
	if err := c.p.flush(); err != nil {
		return writeError{err}
	}
	return nil
}

// ok sends an OK packet.
func (c *conn) ok(affected uint64) error { return c.done(0, affected, 0) }

// done sends an OK packet, or the one that stands at the end of rows.
func (c *conn) done(head byte, affected uint64, status uint16) error {
	b := appendLength([]byte{head}, affected)
	b = append(b, 0) // last insert id
	b = binary.LittleEndian.AppendUint16(b, status|statusAutocommit)
	b = append(b, 0, 0) // warnings
	if err := c.send(b); err != nil {
		return err
	}
	return c.flush()
}

// eof sends the packet behind columns or rows.
func (c *conn) eof(status uint16) error {
	if c.caps&capDeprecateEOF != 0 {
		return c.done(0xfe, 0, status)
	}
	b := binary.LittleEndian.AppendUint16([]byte{0xfe, 0, 0}, status|statusAutocommit)
	if err := c.send(b); err != nil {
		return err
	}
	return c.flush()
}

// kill ends the queries of a connection; whole ends the connection too.
func (c *conn) kill(ctx context.Context, id uint32, whole bool) error {
	if c.of.kill(id, c.userName(), whole) {
		if id == c.id {
			return cherr.New(cherr.QueryWasCancelled, "Query was cancelled")
		}
		return c.ok(0)
	}
	// Another user's: the engine knows who may.
	r, err := c.session.Execute(ctx, c.toQuery(killText(id)))
	if err != nil {
		return err
	}
	if err := discard(ctx, r); err != nil {
		return err
	}
	return c.ok(0)
}
