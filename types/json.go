package types

import (
	"sort"
	"strconv"
	"strings"

	"lakeserver/cherr"
)

// JSONSpec is what stands in the parentheses of a JSON type.
type JSONSpec struct {
	MaxPaths, MaxTypes int
	Skip               []string // paths that are left out, with all below them
	SkipRegexp         []string
}

const defaultJSONPaths = 1024

// JSON is the type of JSON objects.
var JSON = JSONOf(nil, nil, JSONSpec{MaxPaths: defaultJSONPaths, MaxTypes: defaultDynamicTypes})

// JSONElement is the type of the objects within arrays of JSON.
var JSONElement = JSONOf(nil, nil, JSONSpec{MaxPaths: defaultJSONPaths / 4, MaxTypes: defaultDynamicTypes / 2})

// JSONOf makes a JSON type in which some paths have types of their own.
func JSONOf(paths []string, ts []*Type, spec JSONSpec) *Type {
	t := &Type{kind: KindJSON, names: paths, elems: ts, json: &spec}
	var args []string
	if spec.MaxTypes != defaultDynamicTypes {
		args = append(args, "max_dynamic_types="+strconv.Itoa(spec.MaxTypes))
	}
	if spec.MaxPaths != defaultJSONPaths {
		args = append(args, "max_dynamic_paths="+strconv.Itoa(spec.MaxPaths))
	}
	order := make([]int, len(paths))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return paths[order[a]] < paths[order[b]] })
	t.names, t.elems = nil, nil
	for _, i := range order {
		t.names, t.elems = append(t.names, paths[i]), append(t.elems, ts[i])
		args = append(args, backquoteIfNeeded(paths[i])+" "+ts[i].name)
	}
	for _, s := range spec.Skip {
		args = append(args, "SKIP "+backquoteIfNeeded(s))
	}
	for _, s := range spec.SkipRegexp {
		args = append(args, "SKIP REGEXP "+quote(s))
	}
	t.name = "JSON"
	if len(args) > 0 {
		t.name += "(" + strings.Join(args, ", ") + ")"
	}
	return t
}

// JSONSpec gives a JSON type's parameters; nil for other types.
func (t *Type) JSONSpec() *JSONSpec { return t.json }

func makeJSON(p *typeParser, depth int, open bool, _ string) (*Type, error) {
	spec := JSONSpec{MaxPaths: defaultJSONPaths, MaxTypes: defaultDynamicTypes}
	if !open {
		return JSON, nil
	}
	var paths []string
	var ts []*Type
	for first := true; p.peek() != ')'; first = false {
		if !first && !p.eat(',') {
			return nil, p.syntax()
		}
		path, err := p.path()
		if err != nil {
			return nil, err
		}
		switch {
		case (path == "max_dynamic_paths" || path == "max_dynamic_types") && p.eat('='):
			n, err := p.integer()
			if err != nil {
				return nil, err
			}
			if path == "max_dynamic_paths" {
				spec.MaxPaths = n
			} else {
				spec.MaxTypes = n
			}
		case strings.EqualFold(path, "SKIP"):
			if err := p.skipPath(&spec); err != nil {
				return nil, err
			}
		default:
			t, err := p.parse(depth + 1)
			if err != nil {
				return nil, err
			}
			for _, have := range paths {
				if have == path {
					return nil, cherr.New(cherr.BadArguments, "Found duplicated path with specified type: %s", path)
				}
			}
			paths, ts = append(paths, path), append(ts, t)
		}
	}
	return JSONOf(paths, ts, spec), nil
}

func (p *typeParser) skipPath(spec *JSONSpec) error {
	at := p.pos
	if strings.EqualFold(p.word(), "REGEXP") && p.peek() == '\'' {
		re, err := p.quoted('\'')
		spec.SkipRegexp = append(spec.SkipRegexp, re)
		return err
	}
	p.pos = at
	path, err := p.path()
	spec.Skip = append(spec.Skip, path)
	return err
}

// path takes names between dots.
func (p *typeParser) path() (string, error) {
	var parts []string
	for {
		n, err := p.name()
		if err != nil || n == "" {
			return "", p.syntax()
		}
		parts = append(parts, n)
		if p.pos >= len(p.text) || p.text[p.pos] != '.' {
			return strings.Join(parts, "."), nil
		}
		p.pos++
	}
}
