package access

import (
	"crypto/sha1" //nolint:gosec // what MySQL clients send
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"time"

	"golang.org/x/crypto/bcrypt"

	"lakeserver/cherr"
)

// Method is a way to identify, as SQL names it.
type Method string

// The methods. Others that ClickHouse knows are refused when they are made.
const (
	NoPassword Method = "no_password"
	Plaintext  Method = "plaintext_password"
	SHA256     Method = "sha256_password"
	DoubleSHA1 Method = "double_sha1_password"
	Bcrypt     Method = "bcrypt_password"
)

// Auth is one way in which a user may prove who he is. It never holds more
// than the method needs: of all but plaintext only the hash.
type Auth struct {
	Method Method    `json:"method"`
	Secret []byte    `json:"secret,omitempty"` // the password, or its hash
	Salt   string    `json:"salt,omitempty"`   // of SHA256: behind the password
	Until  time.Time `json:"until,omitzero"`   // VALID UNTIL; zero: for ever
}

// NewAuth makes the method's secret of a password. Error: BAD_ARGUMENTS for a
// method that is not there.
func NewAuth(m Method, password, salt string) (Auth, error) {
	a := Auth{Method: m, Salt: salt}
	switch m {
	case NoPassword:
	case Plaintext:
		a.Secret = []byte(password)
	case SHA256:
		sum := sha256.Sum256([]byte(password + salt))
		a.Secret = sum[:]
	case DoubleSHA1:
		a.Secret = sha1Twice([]byte(password))
	case Bcrypt:
		hash, err := bcrypt.GenerateFromPassword([]byte(password), bcryptCost)
		if err != nil {
			return a, cherr.New(cherr.BadArguments, "bcrypt takes passwords of up to 72 bytes")
		}
		a.Secret = hash
	default:
		return a, cherr.New(cherr.NotImplemented, "Users cannot be identified with %s", m)
	}
	return a, nil
}

// bcryptCost is ClickHouse's default.
const bcryptCost = 12

// FromHash makes a way to identify of a hash in hex digits (bcrypt: its own
// text). Error: BAD_ARGUMENTS.
func FromHash(m Method, hash, salt string) (Auth, error) {
	a := Auth{Method: m, Salt: salt}
	if m == Bcrypt {
		if _, err := bcrypt.Cost([]byte(hash)); err != nil {
			return a, cherr.New(cherr.BadArguments, "This is no bcrypt hash")
		}
		a.Secret = []byte(hash)
		return a, nil
	}
	length, ok := map[Method]int{SHA256: sha256.Size, DoubleSHA1: sha1.Size}[m]
	if !ok {
		return a, cherr.New(cherr.BadArguments, "%s has no hash", m)
	}
	sum, err := hex.DecodeString(hash)
	if err != nil || len(sum) != length {
		return a, cherr.New(cherr.BadArguments, "Password hash for the '%s' authentication type has length %d but must be exactly %d bytes.", m, len(sum), length)
	}
	a.Secret = sum
	return a, nil
}

// Matches tells whether this is the password. It takes as long for a wrong
// one as for the right one.
func (a Auth) Matches(password string) bool {
	switch a.Method {
	case NoPassword:
		return true
	case Plaintext:
		return same(a.Secret, []byte(password))
	case SHA256:
		sum := sha256.Sum256([]byte(password + a.Salt))
		return same(a.Secret, sum[:])
	case DoubleSHA1:
		return same(a.Secret, sha1Twice([]byte(password)))
	case Bcrypt:
		return bcrypt.CompareHashAndPassword(a.Secret, []byte(password)) == nil
	}
	return false
}

// MatchesNative tells whether an answer of mysql_native_password fits:
// SHA1(password) XOR SHA1(nonce + SHA1(SHA1(password))). An empty answer is
// an empty password.
func (a Auth) MatchesNative(answer, nonce []byte) bool {
	stored := a.Secret
	switch {
	case a.Method == NoPassword:
		return true
	case len(answer) == 0:
		return a.Matches("")
	case a.Method == Plaintext:
		stored = sha1Twice(a.Secret)
	case a.Method != DoubleSHA1:
		return false // what the server keeps does not tell
	}
	if len(answer) != sha1.Size {
		return false
	}
	h := sha1.New() //nolint:gosec // as above
	h.Write(nonce)
	h.Write(stored)
	once := xor(answer, h.Sum(nil))
	twice := sha1.Sum(once)
	return same(twice[:], stored)
}

// MatchesSHA2 tells whether a first answer of caching_sha2_password fits:
// SHA256(password) XOR SHA256(SHA256(SHA256(password)) + nonce).
func (a Auth) MatchesSHA2(answer, nonce []byte) bool {
	var stored [sha256.Size]byte
	switch {
	case a.Method == NoPassword:
		return true
	case len(answer) == 0:
		return a.Matches("")
	case a.Method == Plaintext:
		stored = sha256.Sum256(a.Secret)
	case a.Method == SHA256 && a.Salt == "":
		copy(stored[:], a.Secret)
	default:
		return false // the password itself is needed
	}
	if len(answer) != sha256.Size {
		return false
	}
	twice := sha256.Sum256(stored[:])
	h := sha256.New()
	h.Write(twice[:])
	h.Write(nonce)
	return same(xor(answer, h.Sum(nil)), stored[:])
}

func sha1Twice(b []byte) []byte {
	once := sha1.Sum(b)
	twice := sha1.Sum(once[:])
	return twice[:]
}

func xor(a, b []byte) []byte {
	out := make([]byte, len(a))
	for i := range a {
		out[i] = a[i] ^ b[i]
	}
	return out
}

func same(a, b []byte) bool { return subtle.ConstantTimeCompare(a, b) == 1 }
