package storage

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/functions"
	"lakeserver/table"
)

// open is what a table function does.
type open = func(ctx context.Context, env *functions.Env, req *functions.OpenRequest) (table.Table, error)

// OnCluster gives the function of a cluster: it takes the cluster's name before
// the arguments of the plain one. A cluster whose only node is this server
// reads as the plain function does; nothing is sent to other nodes yet.
func (s *Sources) OnCluster(plain open) open {
	return func(ctx context.Context, env *functions.Env, req *functions.OpenRequest) (table.Table, error) {
		if len(req.Args) == 0 {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Table function '%s' requires the name of a cluster as its first argument", req.Name)
		}
		name := req.Args[0].Ident
		if text, ok := req.Args[0].Value.(string); ok {
			name = text
		}
		here, known := s.Clusters[name]
		switch {
		case !known:
			return nil, cherr.New(cherr.ClusterDoesntExist, "Requested cluster '%s' not found", name)
		case !here:
			return nil, cherr.New(cherr.NotImplemented, "Cluster '%s' has other nodes than this server: table function '%s' cannot send them queries", name, req.Name)
		}
		own := *req
		own.Args = req.Args[1:]
		return plain(ctx, env, &own)
	}
}
