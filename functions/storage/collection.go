package storage

import (
	"sort"
	"strings"

	"lakeserver/cherr"
	"lakeserver/collections"
	"lakeserver/functions"
)

// named reads name[, key = value, …]: the keys of a collection, and what the
// call gives in their place.
func (s *Sources) named(a *arguments, f *Form, args []functions.TableArg) error {
	name := args[0].Ident
	c, ok := s.Collections.Lookup(name)
	if !ok {
		return cherr.New(cherr.NamedCollectionDoesntExist, "There is no named collection `%s`", name)
	}
	values := map[string]string{}
	for _, k := range c.Keys {
		values[k.Name] = k.Value
	}
	for _, x := range args[1:] {
		if x.Call != nil {
			if err := a.call(x.Call); err != nil {
				return err
			}
			continue
		}
		if err := override(c, values, x); err != nil {
			return err
		}
	}
	for k := range values {
		if _, ok := f.keys[k]; !ok {
			return cherr.New(cherr.BadArguments, "Unexpected key `%s` in named collection. Known keys: %s", k, strings.Join(f.keyNames(), ", "))
		}
	}
	for k, v := range values {
		f.keys[k](a, v)
	}
	if a.url == "" {
		return cherr.New(cherr.BadArguments, "No such key `%s`.", f.required)
	}
	if a.filename != "" {
		if !strings.HasSuffix(a.url, "/") {
			a.url += "/"
		}
		a.url += strings.TrimPrefix(a.filename, "/")
	}
	return nil
}

func override(c *collections.Collection, values map[string]string, x functions.TableArg) error {
	if x.Key == "" {
		return cherr.New(cherr.BadArguments, "Behind the named collection `%s` arguments are written as key = value", c.Name)
	}
	if k, ok := c.Get(x.Key); ok && k.Overridable != nil && !*k.Overridable {
		return cherr.New(cherr.BadArguments, "Override not allowed for '%s'", x.Key)
	}
	v, ok := x.Value.(string)
	if !ok {
		if n, isNumber := number(x); isNumber {
			v, ok = n, true
		} else if x.Ident != "" {
			v, ok = x.Ident, true
		}
	}
	if !ok {
		return cherr.New(cherr.BadArguments, "The value of `%s` must be a constant string", x.Key)
	}
	values[x.Key] = v
	return nil
}

func (f *Form) keyNames() []string {
	out := make([]string, 0, len(f.keys))
	for k := range f.keys {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// unlessAuto keeps a word that is not "auto".
func unlessAuto(to *string, v string) {
	if !strings.EqualFold(v, "auto") {
		*to = v
	}
}

// setters put the value of a key into its place.
type setters map[string]func(a *arguments, v string)

// fileKeys are the keys of all forms, with more.
func fileKeys(more setters) setters {
	more["format"] = func(a *arguments, v string) { unlessAuto(&a.source.Format, v) }
	more["structure"] = func(a *arguments, v string) { unlessAuto(&a.source.Structure, v) }
	more["compression_method"] = func(a *arguments, v string) { unlessAuto(&a.source.Compression, v) }
	more["compression"] = more["compression_method"]
	more["partition_strategy"] = func(*arguments, string) {}
	more["partition_columns_in_data_file"] = func(*arguments, string) {}
	return more
}

var localKeys = fileKeys(setters{"path": func(a *arguments, v string) { a.url = v }})

var s3Keys = fileKeys(setters{
	"url":                   func(a *arguments, v string) { a.url = v },
	"filename":              func(a *arguments, v string) { a.filename = v },
	"access_key_id":         func(a *arguments, v string) { a.access.KeyID = v },
	"secret_access_key":     func(a *arguments, v string) { a.access.Secret = v },
	"session_token":         func(a *arguments, v string) { a.access.Token = v },
	"no_sign_request":       func(a *arguments, v string) { a.access.NoSign = v == "1" || strings.EqualFold(v, "true") },
	"region":                func(a *arguments, v string) { a.access.Region = v },
	"endpoint":              func(a *arguments, v string) { a.access.Endpoint = v },
	"role_arn":              func(a *arguments, v string) { a.access.RoleARN = v },
	"role_session_name":     func(a *arguments, v string) { a.access.RoleSession = v },
	"external_id":           func(a *arguments, v string) { a.access.ExternalID = v },
	"sts_endpoint_override": func(a *arguments, v string) { a.access.STSEndpoint = v },
})
