package timetravel

import (
	"context"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
	"lakeserver/settings"
)

// PaimonWhen is a wish about the version of a Paimon table; the zero value is
// the latest.
type PaimonWhen struct {
	Branch      string
	SnapshotID  *int64
	TimestampMs *int64
	Watermark   *int64
	Tag         string
	Version     string // a tag, "watermark-<n>" or a snapshot id, in that order
	Consumer    string // rows since the snapshot that it comes to next
	Between     string // "a,b": what came after a up to b; ids or tags
	BetweenTime string // the same, as milliseconds
	Mode        string // of an incremental range: auto, delta, changelog, diff
}

// PaimonFromSettings reads the settings paimon_…; 0 and "" mean unset. The
// table's own scan.… options count where no setting speaks.
func PaimonFromSettings(s *settings.Settings) PaimonWhen {
	w := PaimonWhen{
		Branch: s.Get("paimon_branch"), Tag: s.Get("paimon_tag"), Consumer: s.Get("paimon_consumer_id"),
		Between: s.Get("paimon_incremental_between"), BetweenTime: s.Get("paimon_incremental_between_timestamp"),
		Mode: strings.ToLower(s.Get("paimon_incremental_between_scan_mode")),
	}
	for name, to := range map[string]**int64{"paimon_snapshot_id": &w.SnapshotID, "paimon_timestamp_ms": &w.TimestampMs, "paimon_watermark": &w.Watermark} {
		if v := s.Int(name); v != 0 {
			*to = &v
		}
	}
	return w
}

// And joins the wish of FOR … AS OF with that of the settings.
func (w PaimonWhen) And(clause PaimonWhen, path string) (PaimonWhen, error) {
	if clause.selectors() > 0 && w.selectors() > 0 {
		return w, cherr.New(cherr.BadArguments, "Time travel by settings and by FOR ... AS OF for Paimon table by path %s cannot be used simultaneously", path)
	}
	if clause.selectors() > 0 {
		clause.Branch = w.Branch
		w = clause
	}
	if w.selectors() > 1 {
		return w, cherr.New(cherr.BadArguments, "Time travel for Paimon table by path %s: only one of the parameters may be set", path)
	}
	return w, nil
}

func (w *PaimonWhen) selectors() (n int) {
	for _, set := range []bool{
		w.SnapshotID != nil, w.TimestampMs != nil, w.Watermark != nil, w.Tag != "", w.Version != "", w.Between != "", w.BetweenTime != "", w.Consumer != "",
	} {
		if set {
			n++
		}
	}
	return n
}

// PaimonVersion is one state of a Paimon table, or what came between two.
type PaimonVersion struct {
	Dir      paimon.Dir
	Snapshot *paimon.Snapshot // nil: the table has no rows yet
	Schema   *paimon.Schema   // to read with
	Range    *PaimonRange     // nil: the whole state
	// Progress is where the reader comes to by reading this; nil: no consumer reads.
	Progress *PaimonProgress
	// Fallback is the branch that has the partitions that are not here
	// (scan.fallback-branch); nil: none.
	Fallback *PaimonVersion
}

// PaimonProgress moves a consumer on, from what its file was when the version
// was picked.
type PaimonProgress struct {
	Consumer string
	Next     int64  // first snapshot that is not read yet
	ETag     string // of the consumer's file; "" when it was not there
}

// PaimonRange is the changes after one snapshot up to another.
type PaimonRange struct {
	Mode      string             // delta, changelog or diff
	Snapshots []*paimon.Snapshot // whose changes count, ascending
	Before    *paimon.Snapshot   // of diff; nil: nothing was there
}

