package tablefunc

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/objstore"
)

// maxAlternatives bounds what one {a..b} becomes.
const maxAlternatives = 100_000

// expand gives the objects that a path or pattern names: of a pattern those
// there are, of a folder the files in it, of a plain path itself, whether it
// is there or not.
func expand(ctx context.Context, store objstore.Store, p string) (objects []objstore.Object, glob bool, err error) {
	first := strings.IndexAny(p, "*?{")
	if first < 0 {
		o, err := store.Stat(ctx, p)
		if err == nil {
			return []objstore.Object{o}, false, nil
		}
		if cherr.Is(err, cherr.FileDoesntExist) {
			inside, err := store.List(ctx, strings.TrimSuffix(p, "/"), false)
			if err == nil && len(inside) > 0 {
				return inside, true, nil
			}
		}
		return []objstore.Object{{Path: p}}, false, nil
	}
	cut := strings.LastIndexByte(p[:first], '/') + 1
	folder, rest := p[:cut], p[cut:]
	re, err := pattern(rest)
	if err != nil {
		return nil, true, err
	}
	root := strings.TrimSuffix(folder, "/")
	if root == "" && folder != "" {
		root = "/"
	}
	all, err := store.List(ctx, root, strings.Contains(rest, "/"))
	if err != nil {
		return nil, true, err
	}
	for _, o := range all {
		if name, ok := strings.CutPrefix(o.Path, folder); ok && re.MatchString(name) {
			objects = append(objects, o)
		}
	}
	return objects, true, nil
}

// pattern makes a regular expression of a pattern: * and ? stay within one
// folder, **/ stands for any folders, {a,b} for either, {1..3} for the numbers.
func pattern(p string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString("^(?s:")
	for i := 0; i < len(p); {
		switch {
		case strings.HasPrefix(p[i:], "**/") && (i == 0 || p[i-1] == '/'):
			b.WriteString("(?:.*/)?")
			i += 3
		case p[i] == '*':
			b.WriteString("[^/]*")
			for i < len(p) && p[i] == '*' {
				i++
			}
		case p[i] == '?':
			b.WriteString("[^/]")
			i++
		case p[i] == '{':
			end := strings.IndexByte(p[i:], '}')
			if end < 0 {
				return nil, cherr.New(cherr.BadArguments, "Unmatched brace in the path '%s'", p)
			}
			words, err := alternatives(p[i+1 : i+end])
			if err != nil {
				return nil, err
			}
			for j, w := range words {
				words[j] = regexp.QuoteMeta(w)
			}
			b.WriteString("(?:" + strings.Join(words, "|") + ")")
			i += end + 1
		default:
			b.WriteString(regexp.QuoteMeta(p[i : i+1]))
			i++
		}
	}
	b.WriteString(")$")
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil, cherr.WithCode(cherr.BadArguments, err, "the path '%s'", p)
	}
	return re, nil
}

// alternatives gives what stands between braces: a,b or 1..3, where a leading
// zero asks for numbers of that width.
func alternatives(text string) ([]string, error) {
	from, to, ok := strings.Cut(text, "..")
	a, errA := strconv.ParseUint(from, 10, 32)
	z, errZ := strconv.ParseUint(to, 10, 32)
	if !ok || errA != nil || errZ != nil {
		if !strings.Contains(text, ",") {
			return []string{"{" + text + "}"}, nil
		}
		return strings.Split(text, ","), nil
	}
	a, z = min(a, z), max(a, z)
	if z-a >= maxAlternatives {
		return nil, cherr.New(cherr.BadArguments, "The range {%s} of the path is too large", text)
	}
	width := 0
	if (from[0] == '0' && len(from) > 1) || (to[0] == '0' && len(to) > 1) {
		width = max(len(from), len(to))
	}
	out := make([]string, 0, z-a+1)
	for n := a; n <= z; n++ {
		out = append(out, fmt.Sprintf("%0*d", width, n))
	}
	return out, nil
}
