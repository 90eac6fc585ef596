package mysql

import (
	"encoding/binary"

	"lakeserver/cherr"
	"lakeserver/server"
)

// mysqlError is an error as MySQL's clients know it.
type mysqlError struct {
	number uint16
	state  string
}

// mysqlErrors says which of ClickHouse's codes have a number of MySQL's that
// clients act upon. All others are ER_UNKNOWN_ERROR; the text has the code.
var mysqlErrors = map[cherr.Code]mysqlError{
	cherr.SyntaxError:                      {1064, "42000"},
	cherr.UnknownTable:                     {1146, "42S02"},
	cherr.UnknownDatabase:                  {1049, "42000"},
	cherr.UnknownIdentifier:                {1054, "42S22"},
	cherr.NoSuchColumnInTable:              {1054, "42S22"},
	cherr.UnknownFunction:                  {1305, "42000"},
	cherr.TableAlreadyExists:               {1050, "42S01"},
	cherr.DatabaseAlreadyExists:            {1007, "HY000"},
	cherr.AmbiguousIdentifier:              {1052, "23000"},
	cherr.AuthenticationFailed:             {1045, "28000"},
	cherr.RequiredPassword:                 {1045, "28000"},
	cherr.AccessDenied:                     {1142, "42000"},
	cherr.DatabaseAccessDenied:             {1044, "42000"},
	cherr.Readonly:                         {1290, "HY000"},
	cherr.QueryWasCancelled:                {1317, "70100"},
	cherr.TimeoutExceeded:                  {3024, "HY000"},
	cherr.UnknownSetting:                   {1193, "HY000"},
	cherr.NotImplemented:                   {1235, "42000"},
	cherr.TooManySimultaneousQueries:       {1040, "08004"},
	cherr.MemoryLimitExceeded:              {1038, "HY001"},
	cherr.NumberOfColumnsDoesntMatch:       {1136, "21S01"},
	cherr.NotAnAggregate:                   {1055, "42000"},
	cherr.IllegalAggregation:               {1111, "HY000"},
	cherr.QueryIsTooLarge:                  {1153, "08S01"},
	cherr.UnexpectedPacketFromClient:       {1156, "08S01"},
	cherr.CannotInsertNullInOrdinaryColumn: {1048, "23000"},
	cherr.UnknownQueryParameter:            {1210, "HY000"},
}

// errorOf gives MySQL's number and state of an error.
func errorOf(err error) mysqlError {
	if e, ok := mysqlErrors[cherr.CodeOf(err)]; ok {
		return e
	}
	return mysqlError{1105, "HY000"}
}

// appendError makes an error packet with ClickHouse's text.
func appendError(b []byte, err error, version string) []byte {
	e := errorOf(err)
	b = binary.LittleEndian.AppendUint16(append(b, 0xff), e.number)
	b = append(append(b, '#'), e.state...)
	return append(b, server.Message(err, version)...)
}

// fail sends an error. What the connection says to that shows at its next read.
func (c *conn) fail(err error) {
	if c.p.write(appendError(nil, err, c.cfg.Version)) == nil {
		_ = c.p.flush()
	}
}
