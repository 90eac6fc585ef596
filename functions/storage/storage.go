package storage

import (
	"context"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/collections"
	"lakeserver/format"
	"lakeserver/functions"
	"lakeserver/objstore"
	"lakeserver/settings"
)

// Form is a family of argument forms.
type Form struct {
	// read takes the arguments apart.
	read func(a *arguments) error
	// keys are those that a named collection may have; one is required.
	keys     setters
	required string
	kind     string // of store, for objstore.Registry; "" local
	max      int    // arguments
	help     string // the forms, in words
}

// Sources opens what arguments name.
type Sources struct {
	Local    objstore.Store     // nil: no local files
	Registry *objstore.Registry // nil: no far stores

	Collections *collections.Store // nil: none
	// Clusters are those of the configuration; true: this server is the only
	// node.
	Clusters map[string]bool
}

// Source is what arguments name.
type Source struct {
	Store objstore.Store
	Path  string // as the store names it: a folder, a file, a pattern
	// Format, Structure and Compression are "" where left to be found out.
	Format, Structure, Compression string

	access objstore.Access // what the store was opened with
}

// arguments are what is read of a call.
type arguments struct {
	name   string
	rest   []functions.TableArg
	access objstore.Access
	source Source
	url    string

	filename string // of a named collection, below its url

	container, blob string // of Azure
}

// Open reads a request's arguments and opens the store they name.
func (s *Sources) Open(ctx context.Context, env *functions.Env, f *Form, req *functions.OpenRequest) (*Source, error) {
	a := &arguments{name: req.Name}
	if err := a.arity(f, req); err != nil {
		return nil, err
	}
	if first := req.Args[0]; first.Ident != "" && first.Key == "" {
		if err := s.named(a, f, req.Args); err != nil {
			return nil, err
		}
		return s.open(ctx, env, f, a)
	}
	if err := a.split(req.Args); err != nil {
		return nil, err
	}
	if err := f.read(a); err != nil {
		return nil, err
	}
	return s.open(ctx, env, f, a)
}

func (s *Sources) open(ctx context.Context, env *functions.Env, f *Form, a *arguments) (*Source, error) {
	out := a.source
	if a.url == "" {
		return nil, cherr.New(cherr.BadArguments, "The path of %s is empty", a.name)
	}
	if f.kind == "" {
		if s.Local == nil {
			return nil, cherr.New(cherr.NotImplemented, "Local files cannot be read")
		}
		out.Store, out.Path = s.Local, a.url
		return &out, nil
	}
	if s.Registry == nil {
		return nil, cherr.New(cherr.NotImplemented, "Object stores cannot be read")
	}
	if err := fromSettings(&a.access, env.Settings); err != nil {
		return nil, err
	}
	kind := f.kind
	if kind == "s3" && objstore.Scheme(a.url) == "" {
		return nil, cherr.New(cherr.BadArguments, "'%s' is not the address of an object store: it needs a scheme, as in https://host/bucket/path or s3://bucket/path", a.url)
	}
	if kind == "s3" { // the address says which service it is
		kind = objstore.Scheme(a.url)
		switch kind {
		case "s3", "s3a", "s3n", "gs", "gcs", "oss", "http", "https":
		default:
			return nil, cherr.New(cherr.BadArguments, "'%s' is not the address of an S3 object store", a.url)
		}
	}
	if kind == "hdfs" && objstore.Scheme(a.url) != "hdfs" {
		return nil, cherr.New(cherr.BadArguments, "The address of a file in HDFS has the form hdfs://host:port/path")
	}
	var err error
	out.access = a.access
	out.Store, out.Path, err = s.Registry.Open(ctx, kind, a.url, &a.access)
	return &out, err
}

// fromSettings adds what the query's settings say.
func fromSettings(a *objstore.Access, s *settings.Settings) error {
	a.Server = s.Bool("s3_allow_server_credentials_in_user_queries") && !a.NoSign && a.KeyID == ""
	if s.Bool("enable_filesystem_cache") {
		a.Cache = s.Get("filesystem_cache_name")
	}
	switch style := s.Get("s3_uri_style"); style {
	case "path", "virtual_hosted":
		path := style == "path"
		a.PathStyle = &path
	}
	if n, err := strconv.Atoi(s.Get("s3_retry_attempts")); err == nil && n > 0 && n != 500 {
		a.Retry.Attempts = n
	}
	if a.RoleARN != "" && a.KeyID == "" && !a.Server {
		return cherr.New(cherr.AccessDenied, "A role is taken with credentials: none were given, and the server's own may not be used (s3_allow_server_credentials_in_user_queries)")
	}
	return nil
}

