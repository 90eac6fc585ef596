package types

import "strings"

// Pretty prints a type with the elements of named tuples on lines of their
// own, indented by depth steps.
func (t *Type) Pretty(depth int) string {
	switch t.kind {
	case KindTuple:
		if len(t.names) == 0 {
			break
		}
		indent := strings.Repeat("    ", depth+1)
		parts := make([]string, len(t.elems))
		for i, e := range t.elems {
			parts[i] = indent + backquoteIfNeeded(t.names[i]) + " " + e.Pretty(depth+1)
		}
		return "Tuple(\n" + strings.Join(parts, ",\n") + ")"
	case KindArray:
		if !t.IsNested() {
			return "Array(" + t.elems[0].Pretty(depth) + ")"
		}
	case KindNullable:
		return "Nullable(" + t.elems[0].Pretty(depth) + ")"
	case KindMap:
		return "Map(" + t.elems[0].Pretty(depth) + ", " + t.elems[1].Pretty(depth) + ")"
	}
	return t.name
}
