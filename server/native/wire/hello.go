package wire

// Hello is a client's first packet, without its code.
type Hello struct {
	Client       string
	Major, Minor int
	Revision     int
	Database     string
	User         string
	Password     string
}

// helloString is the most that ClickHouse takes of a text before the login.
const helloString = 4096

// ReadHello takes a Hello.
func ReadHello(r *Reader) (Hello, error) {
	h := Hello{
		Client: r.TextMax(helloString),
		Major:  int(r.Uvarint()), Minor: int(r.Uvarint()), Revision: int(min(r.Uvarint(), 1<<30)),
		Database: r.TextMax(helloString), User: r.TextMax(helloString), Password: r.TextMax(helloString),
	}
	return h, r.Err()
}

// Capability is what a side can do about chunked packets, in one direction.
const (
	Chunked            = "chunked"
	NotChunked         = "notchunked"
	NotChunkedOptional = "notchunked_optional"
)

// Welcome is the server's answer to Hello.
type Welcome struct {
	Name                string
	Major, Minor, Patch int
	Revision            int
	Zone                string
	Display             string
	Nonce               uint64
}

// Append adds the packet for the agreed revision.
func (w *Welcome) Append(b *Buffer, rev int) {
	b.Uvarint(ServerHello)
	b.String(w.Name)
	b.Uvarint(uint64(w.Major))
	b.Uvarint(uint64(w.Minor))
	b.Uvarint(uint64(w.Revision))
	if rev >= revReplicasVersion {
		b.Uvarint(0)
	}
	if rev >= revTimezone {
		b.String(w.Zone)
	}
	if rev >= revDisplayName {
		b.String(w.Display)
	}
	if rev >= revVersionPatch {
		b.Uvarint(uint64(w.Patch))
	}
	if rev >= RevChunked {
		b.String(NotChunkedOptional)
		b.String(NotChunkedOptional)
	}
	if rev >= revPasswordRules {
		b.Uvarint(0)
	}
	if rev >= revSecretV2 {
		b.Uint64(w.Nonce)
	}
	if rev >= revServerSettings {
		b.String("")
	}
	if rev >= revQueryPlan {
		b.Uvarint(0)
	}
	if rev >= revClusterFunction {
		b.Uvarint(6)
	}
}

// Addendum is what a client adds once it knows the server.
type Addendum struct {
	QuotaKey string
	// Send and Recv are the client's choices for its own directions.
	Send, Recv string
}

// ReadAddendum takes an addendum of the agreed revision.
func ReadAddendum(r *Reader, rev int) (Addendum, error) {
	var a Addendum
	if rev < RevAddendum {
		return a, r.Err()
	}
	a.QuotaKey = r.TextMax(helloString)
	if rev >= RevChunked {
		a.Send, a.Recv = r.TextMax(helloString), r.TextMax(helloString)
	}
	if rev >= revReplicasVersion {
		r.Uvarint()
	}
	return a, r.Err()
}
