package functions

import (
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/types"
)

// ParseAggregate reads "name" or "name(parameters)"; the parameters are
// numbers and strings.
func ParseAggregate(text string) (name string, params []Param, err error) {
	name, rest, ok := strings.Cut(text, "(")
	if !ok {
		return text, nil, nil
	}
	rest, ok = strings.CutSuffix(rest, ")")
	if !ok {
		return "", nil, cherr.New(cherr.BadArguments, "Incorrect name of aggregate function '%s'", text)
	}
	for _, p := range splitParams(rest) {
		param, ok := parseParam(p)
		if !ok {
			return "", nil, cherr.New(cherr.BadArguments, "Incorrect parameter %s of aggregate function '%s'", p, text)
		}
		params = append(params, param)
	}
	return strings.TrimSpace(name), params, nil
}

func splitParams(s string) []string {
	var out []string
	quoted, from := false, 0
	for i := range len(s) {
		switch {
		case s[i] == '\'' && (i == 0 || s[i-1] != '\\'):
			quoted = !quoted
		case s[i] == ',' && !quoted:
			out = append(out, strings.TrimSpace(s[from:i]))
			from = i + 1
		}
	}
	if last := strings.TrimSpace(s[from:]); last != "" {
		out = append(out, last)
	}
	return out
}

func parseParam(s string) (Param, bool) {
	if len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'' {
		return Param{Type: types.String, Value: strings.ReplaceAll(s[1:len(s)-1], `\'`, `'`), Text: s}, true
	}
	if v, err := strconv.ParseUint(s, 10, 64); err == nil {
		return Param{Type: types.UInt64, Value: v, Text: s}, true
	}
	if v, err := strconv.ParseInt(s, 10, 64); err == nil {
		return Param{Type: types.Int64, Value: v, Text: s}, true
	}
	v, err := strconv.ParseFloat(s, 64)
	return Param{Type: types.Float64, Value: v, Text: s}, err == nil
}

// BindMerge binds what merges states of a type AggregateFunction(…) into one.
func (r *Registry) BindMerge(env *Env, t *types.Type) (*BoundAggregate, error) {
	params, err := stateParams(t)
	if err != nil {
		return nil, err
	}
	return r.BindAggregate(env, t.Aggregate().Function+"MergeState", params, []*types.Type{t})
}

// BindState binds the function whose states a type AggregateFunction(…) holds.
func (r *Registry) BindState(env *Env, t *types.Type) (*BoundAggregate, error) {
	params, err := stateParams(t)
	if err != nil {
		return nil, err
	}
	return r.BindAggregate(env, t.Aggregate().Function, params, t.Elems())
}

func stateParams(t *types.Type) ([]Param, error) {
	spec := t.Aggregate()
	params := make([]Param, len(spec.Params))
	for i, text := range spec.Params {
		p, ok := parseParam(text)
		if !ok {
			return nil, cherr.New(cherr.BadArguments, "Incorrect parameter %s of aggregate function '%s'", text, spec.Function)
		}
		params[i] = p
	}
	return params, nil
}
