package httpapi

import (
	"net/http"

	"lakeserver/cherr"
)

// statuses are the codes that are not 500, as ClickHouse maps them.
var statuses = map[cherr.Code]int{
	cherr.RequiredPassword: http.StatusUnauthorized,

	cherr.UnknownUser: http.StatusForbidden, cherr.WrongPassword: http.StatusForbidden, 497: http.StatusForbidden,
	512: http.StatusForbidden, cherr.AuthenticationFailed: http.StatusForbidden,

	cherr.BadArguments: http.StatusBadRequest, 427: http.StatusBadRequest, cherr.CannotParseText: http.StatusBadRequest,
	25: http.StatusBadRequest, 26: http.StatusBadRequest, 27: http.StatusBadRequest, 38: http.StatusBadRequest,
	41: http.StatusBadRequest, 72: http.StatusBadRequest, 376: http.StatusBadRequest, 441: http.StatusBadRequest,
	675: http.StatusBadRequest, 676: http.StatusBadRequest, 15: http.StatusBadRequest, 37: http.StatusBadRequest,
	44: http.StatusBadRequest, 53: http.StatusBadRequest, 62: http.StatusBadRequest, 117: http.StatusBadRequest,
	123: http.StatusBadRequest, 8: http.StatusBadRequest, 167: http.StatusBadRequest, 168: http.StatusBadRequest,
	223: http.StatusBadRequest, 321: http.StatusBadRequest,

	46: http.StatusNotFound, 47: http.StatusNotFound, 50: http.StatusNotFound, 56: http.StatusNotFound,
	60: http.StatusNotFound, 63: http.StatusNotFound, 73: http.StatusNotFound, 78: http.StatusNotFound,
	81: http.StatusNotFound, 115: http.StatusNotFound, 152: http.StatusNotFound, 336: http.StatusNotFound,
	511: http.StatusNotFound,

	159: http.StatusRequestTimeout, 381: http.StatusLengthRequired, 229: http.StatusRequestEntityTooLarge,
	779: http.StatusUnsupportedMediaType, 48: http.StatusNotImplemented,
	76: http.StatusServiceUnavailable, 209: http.StatusServiceUnavailable, 439: http.StatusServiceUnavailable,
}

func statusOf(code cherr.Code) int {
	if s, ok := statuses[code]; ok {
		return s
	}
	return http.StatusInternalServerError
}
