package iceberg_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
	write "lakeserver/write/iceberg"
)

// evolutionCase is one entry of testdata/evolution.json, written by PyIceberg
// (testdata/evolution.py).
type evolutionCase struct {
	Name    string                       `json:"name"`
	Base    json.RawMessage              `json:"base"`
	Commits [][][]json.RawMessage        `json:"commits"`
	After   []map[string]json.RawMessage `json:"after"`
}

// stricter are changes that PyIceberg lets pass and the spec forbids: a
// decimal's scale is fixed, two transforms of time over one column are one too many.
var stricter = map[string]bool{"decimal scale v2": true, "spec redundant v2": true}

// TestEvolutionAsPyIceberg: the same changes give the same schemas and specs,
// ids and all, or are refused by both.
func TestEvolutionAsPyIceberg(t *testing.T) {
	text, err := os.ReadFile("testdata/evolution.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []evolutionCase
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 50 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) { c.run(t) })
	}
}

func (c *evolutionCase) run(t *testing.T) {
	m, err := iceberg.ParseMetadata("m", c.Base)
	if err != nil {
		t.Fatal(err)
	}
	for i, after := range c.After {
		a := &write.Alteration{Steps: func(e *write.Evolution) error { return steps(e, c.Commits[i]) }}
		change, err := a.Plan(t.Context(), m)
		if after["error"] != nil || stricter[c.Name] {
			if code := cherr.CodeOf(err); err == nil || code != cherr.BadArguments && code != cherr.DuplicateColumn && code != cherr.NotFoundColumnInBlock {
				t.Errorf("PyIceberg refuses it (%s), here: %v", after["error"], err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := iceberg.CheckAll(change.Requirements, m); err != nil {
			t.Fatal(err)
		}
		b := iceberg.NewBuilder(m)
		if err := b.Apply(change.Updates...); err != nil {
			t.Fatal(err)
		}
		if m, err = b.Build(); err != nil {
			t.Fatal(err)
		}
		out, err := iceberg.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]json.RawMessage
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		for key, want := range after {
			if g, w := canon(t, got[key]), canon(t, want); !reflect.DeepEqual(g, w) {
				t.Errorf("commit %d, %s:\n%v\nPyIceberg has\n%v", i, key, g, w)
			}
		}
	}
}

// canon drops what the two write differently and means the same: PyIceberg
// stores an empty list of identifiers and an empty doc.
func canon(t *testing.T, text json.RawMessage) any {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var walk func(v any) any
	walk = func(v any) any {
		switch x := v.(type) {
		case map[string]any:
			for k, e := range x {
				if l, ok := e.([]any); ok && k == "identifier-field-ids" && len(l) == 0 || k == "doc" && e == "" {
					delete(x, k)
					continue
				}
				if s, ok := e.(string); ok && k == "type" {
					x[k] = strings.ReplaceAll(s, " ", "")
					continue
				}
				x[k] = walk(e)
			}
		case []any:
			for i := range x {
				x[i] = walk(x[i])
			}
		}
		return v
	}
	return walk(v)
}

func steps(e *write.Evolution, ops [][]json.RawMessage) error {
	for _, op := range ops {
		if err := step(e, op); err != nil {
			return err
		}
	}
	return nil
}

func step(e *write.Evolution, op []json.RawMessage) error { // long: one case a step
	arg := func(i int) string {
		var s string
		if i < len(op) {
			_ = json.Unmarshal(op[i], &s)
		}
		return s
	}
	path := strings.Split(arg(1), ".")
	switch arg(0) {
	case "add":
		f := parseField(op[2])
		return e.Add(write.NewColumn{Path: path, Type: f.Type, Required: f.Required, Doc: arg(3)})
	case "first":
		return e.Move(path, write.Place{First: true})
	case "after":
		after := strings.Split(arg(2), ".")
		return e.Move(path, write.Place{After: after[len(after)-1]})
	case "drop":
		return e.Drop(path)
	case "rename":
		return e.Rename(path, []string{arg(2)})
	case "type":
		f, err := e.Find(path)
		if err != nil {
			return err
		}
		return e.SetType(path, parseField(op[2]).Type, f.Required)
	case "optional":
		f, err := e.Find(path)
		if err != nil {
			return err
		}
		return e.SetType(path, f.Type, false)
	case "doc":
		return e.Comment(path, arg(2))
	case "identifiers":
		var paths [][]string
		for i := 1; i < len(op); i++ {
			paths = append(paths, strings.Split(arg(i), "."))
		}
		return e.SetIdentifiers(paths)
	case "part":
		return e.AddPartitionField(path, iceberg.ParseTransform(arg(2)), "")
	case "unpart":
		return e.DropPartitionFieldNamed(arg(1))
	}
	return fmt.Errorf("unknown step %s", arg(0))
}

// parseField reads a type; a ! behind its name makes it required.
func parseField(text json.RawMessage) iceberg.Field {
	required := strings.HasSuffix(string(text), `!"`)
	text = json.RawMessage(strings.Replace(string(text), `!"`, `"`, 1))
	s := &iceberg.Schema{}
	if err := json.Unmarshal([]byte(fmt.Sprintf(`{"fields":[{"id":1,"name":"x","required":%t,"type":%s}]}`, required, text)), s); err != nil {
		panic(err)
	}
	return s.Fields[0]
}
