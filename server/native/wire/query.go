package wire

// Query is a client's query, without its code.
type Query struct {
	ID       string
	Info     ClientInfo
	Settings []Setting
	Secret   string // interserver hash
	Stage    int
	Compress bool
	Text     string
	Params   []Setting // values are quoted
}

// Setting is a name, a value and flags.
type Setting struct {
	Name, Value string
	Flags       uint64
}

// The flags of settings.
const (
	FlagImportant = 1
	FlagCustom    = 2
)

// maxQuery bounds a query's text before the parser looks at max_query_size.
const maxQuery = 1 << 28

// ReadQuery takes a query of the agreed revision.
func ReadQuery(r *Reader, rev int) (Query, error) {
	q := Query{ID: r.Text()}
	if rev >= revClientInfo {
		q.Info = readClientInfo(r, rev)
	}
	if rev >= revSettingsAsStrings {
		q.Settings = readSettings(r)
	} else {
		q.Settings = readTypedSettings(r)
	}
	if rev >= revExternalRoles {
		r.Text()
	}
	if rev >= revInterserverSecret {
		q.Secret = r.Text()
	}
	q.Stage = int(r.Uvarint())
	q.Compress = r.Uvarint() == 1
	q.Text = r.TextMax(maxQuery)
	if rev >= revParameters {
		q.Params = readSettings(r)
	}
	return q, r.Err()
}

// The kinds of a query.
const (
	KindNone      = 0
	KindInitial   = 1
	KindSecondary = 2
)

// ClientInfo says who asks and from where.
type ClientInfo struct {
	Kind            int
	InitialUser     string
	InitialAddress  string
	Interface       int
	OSUser, Host    string
	Name            string
	Major, Minor    int
	Patch, Revision int
	UserAgent       string
	ForwardedFor    string
	QuotaKey        string
}

const (
	interfaceTCP  = 1
	interfaceHTTP = 2
)

func readClientInfo(r *Reader, rev int) ClientInfo {
	c := ClientInfo{Kind: int(r.Byte())}
	if c.Kind == KindNone {
		return c
	}
	c.InitialUser = r.Text()
	r.Text() // initial query id
	c.InitialAddress = r.Text()
	if rev >= revQueryStartTime {
		r.Uint64()
	}
	c.Interface = int(r.Byte())
	switch c.Interface {
	case interfaceTCP:
		c.OSUser, c.Host, c.Name = r.Text(), r.Text(), r.Text()
		c.Major, c.Minor, c.Revision = int(r.Uvarint()), int(r.Uvarint()), int(r.Uvarint())
	case interfaceHTTP:
		r.Byte() // method
		c.UserAgent = r.Text()
		if rev >= revForwardedFor {
			c.ForwardedFor = r.Text()
		}
		if rev >= revReferer {
			r.Text()
		}
	}
	if rev >= revQuotaKey {
		c.QuotaKey = r.Text()
	}
	if rev >= revDistributedDepth {
		r.Uvarint()
	}
	if c.Interface == interfaceTCP && rev >= revVersionPatch {
		c.Patch = int(r.Uvarint())
	}
	readTrailingInfo(r, rev)
	return c
}

// readTrailingInfo passes over what we do not use.
func readTrailingInfo(r *Reader, rev int) {
	if rev >= revOpenTelemetry && r.Byte() != 0 {
		r.Bytes(16) // trace id
		r.Uint64()  // span id
		r.Text()
		r.Byte()
	}
	if rev >= revParallelReplicas {
		for range 3 {
			r.Uvarint()
		}
	}
	if rev >= revScriptLines {
		r.Uvarint()
		r.Uvarint()
	}
	if rev >= revJWT && r.Byte() != 0 {
		r.Text()
	}
}

func readSettings(r *Reader) []Setting {
	var out []Setting
	for r.err == nil {
		name := r.Text()
		if name == "" {
			break
		}
		out = append(out, Setting{Name: name, Flags: r.Uvarint(), Value: r.TextMax(maxQuery)})
	}
	return out
}
