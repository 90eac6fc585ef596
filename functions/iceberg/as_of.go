package iceberg

import (
	"strconv"

	"lakeserver/cherr"
	"lakeserver/functions"
	"lakeserver/timetravel"
)

// asOf reads FOR VERSION AS OF (a snapshot id, or the name of a branch or tag)
// and FOR TIMESTAMP AS OF (a date or time, its text in the session's zone, or
// seconds since 1970; numbers too great for that are milliseconds).
func asOf(v *functions.TimeTravel, env *functions.Env) (timetravel.When, error) {
	if v == nil {
		return timetravel.When{}, nil
	}
	if !v.Timestamp {
		if s, ok := v.Value.(string); ok {
			if id, err := strconv.ParseInt(s, 10, 64); err == nil {
				return timetravel.When{SnapshotID: &id}, nil
			}
			return timetravel.When{Ref: s}, nil
		}
		if id, ok := timetravel.Integer(v.Value); ok {
			return timetravel.When{SnapshotID: &id}, nil
		}
		return timetravel.When{}, cherr.New(cherr.BadArguments, "FOR VERSION AS OF wants a snapshot id or the name of a branch or tag, not %s", v.Type)
	}
	ms, ok := timetravel.Milliseconds(v.Type, v.Value, env.Zone)
	if !ok {
		return timetravel.When{}, cherr.New(cherr.BadArguments, "FOR TIMESTAMP AS OF wants a date or time, not %v of type %s", v.Value, v.Type)
	}
	return timetravel.When{TimestampMs: &ms}, nil
}
