package variants

import (
	"context"
	"sort"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// which says which paths of an object are asked for.
type which uint8

const (
	allPaths which = iota
	dynamicPaths
	sharedPaths
)

var (
	_ = addPaths("JSONAllPaths", allPaths, false, "All paths of an object.")
	_ = addPaths("JSONAllPathsWithTypes", allPaths, true, "All paths of an object with their types.")
	_ = addPaths("JSONDynamicPaths", dynamicPaths, false, "The paths of an object that stand in columns of their own.")
	_ = addPaths("JSONDynamicPathsWithTypes", dynamicPaths, true, "The paths of an object that stand in columns of their own, with their types.")
	_ = addPaths("JSONSharedDataPaths", sharedPaths, false, "The paths of an object beyond those that stand in columns of their own.")
	_ = addPaths("JSONSharedDataPathsWithTypes", sharedPaths, true, "The paths of an object beyond those that stand in columns of their own, with their types.")
)

func addPaths(name string, w which, withTypes bool, summary string) bool {
	return add(functions.Scalar{
		Name: name, MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: name + "(json)", Summary: summary, Examples: []string{"SELECT " + name + "(CAST('{\"a\": 5}', 'JSON'))"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			t := args[0].Type
			if t.Kind() != types.KindJSON {
				return nil, cherr.New(cherr.IllegalTypeOfArgument, "Function %s requires argument with type JSON, got: %s", name, t)
			}
			result := types.Array(types.String)
			if withTypes {
				result = types.Map(types.String, types.String)
			}
			return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
				return pathsOf(t, column.Full(args[0]).(*column.Str), w, withTypes)
			}}, nil
		},
	})
}

func pathsOf(t *types.Type, s *column.Str, w which, withTypes bool) (column.Column, error) {
	names, kinds := &column.Str{}, &column.Str{}
	offsets := make([]uint64, 1, s.Len()+1)
	own, err := apart(t, s)
	if err != nil {
		return nil, err
	}
	for i := range s.Len() {
		paths, err := text.JSONPaths(s.At(i))
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			typed := isTyped(t, p.Path)
			if w != allPaths && (typed || own[p.Path] != (w == dynamicPaths)) {
				continue
			}
			names.AppendString(p.Path)
			kinds.AppendString(text.JSONPathType(t, p).String())
		}
		offsets = append(offsets, uint64(names.Len()))
	}
	if withTypes {
		return &column.Map{Offsets: offsets, Keys: names, Values: kinds}, nil
	}
	return &column.Array{Offsets: offsets, Elems: names}, nil
}

func isTyped(t *types.Type, path string) bool {
	for _, n := range t.Names() {
		if n == path {
			return true
		}
	}
	return false
}

// apart gives the paths that have columns of their own: the first ones that
// came, up to the type's number of them.
func apart(t *types.Type, s *column.Str) (map[string]bool, error) {
	own := map[string]bool{}
	most := t.JSONSpec().MaxPaths
	for i := 0; i < s.Len() && len(own) < most; i++ {
		paths, err := text.JSONPaths(s.At(i))
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			if len(own) < most && !isTyped(t, p.Path) {
				own[p.Path] = true
			}
		}
	}
	return own, nil
}

// bindJSONPath takes a path of each object: as its own type where the JSON type
// names one, else as Dynamic; ^path is the object below, path.:`T` the values
// of type T.
func bindJSONPath(env *functions.Env, t *types.Type, name string) (*expr.Function, error) {
	if below, ok := strings.CutPrefix(name, "^"); ok {
		return bindBelow(env, t, unquotePath(below)), nil
	}
	path, typeName, cast := strings.Cut(name, ".:")
	rest := ""
	if cast {
		typeName, rest = typeAndRest(typeName)
	} else if i := strings.Index(path, "[]"); i >= 0 {
		typeName, rest, cast = "Array(JSON)", strings.TrimPrefix(path[i+2:], "."), true
		for strings.HasPrefix(rest, "[]") {
			typeName, rest = "Array("+typeName+")", strings.TrimPrefix(rest[2:], ".")
		}
		path = path[:i]
	}
	path = unquotePath(path)
	f := dynamicPath(env, t, path)
	for i, n := range t.Names() {
		if n == path {
			f = typedPath(env, t.Elems()[i], path)
		} else if deeper, ok := strings.CutPrefix(path, n+"."); ok {
			return then(env, typedPath(env, t.Elems()[i], n), deeper)
		}
	}
	if !cast {
		return f, nil
	}
	want, err := types.Parse(strings.ReplaceAll(typeName, "(JSON)", "("+types.JSONElement.String()+")"))
	if err != nil {
		return nil, err
	}
	if f.Result.Kind() != types.KindDynamic {
		if !f.Result.Equal(want) {
			return nil, cherr.New(cherr.UnknownIdentifier, "There is no subcolumn %s in type %s", name, t)
		}
	} else {
		whole := f
		f = &expr.Function{Result: resultOf(want), Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			c, err := whole.Kernel(ctx, args, rows)
			if err != nil {
				return nil, err
			}
			return Element(c, want), nil
		}}
	}
	if rest == "" {
		return f, nil
	}
	return then(env, f, rest)
}