// Paimon picks the version of a table. The head is read with the newest schema,
// a snapshot, time or tag with that of its time.
func Paimon(ctx context.Context, d paimon.Dir, w PaimonWhen, path string) (PaimonVersion, error) {
	if w.Branch != "" {
		d = d.On(w.Branch)
	}
	latest, err := d.LatestSchema(ctx)
	if err != nil {
		if w.Branch != "" && w.Branch != paimon.MainBranch && cherr.Is(err, cherr.FileDoesntExist) {
			return PaimonVersion{}, cherr.New(cherr.BadArguments, "Branch '%s' of Paimon table %s doesn't exist", w.Branch, path)
		}
		return PaimonVersion{}, err
	}
	p := &paimonPick{d: d, path: path}
	v := PaimonVersion{Dir: d, Schema: latest}
	if w.selectors() == 0 {
		if v.Snapshot, err = d.LatestSnapshot(ctx); err != nil {
			return v, err
		}
		if b := latest.Options["scan.fallback-branch"]; b != "" && d.Branch == "" {
			f, err := Paimon(ctx, d, PaimonWhen{Branch: b}, path)
			v.Fallback = &f
			return v, err
		}
		return v, nil
	}
	if w.Consumer != "" {
		return p.consume(ctx, w, v)
	}
	if w.Between != "" || w.BetweenTime != "" {
		v.Range, v.Snapshot, err = p.between(ctx, w, latest)
		return v, err
	}
	if v.Snapshot, err = p.one(ctx, w); err != nil {
		return v, err
	}
	if v.Snapshot.SchemaID != latest.ID {
		v.Schema, err = d.Schema(ctx, v.Snapshot.SchemaID)
	}
	return v, err
}

type paimonPick struct {
	d    paimon.Dir
	path string
	ids  []int64 // once listed
}

func (p *paimonPick) list(ctx context.Context) (first, last int64, err error) {
	if p.ids == nil {
		if p.ids, err = p.d.SnapshotIDs(ctx); err != nil {
			return 0, 0, err
		}
	}
	if len(p.ids) == 0 {
		return 0, 0, cherr.New(cherr.BadArguments, "Paimon table %s has no snapshot", p.path)
	}
	return p.ids[0], p.ids[len(p.ids)-1], nil
}

func (p *paimonPick) one(ctx context.Context, w PaimonWhen) (*paimon.Snapshot, error) {
	switch {
	case w.SnapshotID != nil:
		return p.byID(ctx, *w.SnapshotID)
	case w.Tag != "":
		return p.byTag(ctx, w.Tag)
	case w.TimestampMs != nil:
		return p.atTime(ctx, *w.TimestampMs)
	case w.Watermark != nil:
		return p.atWatermark(ctx, *w.Watermark)
	}
	return p.byVersion(ctx, w.Version)
}

func (p *paimonPick) byVersion(ctx context.Context, version string) (*paimon.Snapshot, error) {
	s, err := p.byTag(ctx, version)
	if err == nil || !cherr.Is(err, cherr.BadArguments) {
		return s, err
	}
	if rest, ok := strings.CutPrefix(version, "watermark-"); ok {
		if n, bad := strconv.ParseInt(rest, 10, 64); bad == nil {
			return p.atWatermark(ctx, n)
		}
	}
	if id, bad := strconv.ParseInt(version, 10, 64); bad == nil {
		return p.byID(ctx, id)
	}
	return nil, err
}

func (p *paimonPick) byID(ctx context.Context, id int64) (*paimon.Snapshot, error) {
	s, err := p.d.Snapshot(ctx, id)
	if cherr.Is(err, cherr.FileDoesntExist) {
		first, last, err := p.list(ctx)
		if err != nil {
			return nil, err
		}
		return nil, cherr.New(cherr.BadArguments, "The specified scan snapshotId %d is out of available snapshotId range [%d, %d] of Paimon table %s", id, first, last, p.path)
	}
	return s, err
}

// byTag finds a tag; BAD_ARGUMENTS when there is none.
func (p *paimonPick) byTag(ctx context.Context, name string) (*paimon.Snapshot, error) {
	if name == "" || strings.ContainsAny(name, "/\\\x00") {
		return nil, cherr.New(cherr.BadArguments, "'%s' is no name of a tag", name)
	}
	t, err := p.d.Tag(ctx, name)
	if cherr.Is(err, cherr.FileDoesntExist) {
		return nil, cherr.New(cherr.BadArguments, "Tag '%s' of Paimon table %s doesn't exist", name, p.path)
	}
	if err != nil {
		return nil, err
	}
	return t.Snapshot, nil
}

