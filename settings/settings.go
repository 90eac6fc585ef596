package settings

import (
	"maps"
	"sort"
	"strconv"
	"strings"

	"lakeserver/cherr"
)

// Kind is the type of a setting's value.
type Kind uint8

// The kinds, with ClickHouse's names for them in system.settings.
const (
	Bool   Kind = iota // "0" or "1"
	UInt64             // digits; "auto(n)" for MaxThreads
	Int64
	Float
	String
	Seconds // digits, may have a fraction
	Milliseconds
	Enum // one of a few words
	Map
)

// Definition describes one setting.
type Definition struct {
	Name    string
	Kind    Kind
	Type    string // as system.settings names it
	Default string
	Doc     string
	Honored bool // false: accepted, without effect
}

// Settings are the values that a session or query changed, over the defaults.
// A Settings is immutable; With and its like give new ones.
type Settings struct{ changed map[string]string }

// Default has nothing changed.
func Default() *Settings { return &Settings{} }

// Get gives a setting's text; unknown names give "".
func (s *Settings) Get(name string) string {
	if s != nil {
		if v, ok := s.changed[name]; ok {
			return v
		}
	}
	if d, ok := Lookup(name); ok {
		return d.Default
	}
	return ""
}

// Bool gives a boolean setting.
func (s *Settings) Bool(name string) bool { return s.Get(name) == "1" }

// Uint gives an unsigned setting; 0 when its text is not a number.
func (s *Settings) Uint(name string) uint64 {
	v, _ := strconv.ParseUint(s.Get(name), 10, 64)
	return v
}

// Int gives a signed setting.
func (s *Settings) Int(name string) int64 {
	v, _ := strconv.ParseInt(s.Get(name), 10, 64)
	return v
}

// Float gives a fractional setting, also of Seconds.
func (s *Settings) Float(name string) float64 {
	v, _ := strconv.ParseFloat(s.Get(name), 64)
	return v
}

// Changed tells whether a value was given.
func (s *Settings) Changed(name string) bool {
	_, ok := s.changed[name]
	return ok
}

// Names gives the changed names in order.
func (s *Settings) Names() []string {
	out := make([]string, 0, len(s.changed))
	for n := range s.changed {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// With gives settings with one more value; UNKNOWN_SETTING and
// CANNOT_PARSE_… errors as in ClickHouse. Names of custom settings
// (custom_prefix settings, param_) are the session's business.
func (s *Settings) With(name, value string) (*Settings, error) {
	d, ok := Lookup(name)
	if !ok {
		return nil, cherr.New(cherr.UnknownSetting, "Unknown setting '%s'", name)
	}
	text, err := d.normalize(value)
	if err != nil {
		return nil, err
	}
	if text == "0" && (name == "enable_analyzer" || name == "allow_experimental_analyzer") {
		return nil, cherr.New(cherr.SettingConstraintViolation, "Setting '%s' cannot be disabled: there is no other way of query analysis", name)
	}
	out := &Settings{changed: maps.Clone(s.changed)}
	if out.changed == nil {
		out.changed = map[string]string{}
	}
	out.changed[d.Name] = text
	return out, nil
}

// WithDefault gives settings with a value back at its default.
func (s *Settings) WithDefault(name string) *Settings {
	out := &Settings{changed: maps.Clone(s.changed)}
	delete(out.changed, name)
	return out
}

// normalize checks a value and gives its canonical text.
func (d *Definition) normalize(v string) (string, error) {
	switch d.Kind {
	case Bool:
		switch strings.ToLower(v) {
		case "1", "true":
			return "1", nil
		case "0", "false":
			return "0", nil
		}
		return "", cherr.New(cherr.CannotParseBool, "Cannot parse bool from string '%s' (setting %s)", v, d.Name)
	case UInt64, Milliseconds:
		return d.normalizeUint(v)
	case Int64:
		if _, err := strconv.ParseInt(v, 10, 64); err != nil {
			return "", cherr.New(cherr.CannotParseInputAssertionFailed, "Cannot parse integer from string '%s' (setting %s)", v, d.Name)
		}
	case Float, Seconds:
		if _, err := strconv.ParseFloat(v, 64); err != nil {
			return "", cherr.New(cherr.CannotParseNumber, "Cannot parse number from string '%s' (setting %s)", v, d.Name)
		}
	}
	return v, nil
}

func (d *Definition) normalizeUint(v string) (string, error) {
	switch v {
	case "true":
		return "1", nil
	case "false":
		return "0", nil
	}
	if strings.HasPrefix(v, "auto") {
		return d.Default, nil
	}
	if n, err := strconv.ParseUint(v, 10, 64); err == nil {
		return strconv.FormatUint(n, 10), nil
	}
	if f, err := strconv.ParseFloat(v, 64); err == nil && f >= 0 && f < 1<<64 {
		return strconv.FormatUint(uint64(f), 10), nil
	}
	return "", cherr.New(cherr.CannotParseInputAssertionFailed, "Cannot parse unsigned integer from string '%s' (setting %s)", v, d.Name)
}
