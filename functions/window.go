package functions

import (
	"context"

	"lakeserver/column"
	"lakeserver/types"
)

// Window describes a function that only makes sense OVER a window (row_number,
// lag). Aggregate functions over windows need no description.
type Window struct {
	Name            string
	Aliases         []string
	CaseInsensitive bool
	Doc             Doc
	Bind            func(env *Env, args []Arg) (*BoundWindow, error)
	// BindParams is set instead of Bind by functions with parameters:
	// exponentialTimeDecayedSum(10)(v, t).
	BindParams func(env *Env, params []Param, args []Arg) (*BoundWindow, error)
}

// BoundWindow is a window function bound to argument types.
type BoundWindow struct {
	Name   string
	Result *types.Type
	// Eval gives a full column of p.Rows values.
	Eval func(ctx context.Context, p *Partition) (column.Column, error)
}

// Partition is the rows of one partition in the window's order.
type Partition struct {
	Args []column.Column
	Rows int
	// PeerStart and PeerEnd bound the peer group [start, end) of each row.
	PeerStart, PeerEnd []int
	// FrameStart and FrameEnd bound the frame [start, end) of each row.
	FrameStart, FrameEnd []int
}
