package sqltest

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

// Case is one query with what is expected of it.
type Case struct {
	Line     int
	Comments []string // lines before it, with their #
	Kind     string   // query, error, statement
	Rowsort  bool
	Types    bool // a line of types comes before the rows
	Own      bool // the answer is ours (EXPLAIN of our plans, statements of ours alone), never asked of ClickHouse
	Settings []string
	Code     string // of an error case
	SQL      string
	Answer   []string
	Skip     string // reason
}

// emptyRow stands for a row without any character, for an empty line ends an answer.
const emptyRow = "(empty)"

// Read parses a file.
func Read(path string) ([]Case, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []Case
	lines := strings.Split(string(text), "\n")
	var comments []string
	for i := 0; i < len(lines); {
		line := lines[i]
		switch {
		case strings.TrimSpace(line) == "":
			i++
		case strings.HasPrefix(line, "#"):
			comments = append(comments, line)
			i++
		default:
			c, next, err := readCase(lines, i)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
			}
			c.Comments, comments = comments, nil
			out = append(out, c)
			i = next
		}
	}
	return out, nil
}

func readCase(lines []string, i int) (Case, int, error) {
	words := strings.Fields(lines[i])
	c := Case{Line: i + 1, Kind: words[0]}
	for _, w := range words[1:] {
		switch {
		case w == "rowsort":
			c.Rowsort = true
		case w == "types":
			c.Types = true
		case w == "own":
			c.Own = true
		case c.Kind == "error" && c.Code == "":
			c.Code = w
		case strings.Contains(w, "="):
			c.Settings = append(c.Settings, w)
		default:
			return c, 0, fmt.Errorf("unknown word %q", w)
		}
	}
	if c.Kind != "query" && c.Kind != "error" && c.Kind != "statement" && c.Kind != "skip" {
		return c, 0, fmt.Errorf("unknown kind %q", c.Kind)
	}
	i++
	var sql []string
	for i < len(lines) && lines[i] != "----" && strings.TrimSpace(lines[i]) != "" {
		sql = append(sql, lines[i])
		i++
	}
	c.SQL = strings.Join(sql, "\n")
	if i < len(lines) && lines[i] == "----" {
		i++
		for i < len(lines) && lines[i] != "" {
			if lines[i] == emptyRow {
				lines[i] = ""
			}
			c.Answer = append(c.Answer, lines[i])
			i++
		}
	}
	if c.Rowsort {
		sort.Strings(c.Answer)
	}
	return c, i, nil
}

// Write prints cases in the form that Read takes.
func Write(path string, cases []Case) error {
	var b strings.Builder
	for i, c := range cases {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, l := range c.Comments {
			b.WriteString(l + "\n")
		}
		b.WriteString(c.Kind)
		if c.Code != "" {
			b.WriteString(" " + c.Code)
		}
		if c.Rowsort {
			b.WriteString(" rowsort")
		}
		if c.Types {
			b.WriteString(" types")
		}
		if c.Own {
			b.WriteString(" own")
		}
		for _, s := range c.Settings {
			b.WriteString(" " + s)
		}
		b.WriteString("\n" + c.SQL + "\n")
		if c.Kind == "query" {
			b.WriteString("----\n")
			for _, l := range c.Answer {
				if l == "" {
					l = emptyRow
				}
				b.WriteString(l + "\n")
			}
		}
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
