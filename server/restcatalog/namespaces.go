package restcatalog

import (
	"net/http"
	"slices"
	"strings"
)

// listNamespaces is GET namespaces; there is one level of them.
func (c *call) listNamespaces() error {
	out := [][]string{}
	var next any
	if parent := c.r.URL.Query().Get("parent"); parent == "" {
		names := slices.DeleteFunc(c.h.cfg.Warehouse.Namespaces(), func(n string) bool { return !c.visible(n) })
		part, token, err := c.page(names)
		if err != nil {
			return err
		}
		next = token
		for _, n := range part {
			out = append(out, []string{n})
		}
	} else if !c.hasNamespace(parent) {
		return noNamespace(strings.ReplaceAll(parent, separator, "."))
	}
	answer(c.w, http.StatusOK, map[string]any{"namespaces": out, "next-page-token": next})
	return nil
}

// createNamespace is POST namespaces: CREATE DATABASE.
func (c *call) createNamespace() error {
	var body struct {
		Namespace  []string          `json:"namespace"`
		Properties map[string]string `json:"properties"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	name, err := one(body.Namespace)
	if err != nil {
		return err
	}
	if err := c.run(c.r.Context(), "CREATE DATABASE "+quoted(name)); err != nil {
		return err
	}
	if err := c.h.cfg.Properties.Set(name, body.Properties); err != nil {
		return err
	}
	answer(c.w, http.StatusOK, map[string]any{"namespace": body.Namespace, "properties": c.properties(name)})
	return nil
}

func (c *call) properties(namespace string) map[string]string {
	out := c.h.cfg.Properties.Of(namespace)
	out["location"] = c.h.cfg.Warehouse.Location(namespace)
	return out
}

// loadNamespace is GET of a namespace.
func (c *call) loadNamespace() error {
	name, err := c.namespace()
	if err != nil {
		return err
	}
	answer(c.w, http.StatusOK, map[string]any{"namespace": []string{name}, "properties": c.properties(name)})
	return nil
}

// namespaceExists is HEAD of a namespace.
func (c *call) namespaceExists() error {
	if _, err := c.namespace(); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// dropNamespace is DELETE of a namespace: DROP DATABASE of one that is empty.
func (c *call) dropNamespace() error {
	name, err := c.namespace()
	if err != nil {
		return err
	}
	if err := c.run(c.r.Context(), "DROP DATABASE IF EMPTY "+quoted(name)); err != nil {
		return err
	}
	if err := c.h.cfg.Properties.Set(name, nil); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