// search finds the first snapshot for which after is true, by halves: times and
// watermarks never go back.
func (p *paimonPick) search(ctx context.Context, after func(*paimon.Snapshot) bool) (i int, err error) {
	if _, _, err = p.list(ctx); err != nil {
		return 0, err
	}
	lo, hi := 0, len(p.ids)
	for lo < hi {
		mid := (lo + hi) / 2
		s, err := p.d.Snapshot(ctx, p.ids[mid])
		switch {
		case cherr.Is(err, cherr.FileDoesntExist) && mid == lo: // expired meanwhile
			p.ids = p.ids[mid+1:]
			lo, hi = 0, hi-mid-1
			continue
		case err != nil:
			return 0, err
		}
		if after(s) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo, nil
}

func (p *paimonPick) atTime(ctx context.Context, ms int64) (*paimon.Snapshot, error) {
	i, err := p.search(ctx, func(s *paimon.Snapshot) bool { return s.TimeMillis > ms })
	if err != nil {
		return nil, err
	}
	if i == 0 {
		return nil, cherr.New(cherr.BadArguments, "There is currently no snapshot earlier than or equal to timestamp [%d] in Paimon table %s", ms, p.path)
	}
	return p.d.Snapshot(ctx, p.ids[i-1])
}

func (p *paimonPick) atWatermark(ctx context.Context, mark int64) (*paimon.Snapshot, error) {
	i, err := p.search(ctx, func(s *paimon.Snapshot) bool { return s.Watermark != nil && *s.Watermark >= mark })
	if err != nil {
		return nil, err
	}
	if i == len(p.ids) {
		return nil, cherr.New(cherr.BadArguments, "There is currently no snapshot later than or equal to watermark[%d] in Paimon table %s", mark, p.path)
	}
	return p.d.Snapshot(ctx, p.ids[i])
}

// between resolves an incremental range.
func (p *paimonPick) between(ctx context.Context, w PaimonWhen, schema *paimon.Schema) (*PaimonRange, *paimon.Snapshot, error) {
	r := &PaimonRange{Mode: w.Mode}
	from, to, byTags, err := p.ends(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	if r.Mode, err = modeOf(w.Mode, schema, byTags); err != nil {
		return nil, nil, err
	}
	if to.id < from.id {
		return nil, nil, cherr.New(cherr.BadArguments, "Ending snapshotId should >= starting snapshotId %d. [%d]", from.id, to.id)
	}
	if r.Mode == "diff" {
		r.Before = from.snapshot
		if r.Before == nil && from.id > 0 && byTags {
			return nil, nil, cherr.New(cherr.BadArguments, "Snapshot %d of Paimon table %s is not there any more", from.id, p.path)
		}
		if r.Before == nil && from.id > 0 {
			if r.Before, err = p.d.Snapshot(ctx, from.id); err != nil && !cherr.Is(err, cherr.FileDoesntExist) {
				return nil, nil, err
			}
		}
		last := to.snapshot
		if last == nil {
			last, err = p.byID(ctx, to.id)
		}
		return r, last, err
	}
	last, err := p.changes(ctx, r, from.id, to.id)
	return r, last, err
}

// modeOf says what an incremental read gives.
func modeOf(mode string, schema *paimon.Schema, byTags bool) (string, error) {
	switch mode {
	case "delta", "changelog", "diff":
		return mode, nil
	case "", "auto":
	default:
		return "", cherr.New(cherr.BadArguments, "paimon_incremental_between_scan_mode '%s' is unknown; there are auto, delta, changelog and diff", mode)
	}
	producer := schema.Options["changelog-producer"]
	switch {
	case byTags:
		return "diff", nil
	case producer != "" && !strings.EqualFold(producer, "none"):
		return "changelog", nil
	}
	return "delta", nil
}

// changes adds the snapshots after one up to another.
func (p *paimonPick) changes(ctx context.Context, r *PaimonRange, after, upTo int64) (last *paimon.Snapshot, err error) {
	for id := after + 1; id <= upTo; id++ {
		if last, err = p.change(ctx, id); err != nil {
			return nil, err
		}
		r.Snapshots = append(r.Snapshots, last)
	}
	return last, nil
}

// change reads a snapshot, or what is kept of it for its changelog.
func (p *paimonPick) change(ctx context.Context, id int64) (*paimon.Snapshot, error) {
	s, err := p.d.Snapshot(ctx, id)
	if cherr.Is(err, cherr.FileDoesntExist) {
		s, err = p.d.Changelog(ctx, id)
	}
	if cherr.Is(err, cherr.FileDoesntExist) {
		return p.byID(ctx, id)
	}
	return s, err
}

// end is one end of a range.
type end struct {
	id       int64
	snapshot *paimon.Snapshot // of a tag
}

func (p *paimonPick) ends(ctx context.Context, w PaimonWhen) (from, to end, byTags bool, err error) {
	first, last, err := p.list(ctx)
	if err != nil {
		return from, to, false, err
	}
	text := w.Between
	if text == "" {
		text = w.BetweenTime
	}
	a, b, ok := strings.Cut(text, ",")
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if !ok || a == "" || b == "" {
		return from, to, false, cherr.New(cherr.BadArguments, "An incremental range is two versions with a comma between, not '%s'", text)
	}
	if w.Between == "" {
		return p.timeEnds(ctx, a, b, first)
	}
	x, errA := strconv.ParseInt(a, 10, 64)
	y, errB := strconv.ParseInt(b, 10, 64)
	if errA == nil && errB == nil {
		if x < 0 || y > last {
			err = cherr.New(cherr.BadArguments, "The range (%d, %d] is out of the snapshots [%d, %d] of Paimon table %s", x, y, first, last, p.path)
		}
		return end{id: x}, end{id: y}, false, err
	}
	s, err := p.byTag(ctx, a)
	if err != nil {
		return from, to, true, err
	}
	e, err := p.byTag(ctx, b)
	if err != nil {
		return from, to, true, err
	}
	return end{s.ID, s}, end{e.ID, e}, true, nil
}

func (p *paimonPick) timeEnds(ctx context.Context, a, b string, first int64) (from, to end, byTags bool, err error) {
	x, errA := strconv.ParseInt(a, 10, 64)
	y, errB := strconv.ParseInt(b, 10, 64)
	if errA != nil || errB != nil {
		return from, to, false, cherr.New(cherr.BadArguments, "A range of times is two numbers of milliseconds, not '%s,%s'", a, b)
	}
	from.id = first - 1
	if s, err := p.atTime(ctx, x); err == nil {
		from.id = s.ID
	} else if !cherr.Is(err, cherr.BadArguments) {
		return from, to, false, err
	}
	s, err := p.atTime(ctx, y)
	if err != nil {
		return from, to, false, err
	}
	to.id = s.ID
	return from, to, false, nil
}

// Or takes the wish of a table's own options, where neither settings nor a
// clause have one.
func (w PaimonWhen) Or(options map[string]string, path string) (PaimonWhen, error) {
	if w.Branch == "" {
		w.Branch = options["branch"]
	}
	if w.selectors() > 0 {
		return w, nil
	}
	w.Tag, w.Version, w.Consumer = options["scan.tag-name"], options["scan.version"], options["consumer-id"]
	w.Between, w.BetweenTime = options["incremental-between"], options["incremental-between-timestamp"]
	if m := options["incremental-between-scan-mode"]; m != "" {
		w.Mode = strings.ToLower(m)
	}
	for name, to := range map[string]**int64{"scan.snapshot-id": &w.SnapshotID, "scan.timestamp-millis": &w.TimestampMs, "scan.watermark": &w.Watermark} {
		text := options[name]
		if text == "" {
			continue
		}
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return w, cherr.New(cherr.BadArguments, "%s is '%s' where a number is expected", name, text)
		}
		*to = &v
	}
	return w.And(PaimonWhen{}, path)
}