func (a *arguments) arity(f *Form, req *functions.OpenRequest) error {
	n := 0
	for _, x := range req.Args {
		if x.Call == nil {
			n++
		}
	}
	if len(req.Args) > 0 && req.Args[0].Ident != "" && req.Args[0].Key == "" {
		return nil // a named collection takes any number of keys
	}
	if n == 0 || n > f.max {
		return cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Storage %s requires 1 to %d arguments, %d are given: %s", req.Name, f.max, n, f.help)
	}
	return nil
}

// split takes headers(…) and extra_credentials(…) off, and checks the others.
func (a *arguments) split(args []functions.TableArg) error {
	for _, x := range args {
		switch {
		case x.Key != "":
			return cherr.New(cherr.UnknownIdentifier, "Unknown expression identifier `%s`: key-value arguments need a named collection before them", x.Key)
		case x.Call != nil:
			if err := a.call(x.Call); err != nil {
				return err
			}
			continue
		}
		if _, ok := x.Value.(string); !ok && x.Ident == "" {
			if n, ok := number(x); ok { // partition_columns_in_data_file
				x.Value = n
			} else {
				return cherr.New(cherr.BadArguments, "Arguments of %s must be string literals", a.name)
			}
		}
		a.rest = append(a.rest, x)
	}
	return nil
}

func number(x functions.TableArg) (string, bool) {
	switch v := x.Value.(type) {
	case uint8:
		return strconv.Itoa(int(v)), true
	case uint64:
		return strconv.FormatUint(v, 10), true
	}
	return "", false
}

func (a *arguments) call(c *functions.TableCall) error {
	pair := func(x functions.TableArg) (string, string, error) {
		v, ok := x.Value.(string)
		if x.Key == "" || !ok {
			return "", "", cherr.New(cherr.BadArguments, "%s(…) takes name = 'value'", c.Name)
		}
		return x.Key, v, nil
	}
	for _, x := range c.Args {
		k, v, err := pair(x)
		if err != nil {
			return err
		}
		switch c.Name {
		case "headers":
			if strings.ContainsAny(k+v, "\r\n") {
				return cherr.New(cherr.BadArguments, "A header may not hold line breaks")
			}
			a.access.Headers = append(a.access.Headers, [2]string{k, v})
		case "extra_credentials":
			if !a.extra(k, v) {
				return cherr.New(cherr.BadArguments, "Unknown key `%s` of extra_credentials", k)
			}
		default:
			return cherr.New(cherr.BadArguments, "Unknown function %s among the arguments of %s", c.Name, a.name)
		}
	}
	return nil
}

func (a *arguments) extra(k, v string) bool {
	to, ok := map[string]*string{
		"role_arn": &a.access.RoleARN, "role_session_name": &a.access.RoleSession, "external_id": &a.access.ExternalID, "sts_endpoint_override": &a.access.STSEndpoint,
		"client_id": &a.access.ClientID, "tenant_id": &a.access.TenantID, "client_secret": &a.access.ClientSecret,
	}[k]
	if ok {
		*to = v
	}
	return ok
}

// next takes the next positional argument.
func (a *arguments) next() (string, bool) {
	if len(a.rest) == 0 {
		return "", false
	}
	x := a.rest[0]
	a.rest = a.rest[1:]
	if s, ok := x.Value.(string); ok {
		return s, true
	}
	return x.Ident, true
}

// peek looks at the next positional argument.
func (a *arguments) peek() (string, bool) {
	rest := a.rest
	s, ok := a.next()
	a.rest = rest
	return s, ok
}

// formats takes format[, structure[, compression[, …]]].
func (a *arguments) formats() {
	for _, to := range []*string{&a.source.Format, &a.source.Structure, &a.source.Compression} {
		if s, ok := a.next(); ok && !strings.EqualFold(s, "auto") {
			*to = s
		}
	}
}

func isFormat(s string) bool {
	if strings.EqualFold(s, "auto") {
		return true
	}
	_, err := format.Lookup(s)
	return err == nil
}

// Local is path[, format[, structure[, compression_method]]].
var Local = &Form{
	keys: localKeys, required: "path", max: 4, help: "path[, format[, structure[, compression_method]]]",
	read: func(a *arguments) error {
		a.url, _ = a.next()
		a.formats()
		return nil
	},
}
