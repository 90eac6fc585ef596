package mysql

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"regexp"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/parse"
	"lakeserver/server"
)

// step is what is to be done for one statement. The zero step does nothing.
type step struct {
	sql  string // for the engine
	use  string // the database to go to
	kill uint32 // the connection whose query is to end, or that is to end
	// killWhole ends the connection too.
	killWhole bool
	// exists is a table that must be there before sql means anything.
	exists [2]string
}

// query runs what COM_QUERY brought: one statement, or several where the
// client said that it may send them.
func (c *conn) query(ctx context.Context, text string) error {
	stmts := []string{text}
	if c.caps&capMultiStatements != 0 {
		if s := split(text); len(s) > 0 {
			stmts = s
		}
	}
	for i, s := range stmts {
		status := uint16(0)
		if i < len(stmts)-1 {
			status = statusMoreResults
		}
		if err := c.statement(ctx, s, false, status); err != nil {
			return err
		}
	}
	return nil
}

// statement runs one statement and sends its answer.
func (c *conn) statement(ctx context.Context, text string, binary bool, status uint16) error {
	st, err := c.route(text)
	if err != nil {
		return err
	}
	if t := st.exists; t[1] != "" && !c.cfg.Engine.HasTable(t[0], t[1]) {
		return cherr.New(cherr.UnknownTable, "Table %s.%s does not exist", t[0], t[1])
	}
	switch {
	case st.use != "":
		if err := c.use(st.use); err != nil {
			return err
		}
		return c.done(0, 0, status)
	case st.kill != 0:
		return c.kill(ctx, st.kill, st.killWhole)
	case st.sql == "":
		return c.done(0, 0, status)
	}
	q := c.toQuery(st.sql)
	q.Insert = func(ctx context.Context, i server.Insert) (column.Header, column.Stream, error) {
		return c.insert(ctx, q, i)
	}
	r, err := c.session.Execute(ctx, q)
	if err != nil {
		return err
	}
	err = c.respond(ctx, r, binary, status)
	r.Close(err)
	return err
}

func (c *conn) respond(ctx context.Context, r *server.Result, binary bool, status uint16) error {
	if !r.HasRows {
		return c.done(0, r.Stats().WrittenRows, status)
	}
	if r.Format != "" && r.Format != "MySQLWire" {
		return cherr.New(cherr.UnsupportedMethod, "MySQL protocol does not support custom output formats")
	}
	return c.rows(ctx, r, binary, status)
}

// toQuery makes a query with an id that names the connection, as ClickHouse's
// do, so that KILL finds it.
func (c *conn) toQuery(sql string) *server.Query {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return &server.Query{
		ID: fmt.Sprintf("mysql:%d:%s", c.id, hex.EncodeToString(b[:])), Text: sql,
		Interface: "MySQL", Client: c.client, Address: c.raw.RemoteAddr().String(),
	}
}

// insert gives the rows that stand in the statement's text.
func (c *conn) insert(ctx context.Context, q *server.Query, i server.Insert) (column.Header, column.Stream, error) {
	if i.Infile != "" {
		return nil, nil, cherr.New(cherr.NotImplemented, "INSERT FROM INFILE is a matter of the client: it reads the file and sends the rows")
	}
	name := i.Format
	if name == "" {
		name = "Values"
	}
	return server.OpenRows(ctx, c.session, q, name, newReader(i.Inline), i)
}

// route finds out what a statement wants.
func (c *conn) route(text string) (step, error) {
	s := trim(text)
	if s == "" {
		return step{}, cherr.New(cherr.EmptyQuery, "Empty query")
	}
	for _, p := range probes {
		if m := p.pattern.FindStringSubmatch(s); m != nil {
			return p.answer(c, m)
		}
	}
	sql, err := c.dialect(s)
	return step{sql: sql}, err
}

// typedLiteral is DATE '…', which sqlparser takes for a column with a name.
var typedLiteral = regexp.MustCompile(`(?i)\b(?:DATE|TIME|TIMESTAMP)\s*['"]`)

// onDuplicate stands behind the rows of an INSERT, where ClickHouse's parser
// does not look.
var onDuplicate = regexp.MustCompile(`(?i)\bON\s+DUPLICATE\s+KEY\b`)

// schemaCall is a function whose name sqlparser has for a keyword only.
var schemaCall = regexp.MustCompile(`(?i)\bSCHEMA\s*\(\s*\)`)

// dialect gives a statement in ClickHouse's SQL. What is MySQL's is
// translated. Texts that both read: a query is MySQL's, a definition and an
// INSERT are ClickHouse's. What neither reads stays, and the engine says why.
func (c *conn) dialect(s string) (string, error) {
	switch firstWord(s) {
	case "SELECT", "UPDATE", "DELETE", "REPLACE":
		if has(s, "||") || typedLiteral.MatchString(s) {
			if _, err := parse.Parse(s); err == nil {
				return s, nil
			}
		}
	case "INSERT":
		if _, err := parse.Parse(s); err == nil && !hasDoubleQuotes(s) && !onDuplicate.MatchString(s) {
			return s, nil
		}
	case "CREATE", "ALTER", "DROP", "TRUNCATE", "RENAME":
		if _, err := parse.Parse(s); err == nil {
			return s, nil
		}
	default:
		return s, nil
	}
	out, ok, refusal := translate(schemaCall.ReplaceAllString(s, "DATABASE()"), c)
	if ok {
		return out, nil
	}
	if refusal != nil {
		if firstWord(s) == "INSERT" || cherr.CodeOf(refusal) == cherr.UnknownSetting {
			return "", refusal // what it names is MySQL's alone
		}
		if _, err := parse.Parse(s); err != nil {
			return "", refusal
		}
	}
	return s, nil
}

// fieldList answers COM_FIELD_LIST: a table's columns.
func (c *conn) fieldList(ctx context.Context, rest []byte) error {
	f := fields{rest: rest}
	table := f.word()
	r, err := c.session.Execute(ctx, c.toQuery("SELECT * FROM "+quoteName(table)+" LIMIT 0"))
	if err != nil {
		return err
	}
	if err := discard(ctx, r); err != nil {
		return err
	}
	for _, col := range r.Header {
		// Behind each stands its default; NULL says nothing of it.
		b := append(appendDefinition(nil, c.database, table, col.Name, col.Name, describe(col.Type)), 0xfb)
		if err := c.send(b); err != nil {
			return err
		}
	}
	return c.eof(0)
}