// typeAndRest cuts `Type`.rest.
func typeAndRest(s string) (typeName, rest string) {
	if s != "" && s[0] == '`' {
		if end := strings.IndexByte(s[1:], '`'); end >= 0 {
			return s[1 : end+1], strings.TrimPrefix(s[end+2:], ".")
		}
	}
	depth := 0
	for i := range len(s) {
		switch {
		case s[i] == '(':
			depth++
		case s[i] == ')':
			depth--
		case s[i] == '.' && depth == 0:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

func unquotePath(path string) string { return strings.ReplaceAll(path, "`", "") }

// find gives the value of a path in an object that stands in its one form.
func find(src []byte, path string) []byte {
	paths, err := text.JSONPaths(src)
	if err != nil {
		return nil
	}
	at := sort.Search(len(paths), func(i int) bool { return paths[i].Path >= path })
	if at < len(paths) && paths[at].Path == path {
		return paths[at].Value
	}
	return nil
}

func dynamicPath(env *functions.Env, t *types.Type, path string) *expr.Function {
	result := types.Dynamic
	if n := t.JSONSpec().MaxTypes; n != types.Dynamic.MaxTypes() {
		result = types.DynamicOf(n)
	}
	return &expr.Function{Result: result, Kernel: readPaths(env, result, path)}
}

func typedPath(env *functions.Env, t *types.Type, path string) *expr.Function {
	return &expr.Function{Result: t, Kernel: readPaths(env, t, path)}
}

func readPaths(env *functions.Env, t *types.Type, path string) func(context.Context, []column.Column, int) (column.Column, error) {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		values, null := column.SplitNulls(column.Full(args[0]))
		s := values.(*column.Str)
		r := text.NewReader(t, text.JSON, &text.Options{Zone: env.Zone})
		for i := range s.Len() {
			v := find(s.At(i), path)
			if v == nil || null != nil && null[i] != 0 {
				r.AppendDefault()
				continue
			}
			if _, err := r.Read(v); err != nil {
				return nil, err
			}
		}
		return r.Finish(), nil
	}
}

// bindBelow gives the object that stands under a path.
func bindBelow(env *functions.Env, t *types.Type, path string) *expr.Function {
	spec := *t.JSONSpec()
	var names []string
	var ts []*types.Type
	for i, n := range t.Names() {
		if rest, ok := strings.CutPrefix(n, path+"."); ok {
			names, ts = append(names, rest), append(ts, t.Elems()[i])
		}
	}
	spec.Skip, spec.SkipRegexp = nil, nil
	result := types.JSONOf(names, ts, spec)
	return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		s := column.Full(args[0]).(*column.Str)
		r := text.NewReader(result, text.JSON, &text.Options{Zone: env.Zone})
		var doc []byte
		for i := range s.Len() {
			paths, err := text.JSONPaths(s.At(i))
			if err != nil {
				return nil, err
			}
			doc = append(doc[:0], '{')
			for _, p := range paths {
				rest, ok := strings.CutPrefix(p.Path, path+".")
				if !ok {
					continue
				}
				if len(doc) > 1 {
					doc = append(doc, ',')
				}
				doc = append(append(text.AppendJSON(doc, []byte(rest), true), ':'), p.Value...)
			}
			if _, err := r.Read(append(doc, '}')); err != nil {
				return nil, err
			}
		}
		return r.Finish(), nil
	}}
}

// bindArrayPath takes a path of the objects of an array.
func bindArrayPath(env *functions.Env, t *types.Type, name string) (*expr.Function, error) {
	depth := 0
	for t.Kind() == types.KindArray {
		t = t.Elem()
		depth++
	}
	label := column.FromValue(types.String, name, 1)
	f, err := bindSubcolumn(env, []functions.Arg{{Type: t}, {Type: types.String, Const: label.Value}})
	if err != nil {
		return nil, err
	}
	result := f.Result
	for range depth {
		result = types.Array(result)
	}
	return &expr.Function{Result: result, Kernel: func(ctx context.Context, args []column.Column, _ int) (column.Column, error) {
		var failed error
		out := within(column.Full(args[0]), depth, func(c column.Column) column.Column {
			v, err := f.Kernel(ctx, []column.Column{c, column.NewConst(label, c.Len())}, c.Len())
			if err != nil {
				failed = err
				return column.Default(f.Result, c.Len())
			}
			return column.Full(v)
		})
		return out, failed
	}}, nil
}
