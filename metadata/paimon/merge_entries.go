package paimon

// MergeEntries gives the entries that are left of lists that follow each other,
// as a Merger does. Only files that some entry deletes, or that the last list
// adds, are compared with others: the rest has nothing that it could meet. keep
// leaves entries out; nil: none.
func MergeEntries(keep func(*Entry) bool, lists ...[]Entry) ([]Entry, error) {
	n := 0
	contested := map[string]bool{}
	for at, list := range lists {
		n += len(list)
		for i := range list {
			if list[i].Kind == Delete || at == len(lists)-1 && at > 0 {
				contested[list[i].File.Name] = true
			}
		}
	}
	out := make([]Entry, 0, n)
	m := NewMerger(len(contested))
	var places []int // of contested entries in out
	for _, list := range lists {
		for i := range list {
			e := &list[i]
			if keep != nil && !keep(e) {
				continue
			}
			if !contested[e.File.Name] {
				out = append(out, *e)
				continue
			}
			had := len(m.out)
			if err := m.Add(e); err != nil {
				return nil, err
			}
			if len(m.out) > had {
				places = append(places, len(out))
				out = append(out, *e)
			}
		}
	}
	if len(places) == 0 {
		return out, nil
	}
	for i, at := range places {
		out[at].Kind = m.out[i].Kind
	}
	left := out[:0]
	for i := range out {
		if out[i].Kind != gone {
			left = append(left, out[i])
		}
	}
	return left, nil
}
