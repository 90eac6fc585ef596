package ast

import "strings"

// hidden is what stands for a secret in logs.
const hidden = "[HIDDEN]"

// Redact prints a statement as Format does, without its secrets: keys and
// passwords in the arguments of table functions, engines and dictionary
// sources, in named collections, in users' IDENTIFIED BY, in settings and in
// URLs. It hides too much rather than too little.
func Redact(n Node) string {
	if isNil(n) {
		return ""
	}
	return Format(Redacted(n))
}

// Redacted gives a copy of a statement without its secrets.
func Redacted[N Node](n N) N {
	c := Clone(n)
	Walk(c, func(x Node) bool {
		redactNode(x)
		return true
	})
	return c
}

func redactNode(n Node) {
	switch n := n.(type) {
	case *Function:
		redactFunction(n)
	case *KeyValue:
		if secretName(n.Key) {
			n.Value = NewString(hidden)
		}
	case *Setting:
		if secretName(n.Name) {
			n.Value = NewString(hidden)
		}
	case *CreateNamedCollection:
		hideSettings(n.Settings)
	case *AlterCollection:
		hideSettings(n.Set)
	case *AuthMethod:
		if n.Secret != nil {
			n.Secret = NewString(hidden)
		}
		if n.Salt != nil {
			n.Salt = NewString(hidden)
		}
	case *Literal:
		if n.Kind == String {
			n.Text = redactURL(n.Text)
		}
	}
}

func hideSettings(list []*Setting) {
	for _, s := range list {
		s.Value = NewString(hidden)
	}
}

// secretName tells by its name that a setting or named argument is a secret.
func secretName(s string) bool {
	s = strings.ToLower(s)
	for _, w := range [...]string{"password", "secret", "token", "credential", "account_key", "access_key", "connection_string", "sas_", "private_key", "passphrase"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// redactFunction hides positional and named secrets of what is called.
func redactFunction(f *Function) {
	for _, a := range f.Args { // password = 'x'
		eq, ok := a.(*Function)
		if !ok || eq.Name != "equals" || len(eq.Args) != 2 {
			continue
		}
		if id, ok := eq.Args[0].(*Identifier); ok && secretName(id.Parts[len(id.Parts)-1]) {
			eq.Args[1] = NewString(hidden)
		}
	}
	name := strings.ToLower(f.Name)
	switch {
	case name == "headers": // headers('Authorization' = 'x')
		for _, a := range f.Args {
			if eq, ok := a.(*Function); ok && eq.Name == "equals" && len(eq.Args) == 2 {
				eq.Args[1] = NewString(hidden)
			}
		}
	case strings.HasPrefix(name, "encrypt"), strings.HasPrefix(name, "decrypt"), strings.HasPrefix(name, "trydecrypt"), strings.HasPrefix(name, "aes_"):
		hideFrom(f, 2)
	case name == "hmac":
		hideFrom(f, 2)
	case strings.HasPrefix(name, "mysql"), strings.HasPrefix(name, "postgresql"), strings.HasPrefix(name, "mongodb"),
		strings.HasPrefix(name, "materializedpostgresql"), strings.HasPrefix(name, "materializedmysql"):
		hideAt(f, 4)
	case strings.HasPrefix(name, "redis"):
		hideAt(f, 4)
	case strings.HasPrefix(name, "remote"):
		hideFrom(f, 4)
		hideAt(f, 3)
	case strings.Contains(name, "azure"), strings.HasPrefix(name, "abs"):
		first := 0
		if strings.HasSuffix(name, "cluster") {
			first = 1
		}
		hideAt(f, first)
		hideAt(f, first+4)
		hideAt(f, first+5)
	case isObjectStorage(name):
		redactKeys(f, name)
	}
}

// isObjectStorage are the functions and engines of the form (url, key, secret …).
func isObjectStorage(name string) bool {
	for _, p := range [...]string{"s3", "gcs", "oss", "cosn", "iceberg", "paimon", "deltalake", "hudi", "icebergs3", "paimons3"} {
		if strings.HasPrefix(name, p) {
			return !strings.Contains(name, "local")
		}
	}
	return false
}

// redactKeys hides what follows the address: the key's secret and the session
// token. NOSIGN and a format in the key's place mean that there are none.
func redactKeys(f *Function, name string) {
	first := 1
	if strings.HasSuffix(name, "cluster") {
		first = 2
	}
	if len(f.Args) < first+2 {
		return
	}
	switch a := f.Args[first].(type) {
	case *Literal:
		if strings.EqualFold(a.Text, "NOSIGN") || isFormat(a.Text) {
			return
		}
	case *Identifier:
		if strings.EqualFold(a.Parts[0], "NOSIGN") {
			return
		}
	}
	hideAt(f, first+1)
	if len(f.Args) > first+2 {
		if l, ok := f.Args[first+2].(*Literal); ok && !isFormat(l.Text) {
			hideAt(f, first+2)
		}
	}
}

func isFormat(s string) bool {
	switch strings.ToLower(s) {
	case "auto", "parquet", "orc", "avro", "csv", "csvwithnames", "tsv", "tabseparated", "json", "jsoneachrow", "arrow", "native":
		return true
	}
	return false
}

func hideAt(f *Function, i int) {
	if i < len(f.Args) {
		switch f.Args[i].(type) {
		case *Literal, *Identifier:
			f.Args[i] = NewString(hidden)
		}
	}
}

func hideFrom(f *Function, i int) {
	for ; i < len(f.Args); i++ {
		if _, ok := f.Args[i].(*Literal); ok {
			f.Args[i] = NewString(hidden)
		}
	}
}

// redactURL hides the password of scheme://user:password@host and the
// signature in a signed address.
func redactURL(s string) string {
	scheme := strings.Index(s, "://")
	if scheme < 0 {
		return s
	}
	rest := s[scheme+3:]
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	if at := strings.LastIndexByte(rest[:end], '@'); at >= 0 {
		if colon := strings.IndexByte(rest[:at], ':'); colon >= 0 {
			s = s[:scheme+3] + rest[:colon+1] + hidden + rest[at:]
		}
	}
	for _, key := range [...]string{"sig=", "X-Amz-Signature=", "X-Amz-Security-Token=", "AccountKey="} {
		if i := strings.Index(s, key); i >= 0 {
			i += len(key)
			n := strings.IndexAny(s[i:], "&;")
			if n < 0 {
				n = len(s) - i
			}
			s = s[:i] + hidden + s[i+n:]
		}
	}
	return s
}

// secretWords are those that a text with secrets has one of.
var secretWords = [...]string{
	"s3", "gcs", "oss", "cosn", "iceberg", "paimon", "deltalake", "hudi", "azure", "abs", "remote", "mysql", "postgresql", "mongo", "redis", "url",
	"collection", "identified", "password", "secret", "token", "credential", "key", "crypt", "hmac", "headers", "datalakecatalog", "://",
}

// RedactText hides the strings of a text that could not be parsed, if it may
// hold a secret: what stands where nobody can say. An unfinished string is
// hidden as well.
func RedactText(text string) string {
	low := strings.ToLower(text)
	found := false
	for _, w := range secretWords {
		found = found || strings.Contains(low, w)
	}
	if !found {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		out.WriteByte(text[i])
		if text[i] != '\'' {
			continue
		}
		for i++; i < len(text) && text[i] != '\''; i++ {
			if text[i] == '\\' {
				i++
			}
		}
		out.WriteString(hidden + "'")
	}
	return out.String()
}
