package restcatalog

import (
	"net/http"
	"slices"
	"strconv"
)

// page cuts a sorted list as the request's pageToken and pageSize say; the
// token is the last name that was given. Without a token in the request the
// list is whole.
func (c *call) page(names []string) (part []string, next any, err error) {
	q := c.r.URL.Query()
	if !q.Has("pageToken") {
		return names, nil, nil
	}
	size := 1000
	if text := q.Get("pageSize"); text != "" {
		if size, err = strconv.Atoi(text); err != nil || size < 1 {
			return nil, nil, fail(http.StatusBadRequest, "BadRequestException", "pageSize is a positive number")
		}
	}
	if token := q.Get("pageToken"); token != "" {
		i, found := slices.BinarySearch(names, token)
		if found {
			i++
		}
		names = names[i:]
	}
	if len(names) > size {
		names = names[:size]
		next = names[size-1]
	}
	return names, next, nil
}
