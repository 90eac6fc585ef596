package exec

import (
	"lakeserver/cherr"
	"lakeserver/engine/plan"
)

func (b *builder) window(p *port, n *plan.Window) *port { return p }
func (b *builder) fill(p *port, n *plan.Fill) (*port, error) {
	return nil, cherr.New(cherr.NotImplemented, "fill")
}
