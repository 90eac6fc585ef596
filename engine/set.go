package engine

import (
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/settings"
)

// joinedSettings is the session's settings with those that came with the query
// and those of the statement's SETTINGS.
func (s *Session) joinedSettings(q *Query, stmt ast.Statement) (*settings.Settings, error) {
	set := s.Settings()
	var err error
	for _, x := range q.Settings {
		if s.isCustom(x.Name) {
			continue
		}
		if set, err = s.checked(set, x.Name, x.Value); err != nil {
			return nil, err
		}
	}
	if q.ReadOnly && set.Get("readonly") == "0" {
		if set, err = set.With("readonly", "2"); err != nil {
			return nil, err
		}
	}
	for _, x := range clauseSettings(stmt) {
		if s.isCustom(x.Name) {
			continue
		}
		if x.Default {
			set = set.WithDefault(x.Name)
			continue
		}
		value, err := settingText(x.Value)
		if err != nil {
			return nil, err
		}
		if set, err = s.checked(set, x.Name, value); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// isCustom tells whether a setting is a user's own: names with a dot or the
// prefixes that ClickHouse's default configuration allows.
func (s *Session) isCustom(name string) bool {
	return strings.HasPrefix(name, "SQL_") || strings.HasPrefix(name, "custom_") || strings.HasPrefix(name, "param_")
}

// clauseSettings gives the SETTINGS of a statement that hold for the whole
// query: a SELECT's own, and those behind FORMAT.
func clauseSettings(stmt ast.Statement) []*ast.Setting {
	switch n := stmt.(type) {
	case *ast.QueryStatement:
		return append(querySettings(n.Query), n.OutputSettings...)
	case *ast.Insert:
		out := append([]*ast.Setting(nil), n.Settings...)
		if n.Query != nil {
			out = append(out, querySettings(n.Query)...)
		}
		return append(out, n.OutputSettings...)
	case *ast.Explain:
		if n.Statement != nil {
			return append(clauseSettings(n.Statement), n.OutputSettings...)
		}
	case *ast.Describe:
		return append(append([]*ast.Setting(nil), n.Settings...), n.OutputSettings...)
	case *ast.Show:
		return n.OutputSettings
	case *ast.Delete:
		return n.Settings
	case *ast.Update:
		return n.Settings
	case *ast.Merge:
		return n.Settings
	case *ast.Optimize:
		return n.Settings
	case *ast.Alter:
		return n.OutputSettings
	case *ast.Drop:
		return n.OutputSettings
	case *ast.CreateTable:
		if n.AsQuery != nil {
			return querySettings(n.AsQuery)
		}
	}
	return nil
}

func querySettings(q ast.Query) []*ast.Setting {
	switch n := q.(type) {
	case *ast.Select:
		return append([]*ast.Setting(nil), n.Settings...)
	case *ast.SelectUnion:
		// Written last, they stand in the last SELECT and hold for all.
		return querySettings(n.Inputs[len(n.Inputs)-1])
	}
	return nil
}

// setStatement is SET.
func (r *run) setStatement(n *ast.Set) error {
	for _, x := range n.Settings {
		if x.Default {
			r.s.mu.Lock()
			r.s.settings = r.s.settings.WithDefault(x.Name)
			r.s.mu.Unlock()
			continue
		}
		value, err := settingText(x.Value)
		if err != nil {
			return err
		}
		if r.s.isCustom(x.Name) {
			r.s.setCustom(x.Name, value)
			continue
		}
		if err := r.s.Set(x.Name, value); err != nil {
			return err
		}
	}
	for _, p := range n.Params {
		value, err := settingText(p.Value)
		if err != nil {
			return err
		}
		r.s.setCustom("param_"+p.Name, value)
	}
	return nil
}

func (s *Session) setCustom(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.custom[name] = value
}

// Custom gives a user's own setting of the session.
func (s *Session) Custom(name string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.custom[name]
	return v, ok
}

// settingText gives a setting's value as text.
func settingText(e ast.Expr) (string, error) {
	switch v := e.(type) {
	case *ast.Literal:
		switch v.Kind {
		case ast.String:
			return v.Text, nil
		case ast.Uint:
			return strconv.FormatUint(v.Uint, 10), nil
		case ast.Int:
			return strconv.FormatInt(v.Int, 10), nil
		case ast.Float:
			return strconv.FormatFloat(v.Float, 'g', -1, 64), nil
		case ast.Bool:
			if v.Uint != 0 {
				return "1", nil
			}
			return "0", nil
		case ast.Null:
			return "", nil
		}
		return v.Text, nil
	case *ast.Identifier:
		return strings.Join(v.Parts, "."), nil
	case *ast.Function:
		return ast.Format(v), nil
	}
	return "", cherr.New(cherr.BadArguments, "A setting's value must be a literal")
}
