package wire

// Progress counts what was done since the packet before.
type Progress struct {
	Rows, Bytes, TotalRows, TotalBytes, WrittenRows, WrittenBytes, ElapsedNs uint64
}

// Append adds the packet.
func (p *Progress) Append(b *Buffer, rev int) {
	b.Uvarint(ServerProgress)
	b.Uvarint(p.Rows)
	b.Uvarint(p.Bytes)
	if rev >= revTotalRows {
		b.Uvarint(p.TotalRows)
	}
	if rev >= revTotalBytes {
		b.Uvarint(p.TotalBytes)
	}
	if rev >= revWriteInfo {
		b.Uvarint(p.WrittenRows)
		b.Uvarint(p.WrittenBytes)
	}
	if rev >= revElapsed {
		b.Uvarint(p.ElapsedNs)
	}
}

// ProfileInfo says how large a result was.
type ProfileInfo struct {
	Rows, Blocks, Bytes uint64
	AppliedLimit        bool
	RowsBeforeLimit     uint64
}

// Append adds the packet. "Calculated" is always set: old clients crash else.
func (p *ProfileInfo) Append(b *Buffer, rev int) {
	b.Uvarint(ServerProfileInfo)
	b.Uvarint(p.Rows)
	b.Uvarint(p.Blocks)
	b.Uvarint(p.Bytes)
	b.Bool(p.AppliedLimit)
	b.Uvarint(p.RowsBeforeLimit)
	b.Byte(1)
	if rev >= revRowsBeforeAgg {
		b.Byte(0)
		b.Uvarint(0)
	}
}

// AppendException adds an error.
func AppendException(b *Buffer, code int, message string) {
	b.Uvarint(ServerException)
	b.Int32(int32(code))
	b.String("DB::Exception")
	b.String("DB::Exception: " + message)
	b.String("") // stack trace
	b.Byte(0)    // nothing nested
}

// AppendTableColumns adds a table's columns as text.
func AppendTableColumns(b *Buffer, text string) {
	b.Uvarint(ServerTableColumns)
	b.String("")
	b.String(text)
}

// AppendTimezone adds the zone of the session.
func AppendTimezone(b *Buffer, zone string) {
	b.Uvarint(ServerTimezoneUpdate)
	b.String(zone)
}

// DataHead adds what stands before a block: the code and the name of an
// external table, which is empty.
func DataHead(b *Buffer, code uint64, rev int) {
	b.Uvarint(code)
	if rev >= revTemporaryTables {
		b.String("")
	}
}

// ReadDataName takes what stands before a client's block.
func ReadDataName(r *Reader, rev int) (string, error) {
	if rev < revTemporaryTables {
		return "", r.Err()
	}
	name := r.Text()
	return name, r.Err()
}

// TableName is a table of one database.
type TableName struct{ Database, Table string }

// ReadTablesStatus takes a request for the state of tables.
func ReadTablesStatus(r *Reader) ([]TableName, error) {
	n := r.Uvarint()
	var out []TableName
	for range min(n, 1<<16) {
		if r.err != nil {
			break
		}
		out = append(out, TableName{r.Text(), r.Text()})
	}
	return out, r.Err()
}

// AppendTablesStatus adds the answer: the tables that are there, none of them
// replicated.
func AppendTablesStatus(b *Buffer, tables []TableName) {
	b.Uvarint(ServerTablesStatusResponse)
	b.Uvarint(uint64(len(tables)))
	for _, t := range tables {
		b.String(t.Database)
		b.String(t.Table)
		b.Byte(0)
	}
}
