package iceberg

import "strings"

// PathMapper says where files named in a table's metadata are stored: a table
// may have been moved or copied, or is reached under another name (a bucket
// mounted as a folder), so what follows the table's location follows its root.
type PathMapper struct {
	root     string // where the table's folder is, ends with /
	location string // as metadata says, plain form, ends with /
}

// NewPathMapper makes a mapper for a table found at root.
func NewPathMapper(root, location string) *PathMapper {
	return &PathMapper{root: withSlash(root), location: withSlash(plainPath(location))}
}

func withSlash(p string) string {
	if p == "" || strings.HasSuffix(p, "/") {
		return p
	}
	return p + "/"
}

// plainPath takes off scheme and host marks: s3://b/k, s3a://b/k → /b/k;
// file:/x, file:///x, /x → /x.
func plainPath(p string) string {
	if i := strings.Index(p, ":"); i > 0 && !strings.ContainsAny(p[:i], "/.") {
		p = p[i+1:]
	}
	return "/" + strings.TrimLeft(p, "/")
}

// Map gives the stored path of a path in the metadata. What does not lie
// under the location stays as it is: the store judges it.
func (m *PathMapper) Map(path string) string {
	if rest, ok := strings.CutPrefix(plainPath(path), m.location); ok {
		return m.root + rest
	}
	if !strings.Contains(path, ":") && !strings.HasPrefix(path, "/") { // relative, as version 4 allows
		return m.root + path
	}
	return path
}

// Root gives the table's folder in the store.
func (m *PathMapper) Root() string { return m.root }

// Same tells whether two spellings name one file.
func (m *PathMapper) Same(a, b string) bool { return a == b || m.Map(a) == m.Map(b) }
