package engine

import (
	"lakeserver/cherr"
	"lakeserver/collections"
	"lakeserver/engine/ast"
)

// collectionStore gives where named collections are kept.
func (r *run) collectionStore() (*collections.Store, error) {
	if s := r.s.engine.cfg.Collections; s != nil {
		return s, nil
	}
	return nil, cherr.New(cherr.NotImplemented, "This server keeps no named collections")
}

// collectionKeys reads name = value [NOT] OVERRIDABLE, ….
func collectionKeys(list []*ast.Setting, overridable []string) ([]collections.Key, error) {
	var out []collections.Key
	for i, s := range list {
		v, err := settingText(s.Value)
		if err != nil {
			return nil, cherr.New(cherr.BadArguments, "The value of `%s` must be a literal", s.Name)
		}
		k := collections.Key{Name: s.Name, Value: v}
		if i < len(overridable) && overridable[i] != "" {
			may := overridable[i] == "OVERRIDABLE"
			k.Overridable = &may
		}
		out = append(out, k)
	}
	return out, nil
}

func (r *run) createCollection(n *ast.CreateNamedCollection) error {
	s, err := r.collectionStore()
	if err != nil {
		return err
	}
	keys, err := collectionKeys(n.Settings, n.Overridable)
	if err != nil {
		return err
	}
	return s.Create(n.Name, keys, n.IfNotExists)
}

func (r *run) alterCollection(n *ast.AlterCollection) error {
	s, err := r.collectionStore()
	if err != nil {
		return err
	}
	keys, err := collectionKeys(n.Set, n.Overridable)
	if err != nil {
		return err
	}
	return s.Alter(n.Name, keys, n.Delete, n.IfExists)
}

func (r *run) dropCollections(n *ast.Drop) error {
	s, err := r.collectionStore()
	if err != nil {
		return err
	}
	for _, name := range n.Names {
		if err := s.Drop(name, n.IfExists); err != nil {
			return err
		}
	}
	return nil
}
