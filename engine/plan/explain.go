package plan

import (
	"context"
	"fmt"
	"strings"

	"lakeserver/settings"
	"lakeserver/table"
)

// ExplainOptions say what EXPLAIN shows beside the steps.
type ExplainOptions struct {
	Header   bool // the columns of each step
	Actions  bool // conditions, expressions, keys
	Indexes  bool // what a scan leaves out, and by which filter
	Settings *settings.Settings
}

// Explain prints a plan, one line a step, inputs indented below. With Indexes
// tables plan their scans, which reads metadata but no data.
func Explain(ctx context.Context, n Node, opt ExplainOptions) ([]string, error) {
	var out []string
	return out, explainInto(ctx, n, opt, "", &out)
}

func explainInto(ctx context.Context, n Node, opt ExplainOptions, indent string, out *[]string) error {
	title, details := n.Describe()
	*out = append(*out, indent+title)
	if opt.Header {
		for i, f := range n.Header() {
			prefix := "Header: "
			if i > 0 {
				prefix = "        "
			}
			*out = append(*out, indent+prefix+f.Name+" "+f.Type.String())
		}
	}
	if opt.Actions {
		for _, d := range details {
			*out = append(*out, indent+d)
		}
	}
	if s, ok := n.(*Scan); ok && opt.Indexes {
		rep, err := planScan(ctx, s, opt.Settings)
		if err != nil {
			return err
		}
		if rep != nil {
			for _, l := range rep.Lines {
				*out = append(*out, indent+l)
			}
		}
	}
	for _, in := range n.Inputs() {
		if err := explainInto(ctx, in, opt, indent+"  ", out); err != nil {
			return err
		}
	}
	return nil
}

// planScan lets a table plan a scan without running it; nil for tables that
// cannot.
func planScan(ctx context.Context, s *Scan, set *settings.Settings) (*table.Report, error) {
	e, ok := s.Table.(table.Explainer)
	if !ok {
		return nil, nil
	}
	return e.ExplainScan(ctx, s.Request(set))
}

// Request is what the scan asks of its table, for one stream.
func (n *Scan) Request(set *settings.Settings) *table.ScanRequest {
	return &table.ScanRequest{
		Columns: n.Columns, Filter: n.Filter, Limit: n.Limit, TopN: n.TopN, Streams: 1,
		PreserveOrder: n.PreserveOrder, Settings: set,
	}
}

// ExplainTree prints the analysed query with the types of all columns.
func ExplainTree(n Node) []string {
	var out []string
	var walk func(n Node, indent string)
	walk = func(n Node, indent string) {
		title, details := n.Describe()
		out = append(out, indent+strings.ToUpper(title))
		for _, f := range n.Header() {
			out = append(out, fmt.Sprintf("%s  COLUMN %s %s", indent, f.Name, f.Type))
		}
		for _, d := range details {
			out = append(out, indent+"  "+d)
		}
		for _, in := range n.Inputs() {
			walk(in, indent+"  ")
		}
	}
	walk(n, "")
	return out
}

// Estimated is one table of EXPLAIN ESTIMATE.
type Estimated struct {
	Table              string
	Parts, Rows, Marks int64
}

// Estimate says for each table that can what a scan would read at most.
func Estimate(ctx context.Context, n Node, set *settings.Settings) ([]Estimated, error) {
	var out []Estimated
	if s, ok := n.(*Scan); ok {
		rep, err := planScan(ctx, s, set)
		if err != nil {
			return nil, err
		}
		if rep != nil {
			out = append(out, Estimated{s.Name, rep.Parts, rep.TotalRows, rep.Marks})
		}
	}
	for _, in := range n.Inputs() {
		below, err := Estimate(ctx, in, set)
		if err != nil {
			return nil, err
		}
		out = append(out, below...)
	}
	return out, nil
}
