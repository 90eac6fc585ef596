package info

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/settings"
	"lakeserver/types"
)

// sessionFunctions give one value a query.
var sessionFunctions = [...]struct {
	name, aliases string
	insensitive   bool
	summary       string
	result        *types.Type
	value         func(env *functions.Env) column.Value
}{
	{"version", "", true, "The version of ClickHouse that is imitated.", types.String, func(e *functions.Env) column.Value { return e.Version }},
	{"timezone", "timeZone", false, "The session's time zone.", types.String, func(e *functions.Env) column.Value { return zoneName(e) }},
	{"serverTimezone", "serverTimeZone", false, "The server's time zone.", types.String, func(e *functions.Env) column.Value { return zoneName(e) }},
	{"hostName", "hostname", false, "The server's host name.", types.String, func(e *functions.Env) column.Value { return e.Host }},
	{"FQDN", "fullHostName", true, "The server's full host name.", types.String, func(e *functions.Env) column.Value { return e.Host }},
	{"displayName", "", false, "The server's name.", types.String, func(e *functions.Env) column.Value { return e.Host }},
	{"currentDatabase", "current_database,DATABASE,SCHEMA,current_schema", true, "The session's database.", types.String, func(e *functions.Env) column.Value { return e.Database }},
	{"currentUser", "user,current_user", true, "The session's user.", types.String, func(e *functions.Env) column.Value { return e.User }},
	{"initialUser", "initial_user", true, "The user who began the query.", types.String, func(e *functions.Env) column.Value { return e.User }},
	{"queryID", "query_id", true, "The query's id.", types.String, func(e *functions.Env) column.Value { return e.QueryID }},
	{"initialQueryID", "initial_query_id", true, "The id of the query that began this one.", types.String, func(e *functions.Env) column.Value { return e.QueryID }},
	{"uptime", "", false, "Seconds since the server started.", types.UInt32, func(e *functions.Env) column.Value { return uint32(e.Uptime.Seconds()) }},
	{"connectionId", "connection_id", true, "The connection's number.", types.UInt64, func(*functions.Env) column.Value { return uint64(0) }},
	{"tcpPort", "", false, "The port of the native protocol.", types.UInt16, func(*functions.Env) column.Value { return uint16(9000) }},
	{"revision", "", true, "The revision of ClickHouse that is imitated.", types.UInt32, func(*functions.Env) column.Value { return uint32(54515) }},
	{"buildId", "", true, "The build's id.", types.String, func(*functions.Env) column.Value { return "" }},
	{"serverUUID", "", false, "The server's UUID.", types.UUID, func(*functions.Env) column.Value { return types.U128{} }},
	{"getOSKernelVersion", "", false, "The kernel's version.", types.String, func(*functions.Env) column.Value { return "" }},
	{"shardNum", "", false, "0: the query is not part of one over shards.", types.UInt32, func(*functions.Env) column.Value { return uint32(0) }},
	{"shardCount", "", false, "0: the query is not part of one over shards.", types.UInt32, func(*functions.Env) column.Value { return uint32(0) }},
	{"zookeeperSessionUptime", "", false, "0: there is no ZooKeeper.", types.UInt32, func(*functions.Env) column.Value { return uint32(0) }},
	{"currentRoles", "", false, "The session's roles.", types.Array(types.String), func(e *functions.Env) column.Value { return texts(e.CurrentRoles) }},
	{"enabledRoles", "", false, "The roles in force.", types.Array(types.String), func(e *functions.Env) column.Value { return texts(e.EnabledRoles) }},
	{"defaultRoles", "", false, "The user's roles at login.", types.Array(types.String), func(e *functions.Env) column.Value { return texts(e.DefaultRoles) }},
	{"currentSchemas", "current_schemas", true, "The databases in which names are found.", types.Array(types.String), func(e *functions.Env) column.Value { return column.Row{e.Database} }},
	{"currentProfiles", "", false, "The session's settings profiles.", types.Array(types.String), func(*functions.Env) column.Value { return column.Row{"default"} }},
	{"enabledProfiles", "", false, "The settings profiles in force.", types.Array(types.String), func(*functions.Env) column.Value { return column.Row{"default"} }},
	{"defaultProfiles", "", false, "The user's settings profiles.", types.Array(types.String), func(*functions.Env) column.Value { return column.Row{"default"} }},
}

func zoneName(e *functions.Env) string { return e.Zone.String() }

var _ = addSession()

func addSession() struct{} {
	for _, f := range sessionFunctions {
		most := 0
		if f.name == "currentSchemas" {
			most = 1
		}
		s := about(f.name, 0, most, functions.Doc{Syntax: f.name + "()", Summary: f.summary, Examples: []string{"SELECT " + f.name + "() AS x FORMAT Null"}}, f.result,
			func(env *functions.Env, _ []functions.Arg) (column.Value, error) { return f.value(env), nil })
		if f.aliases != "" {
			s.Aliases = strings.Split(f.aliases, ",")
		}
		s.CaseInsensitive = f.insensitive
		add(s)
	}
	return struct{}{}
}

var _ = add(functions.Scalar{
	Name: "getSetting", MinArgs: 1, MaxArgs: 2, KeepNulls: true,
	Doc:  functions.Doc{Syntax: "getSetting('name')", Summary: "The value of a setting.", Examples: []string{"SELECT getSetting('max_threads')"}},
	Bind: bindGetSetting,
})

// narrowest is the type that a literal of the number has.
func narrowest(v uint64) *types.Type {
	switch {
	case v < 1<<8:
		return types.UInt8
	case v < 1<<16:
		return types.UInt16
	case v < 1<<32:
		return types.UInt32
	}
	return types.UInt64
}

// bindGetSetting gives numbers and switches as such, all else as text.
func bindGetSetting(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	name, ok := args[0].ConstString()
	if !ok {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "The argument of function getSetting should be a constant string with the name of a setting")
	}
	t := types.String
	d, known := settings.Lookup(name)
	if known {
		switch d.Type {
		case "Bool":
			t = types.Bool
		case "UInt64", "NonZeroUInt64", "MaxThreads":
			t = narrowest(env.Settings.Uint(name))
		case "Int64":
			t = types.Int64
		case "Float":
			t = types.Float32
		}
	}
	text := &column.Str{}
	text.AppendString(env.Settings.Get(name))
	c, err := cast.Column(text, types.String, t, nil)
	if err != nil { // a word, as in max_threads = 'auto(2)'
		t, c = types.String, text
	}
	return &expr.Function{Result: t, KeepForms: true, Kernel: func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
		return column.NewConst(c, rows), nil
	}}, nil
}

func texts(list []string) column.Row {
	out := make(column.Row, len(list))
	for i, x := range list {
		out[i] = x
	}
	return out
}
