package restcatalog

import (
	"encoding/json"
	"errors"
	"net/http"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
)

// failure is an error as the protocol tells it.
type failure struct {
	status     int
	kind, text string
}

func (f *failure) Error() string { return f.text }

func fail(status int, kind, text string) error { return &failure{status, kind, text} }

// kinds are the answers to errors with a code; all others are 500.
var kinds = map[cherr.Code]failure{
	cherr.UnknownDatabase:       {http.StatusNotFound, "NoSuchNamespaceException", ""},
	cherr.UnknownTable:          {http.StatusNotFound, "NoSuchTableException", ""},
	cherr.TableAlreadyExists:    {http.StatusConflict, "AlreadyExistsException", ""},
	cherr.DatabaseAlreadyExists: {http.StatusConflict, "AlreadyExistsException", ""},
	cherr.DatabaseNotEmpty:      {http.StatusConflict, "NamespaceNotEmptyException", ""},
	cherr.AccessDenied:          {http.StatusForbidden, "ForbiddenException", ""},
	cherr.Readonly:              {http.StatusForbidden, "ForbiddenException", ""},
	cherr.PathAccessDenied:      {http.StatusForbidden, "ForbiddenException", ""},
	cherr.AuthenticationFailed:  {http.StatusUnauthorized, "NotAuthorizedException", ""},
	cherr.BadArguments:          {http.StatusBadRequest, "BadRequestException", ""},
	cherr.IncorrectData:         {http.StatusBadRequest, "BadRequestException", ""},
	cherr.UnknownIdentifier:     {http.StatusBadRequest, "BadRequestException", ""},
	cherr.NotImplemented:        {http.StatusNotImplemented, "UnsupportedOperationException", ""},
	cherr.FileDoesntExist:       {http.StatusNotFound, "NotFoundException", ""},
}

// answerError writes an error. One that leaves a commit's end open is 500,
// which clients take as such; nothing else of a commit is.
func (h *Handler) answerError(w http.ResponseWriter, r *http.Request, err error) {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		x := failure{http.StatusInternalServerError, "InternalServerError", ""}
		switch known, isKnown := kinds[cherr.CodeOf(err)]; {
		case h.cfg.Warehouse.Unclear(err):
			x.kind = "CommitStateUnknownException"
		case errors.Is(err, iceberg.ErrRequirement):
			x = failure{http.StatusConflict, "CommitFailedException", ""}
		case isKnown:
			x = known
		}
		x.text = err.Error()
		f = &x
	}
	if f.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="lakeserver"`)
	}
	if f.status >= http.StatusInternalServerError {
		h.cfg.Log.Warn("the REST catalog failed", "path", r.URL.Path, "error", f.text)
	}
	answer(w, f.status, map[string]any{"error": map[string]any{"message": f.text, "type": f.kind, "code": f.status}})
}

func answer(w http.ResponseWriter, status int, body any) {
	data, err := json.Marshal(body)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":{"message":"the answer cannot be written","type":"InternalServerError","code":500}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data) // the client may have left
}
