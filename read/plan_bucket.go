package read

// Of gives the part of a Paimon plan that reads one bucket.
func (p *Plan) Of(partition []byte, bucket int) *Plan {
	is := func(t *Task) bool {
		return string(t.Paimon.Entry.Partition) == string(partition) && t.Paimon.Entry.Bucket == bucket
	}
	out := &Plan{Report: p.Report}
	for _, t := range p.Tasks {
		if is(t) {
			out.Tasks = append(out.Tasks, t)
		}
	}
	for _, m := range p.merges {
		if len(m.runs) > 0 && len(m.runs[0]) > 0 && is(m.runs[0][0]) {
			out.merges = append(out.merges, m)
		}
	}
	return out
}
