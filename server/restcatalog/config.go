package restcatalog

import (
	"net/http"
)

// config is GET /v1/config: which endpoints there are.
func (c *call) config() error {
	list := make([]string, len(endpoints))
	for i, e := range endpoints {
		list[i] = e.pattern
	}
	answer(c.w, http.StatusOK, map[string]any{"defaults": map[string]string{}, "overrides": map[string]string{}, "endpoints": list})
	return nil
}
