package iceberg

import (
	"encoding/json"
	"slices"
	"strings"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// Place is where a column goes among those of its level.
type Place struct {
	First bool
	After string // a name of the same level; "" for the end, or where it is
}

// NewColumn is a column to be added. Ids inside of Type are given anew.
type NewColumn struct {
	Path                         []string // the last name is the new one
	Type                         *iceberg.Type
	Required                     bool
	Doc                          string
	InitialDefault, WriteDefault json.RawMessage
	Place                        Place
}

// spot is a field at its place in the tree.
type spot struct {
	level *[]iceberg.Field // of a column or a struct's field; nil for parts of lists and maps
	at    int
	field *iceberg.Field
	above []*iceberg.Field // from the column down, without the field
}

// inKey tells whether the field is inside of a map's key.
func (s *spot) inKey() bool {
	chain := append(slices.Clone(s.above), s.field)
	for i := 1; i < len(chain); i++ {
		if chain[i-1].Type.Kind == iceberg.Map && chain[i-1].Type.Key == chain[i] {
			return true
		}
	}
	return false
}

// Find gives a column or what is inside of one: the first names may be one
// column's, dots and all. NOT_FOUND_COLUMN_IN_BLOCK when there is none.
func (e *Evolution) Find(path []string) (*iceberg.Field, error) {
	s, err := e.find(path)
	if err != nil {
		return nil, err
	}
	return s.field, nil
}

func (e *Evolution) find(path []string) (*spot, error) {
	if s := findIn(&e.fields, path, nil); s != nil {
		return s, nil
	}
	return nil, cherr.New(cherr.NotFoundColumnInBlock, "There is no column `%s` in the Iceberg table", strings.Join(path, "."))
}

func findIn(level *[]iceberg.Field, path []string, above []*iceberg.Field) *spot {
	for n := len(path); n > 0; n-- { // the longest name first
		name := strings.Join(path[:n], ".")
		for i := range *level {
			f := &(*level)[i]
			if f.Name != name {
				continue
			}
			if n == len(path) {
				return &spot{level: level, at: i, field: f, above: above}
			}
			if s := findUnder(f, path[n:], above); s != nil {
				return s
			}
		}
	}
	return nil
}

func findUnder(f *iceberg.Field, path []string, above []*iceberg.Field) *spot {
	above = append(slices.Clip(above), f)
	if f.Type.Kind == iceberg.Struct {
		return findIn(&f.Type.Fields, path, above)
	}
	for _, part := range []*iceberg.Field{f.Type.Elem, f.Type.Key, f.Type.Value} {
		if part == nil || part.Name != path[0] {
			continue
		}
		if len(path) == 1 {
			return &spot{field: part, above: above}
		}
		return findUnder(part, path[1:], above)
	}
	return nil
}

// level gives the fields among which the last name of path stands.
func (e *Evolution) level(path []string) (*[]iceberg.Field, error) {
	if len(path) == 1 {
		return &e.fields, nil
	}
	parent, err := e.find(path[:len(path)-1])
	if err != nil {
		return nil, err
	}
	if parent.field.Type.Kind != iceberg.Struct {
		return nil, e.refuse("Column `%s` cannot have fields: its type is %s", strings.Join(path[:len(path)-1], "."), parent.field.Type)
	}
	if parent.inKey() {
		return nil, e.refuse("Column `%s` cannot change: it is the key of a map", strings.Join(path, "."))
	}
	return &parent.field.Type.Fields, nil
}

// Add adds a column.
func (e *Evolution) Add(c NewColumn) error {
	if len(c.Path) == 0 {
		return e.refuse("A column to be added has no name")
	}
	name := strings.Join(c.Path, ".")
	if _, err := e.find(c.Path); err == nil {
		return cherr.New(cherr.DuplicateColumn, "Cannot add column %s: column with this name already exists", name)
	}
	level, err := e.level(c.Path)
	if err != nil && len(c.Path) > 1 { // a column whose name has dots
		if _, headErr := e.find(c.Path[:1]); headErr != nil {
			level, err = &e.fields, nil
			c.Path = []string{name}
		}
	}
	if err != nil {
		return err
	}
	switch hasDefault := c.InitialDefault != nil; {
	case c.Required && !hasDefault:
		return e.refuse("Iceberg spec doesn't allow to add non-nullable columns: column `%s` has no default, so rows that are there would have no value", name)
	case (hasDefault || c.WriteDefault != nil) && e.version < 3:
		return e.refuse("A default of column `%s` needs Iceberg format version 3, the table has %d", name, e.version)
	}
	f := []iceberg.Field{{
		Name: c.Path[len(c.Path)-1], Required: c.Required, Type: c.Type, Doc: c.Doc, InitialDefault: c.InitialDefault, WriteDefault: c.WriteDefault,
	}}
	iceberg.AssignIDs(f, func() int { e.lastID++; return e.lastID })
	*level = append(*level, f[0])
	return e.place(level, len(*level)-1, c.Place)
}

// place moves a field of a level.
func (e *Evolution) place(level *[]iceberg.Field, at int, p Place) error {
	if !p.First && p.After == "" {
		return nil
	}
	f := (*level)[at]
	rest := slices.Delete(slices.Clone(*level), at, at+1)
	to := 0
	if !p.First {
		to = slices.IndexFunc(rest, func(g iceberg.Field) bool { return g.Name == p.After }) + 1
		if to == 0 {
			return cherr.New(cherr.NotFoundColumnInBlock, "There is no column `%s` after which `%s` could stand", p.After, f.Name)
		}
	}
	*level = slices.Insert(rest, to, f)
	return nil
}

// Move moves a column within its level.
func (e *Evolution) Move(path []string, p Place) error {
	s, err := e.find(path)
	if err != nil {
		return err
	}
	if s.level == nil {
		return e.refuse("`%s` is not a column or field that could move", strings.Join(path, "."))
	}
	return e.place(s.level, s.at, p)
}

// Drop takes a column away that nothing else of the table needs.
func (e *Evolution) Drop(path []string) error {
	s, err := e.find(path)
	if err != nil {
		return err
	}
	name := strings.Join(path, ".")
	switch {
	case s.level == nil:
		return e.refuse("`%s` cannot be dropped: it is the inside of a %s", name, s.above[len(s.above)-1].Type)
	case s.inKey():
		return e.refuse("Column `%s` cannot be dropped: it is inside of the key of a map", name)
	case len(*s.level) == 1 && len(s.above) == 0:
		return e.refuse("Cannot drop column `%s`: it is the table's last", name)
	}
	for _, id := range idsOf(s.field) {
		if slices.Contains(e.identifiers, id) {
			return e.refuse("Cannot drop column `%s`: it is an identifier field of the table", name)
		}
		e.dropped[id] = true
	}
	*s.level = slices.Delete(slices.Clone(*s.level), s.at, s.at+1)
	return nil
}

// idsOf gives the ids of a field and of all inside.
func idsOf(f *iceberg.Field) []int {
	out := []int{f.ID}
	for i := range f.Type.Fields {
		out = append(out, idsOf(&f.Type.Fields[i])...)
	}
	for _, part := range []*iceberg.Field{f.Type.Elem, f.Type.Key, f.Type.Value} {
		if part != nil {
			out = append(out, idsOf(part)...)
		}
	}
	return out
}

// Rename gives a column another name; it stays where it is.
func (e *Evolution) Rename(path, to []string) error {
	s, err := e.find(path)
	if err != nil {
		return err
	}
	name, newName := strings.Join(path, "."), strings.Join(to, ".")
	prefix := strings.TrimSuffix(name, s.field.Name)
	short, ok := strings.CutPrefix(newName, prefix)
	switch {
	case s.level == nil:
		return e.refuse("`%s` cannot be renamed: it is the inside of a %s", name, s.above[len(s.above)-1].Type)
	case s.inKey():
		return e.refuse("Column `%s` cannot be renamed: it is inside of the key of a map", name)
	case !ok && len(to) > 1, short == "":
		return e.refuse("Column `%s` cannot be renamed to `%s`: a field stays inside of what it is in", name, newName)
	case !ok: // the field's own new name
		short = newName
	}
	if short != s.field.Name && slices.ContainsFunc(*s.level, func(f iceberg.Field) bool { return f.Name == short }) {
		return cherr.New(cherr.DuplicateColumn, "Cannot rename column `%s` to `%s`: column with this name already exists", name, newName)
	}
	s.field.Name = short
	return nil
}

// Comment sets a column's comment.
func (e *Evolution) Comment(path []string, text string) error {
	s, err := e.find(path)
	if err != nil {
		return err
	}
	if s.level == nil {
		return e.refuse("`%s` cannot have a comment", strings.Join(path, "."))
	}
	s.field.Doc = text
	return nil
}

// SetDefault sets what writers put where a statement names no value; nil:
// NULL. Rows that are there keep what they have.
func (e *Evolution) SetDefault(path []string, value json.RawMessage) error {
	s, err := e.find(path)
	if err != nil {
		return err
	}
	name := strings.Join(path, ".")
	switch {
	case s.level == nil:
		return e.refuse("`%s` cannot have a default", name)
	case value != nil && e.version < 3:
		return e.refuse("A default of column `%s` needs Iceberg format version 3, the table has %d", name, e.version)
	case value == nil && s.field.Required && s.field.InitialDefault != nil:
		return e.refuse("The default of column `%s` cannot go: the column is required", name)
	}
	s.field.WriteDefault = value
	return nil
}

// SetIdentifiers says which columns tell rows apart.
func (e *Evolution) SetIdentifiers(paths [][]string) error {
	var ids []int
	for _, p := range paths {
		s, err := e.find(p)
		if err != nil {
			return err
		}
		if !slices.Contains(ids, s.field.ID) {
			ids = append(ids, s.field.ID)
		}
	}
	return e.withIdentifiers(ids)
}

// DropIdentifiers makes columns identifier fields no more.
func (e *Evolution) DropIdentifiers(paths [][]string) error {
	ids := slices.Clone(e.identifiers)
	for _, p := range paths {
		s, err := e.find(p)
		if err != nil {
			return err
		}
		i := slices.Index(ids, s.field.ID)
		if i < 0 {
			return e.refuse("Column `%s` is not an identifier field", strings.Join(p, "."))
		}
		ids = slices.Delete(ids, i, i+1)
	}
	return e.withIdentifiers(ids)
}

func (e *Evolution) withIdentifiers(ids []int) error {
	old := e.identifiers
	e.identifiers = ids
	if _, err := e.schema(); err != nil {
		e.identifiers = old
		return err
	}
	return nil
}

// schema gives the columns as they are by now.
func (e *Evolution) schema() (*iceberg.Schema, error) {
	return e.base.CurrentSchema().With(e.fields, e.identifiers)
}

// changeSchema adds what makes the schema the table's, and checks that what
// stands over columns still can.
func (e *Evolution) changeSchema(c *Change) (*iceberg.Schema, error) {
	s, err := e.schema()
	if err != nil {
		return nil, err
	}
	for _, f := range e.spec {
		if s.Field(f.SourceID) == nil && e.dropped[f.SourceID] && f.Transform.Kind != iceberg.Void {
			return nil, e.refuse("Cannot drop column `%s`: partition field `%s` is made of it; drop that first", e.nameWas(f.SourceID), f.Name)
		}
	}
	order := e.order
	if order == nil {
		order = e.base.SortOrder(e.base.DefaultSortOrderID)
	}
	for _, f := range order.Fields {
		if s.Field(f.SourceID) == nil && e.dropped[f.SourceID] {
			return nil, e.refuse("Cannot drop column `%s`: the table's sort order has it; change that first", e.nameWas(f.SourceID))
		}
	}
	if !s.Same(e.base.CurrentSchema()) {
		c.Requirements = append(c.Requirements, iceberg.AssertCurrentSchemaID{ID: e.base.CurrentSchemaID}, iceberg.AssertLastAssignedFieldID{ID: e.base.LastColumnID})
		c.Updates = append(c.Updates, iceberg.AddSchema{Schema: s, LastColumnID: e.lastID}, iceberg.SetCurrentSchema{SchemaID: iceberg.LastAdded})
	}
	return s, nil
}

func (e *Evolution) nameWas(id int) string {
	var names []string
	for _, f := range e.base.CurrentSchema().Path(id) {
		names = append(names, f.Name)
	}
	return strings.Join(names, ".")
}
