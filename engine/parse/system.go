package parse

import (
	"strings"

	"lakeserver/engine/ast"
)

// systemCommand is a command of SYSTEM and what may follow it: "" nothing,
// "t" a table, "t?" perhaps a table, "n*" names, "n" one name or string,
// "e?" perhaps an expression.
type systemCommand struct{ words, args string }

// systemCommands has longer commands before their beginnings.
var systemCommands = [...]systemCommand{
	{"DROP DNS CACHE", ""},
	{"DROP CONNECTIONS CACHE", ""},
	{"DROP MARK CACHE", ""},
	{"DROP PRIMARY INDEX CACHE", ""},
	{"DROP INDEX MARK CACHE", ""},
	{"DROP INDEX UNCOMPRESSED CACHE", ""},
	{"DROP UNCOMPRESSED CACHE", ""},
	{"DROP VECTOR SIMILARITY INDEX CACHE", ""},
	{"DROP TEXT INDEX CACHES", ""},
	{"DROP MMAP CACHE", ""},
	{"DROP QUERY CONDITION CACHE", ""},
	{"DROP QUERY CACHE", "tag"},
	{"DROP COMPILED EXPRESSION CACHE", ""},
	{"DROP ICEBERG METADATA CACHE", ""},
	{"DROP PARQUET METADATA CACHE", ""},
	{"DROP FILESYSTEM CACHE", "n?"},
	{"DROP DISTRIBUTED CACHE", "n?"},
	{"DROP PAGE CACHE", ""},
	{"DROP SCHEMA CACHE", "for"},
	{"DROP FORMAT SCHEMA CACHE", "for"},
	{"DROP S3 CLIENT CACHE", ""},
	{"DROP DISK METADATA CACHE", "n"},
	{"DROP REPLICA", "n"},
	{"DROP DATABASE REPLICA", "n"},
	{"SYNC FILE CACHE", ""},
	{"SYNC FILESYSTEM CACHE", "n?"},
	{"CLEAR DNS CACHE", ""},
	{"CLEAR MARK CACHE", ""},
	{"CLEAR UNCOMPRESSED CACHE", ""},
	{"CLEAR QUERY CACHE", "tag"},
	{"CLEAR ICEBERG METADATA CACHE", ""},
	{"CLEAR FILESYSTEM CACHE", "n?"},
	{"CLEAR SCHEMA CACHE", "for"},
	{"CLEAR PAGE CACHE", ""},
	{"SHUTDOWN", ""},
	{"KILL", ""},
	{"SUSPEND", "for"},
	{"FLUSH DISTRIBUTED", "t"},
	{"FLUSH LOGS", "n*"},
	{"FLUSH LOG", "n*"},
	{"FLUSH ASYNC INSERT QUEUE", "n*"},
	{"RELOAD DICTIONARIES", ""},
	{"RELOAD DICTIONARY", "t"},
	{"RELOAD MODELS", ""},
	{"RELOAD MODEL", "n"},
	{"RELOAD FUNCTIONS", ""},
	{"RELOAD FUNCTION", "n"},
	{"RELOAD EMBEDDED DICTIONARIES", ""},
	{"RELOAD CONFIG", ""},
	{"RELOAD USERS", ""},
	{"RELOAD ASYNCHRONOUS METRICS", ""},
	{"RESTART REPLICAS", ""},
	{"RESTART REPLICA", "t"},
	{"RESTART DISK", "n"},
	{"RESTORE REPLICA", "t"},
	{"RESTORE DATABASE REPLICA", "n"},
	{"SYNC REPLICA", "t"},
	{"SYNC DATABASE REPLICA", "n"},
	{"SYNC TRANSACTION LOG", ""},
	{"START LISTEN", "w*"},
	{"STOP LISTEN", "w*"},
	{"START THREAD FUZZER", ""},
	{"STOP THREAD FUZZER", ""},
	{"STOP TTL MERGES", "t?"},
	{"START TTL MERGES", "t?"},
	{"STOP MERGES", "t?"},
	{"START MERGES", "t?"},
	{"STOP MOVES", "t?"},
	{"START MOVES", "t?"},
	{"STOP FETCHES", "t?"},
	{"START FETCHES", "t?"},
	{"STOP REPLICATED SENDS", "t?"},
	{"START REPLICATED SENDS", "t?"},
	{"STOP REPLICATION QUEUES", "t?"},
	{"START REPLICATION QUEUES", "t?"},
	{"STOP DISTRIBUTED SENDS", "t?"},
	{"START DISTRIBUTED SENDS", "t?"},
	{"STOP PULLING REPLICATION LOG", "t?"},
	{"START PULLING REPLICATION LOG", "t?"},
	{"STOP CLEANUP", "t?"},
	{"START CLEANUP", "t?"},
	{"STOP VIEWS", ""},
	{"START VIEWS", ""},
	{"STOP REPLICATED VIEW", "t"},
	{"START REPLICATED VIEW", "t"},
	{"STOP VIEW", "t"},
	{"START VIEW", "t"},
	{"REFRESH VIEW", "t"},
	{"WAIT VIEW", "t"},
	{"CANCEL VIEW", "t"},
	{"TEST VIEW", "t"},
	{"WAIT LOADING PARTS", "t?"},
	{"ENABLE FAILPOINT", "n"},
	{"DISABLE FAILPOINT", "n"},
	{"WAIT FAILPOINT", "n"},
	{"JEMALLOC PURGE", ""},
	{"JEMALLOC ENABLE PROFILE", ""},
	{"JEMALLOC DISABLE PROFILE", ""},
	{"JEMALLOC FLUSH PROFILE", ""},
	{"UNFREEZE WITH NAME", "n"},
	{"UNLOAD PRIMARY KEY", "t?"},
	{"LOAD PRIMARY KEY", "t?"},
	{"PREWARM MARK CACHE", "t"},
	{"PREWARM PRIMARY INDEX CACHE", "t"},
	{"STOP REDUCE BLOCKING PARTS", "t?"},
	{"INSTRUMENT ADD", "w*"},
	{"INSTRUMENT REMOVE", "w*"},
	{"NOTIFY FAILPOINT", "n"},
	{"RESET COVERAGE", ""},
	{"START REDUCE BLOCKING PARTS", "t?"},
	{"STOP VIRTUAL PARTS UPDATE", "t?"},
	{"START VIRTUAL PARTS UPDATE", "t?"},
}

// system reads what follows SYSTEM.
func (p *parser) system(at ast.At) ast.Statement {
	s := &ast.System{At: at}
	for _, c := range systemCommands {
		if p.word(c.words) {
			s.Command = c.words
			s.Cluster = p.onCluster()
			p.systemArgs(s, c.args)
			if s.Cluster == "" {
				s.Cluster = p.onCluster()
			}
			p.output(&s.Output)
			return s
		}
	}
	p.failed = true
	return s
}

func (p *parser) systemArgs(s *ast.System, args string) {
	ends := p.at(tEOF) || p.at(';') || p.isWords("ON", "CLUSTER")
	switch args {
	case "t":
		s.Table = p.tableName()
		p.words(s)
	case "t?":
		if p.word("ON VOLUME") {
			s.Names = []string{"ON VOLUME", p.ident() + "." + p.afterDot()}
		} else if !ends {
			s.Table = p.tableName()
		}
	case "n*":
		if !ends {
			s.Names = list(p, p.dottedName)
		}
	case "n", "n?":
		if args == "n" || !ends {
			s.Names = []string{p.clusterName()}
			p.words(s)
		}
	case "tag":
		if p.word("TAG") {
			s.Names = []string{"TAG", p.strName()}
		}
	case "for":
		if p.word("FOR") {
			s.Names = []string{"FOR"}
			p.words(s)
		}
	case "w*":
		p.words(s)
	}
}

func (p *parser) afterDot() string {
	p.expect('.')
	return p.ident()
}

func (p *parser) dottedName() string {
	parts := p.plainName().Parts
	return strings.Join(parts, ".")
}

// words keeps further bare words, names, strings and numbers as they are.
func (p *parser) words(s *ast.System) {
	for !p.failed && !p.isWords("ON", "CLUSTER") && !p.isWord(0, "SETTINGS") && !p.isWord(0, "FORMAT") {
		at := p.place()
		switch t := p.cur(); t.kind {
		case tWord:
			p.pos++
			s.Args = append(s.Args, &ast.Identifier{At: at, Parts: []string{p.raw(t)}})
		case tString, tNumber:
			s.Args = append(s.Args, p.primary())
		case ',':
			p.pos++
		default:
			return
		}
	}
}

// backup reads BACKUP and RESTORE.
func (p *parser) backup(at ast.At, restore bool) ast.Statement {
	b := &ast.Backup{At: at, Restore: restore}
	b.Elements = list(p, p.backupElement)
	b.Cluster = p.onCluster()
	if restore {
		p.mustWord("FROM")
	} else {
		p.mustWord("TO")
	}
	b.Target = p.engine()
	if p.word("SETTINGS") {
		b.Settings = p.settings()
	}
	b.Async = p.word("ASYNC")
	if !b.Async {
		p.word("SYNC")
	}
	p.output(&b.Output)
	return b
}

func (p *parser) backupElement() *ast.BackupElement {
	e := &ast.BackupElement{At: p.place()}
	e.Temporary = p.word("TEMPORARY")
	switch w := p.oneOf("TABLE", "DICTIONARY", "VIEW", "DATABASE", "ALL"); w {
	case "TABLE", "DICTIONARY", "VIEW":
		e.Object = map[string]ast.Object{"TABLE": ast.ObjectTable, "DICTIONARY": ast.ObjectDictionary, "VIEW": ast.ObjectView}[w]
		e.Name = p.tableName()
		if p.word("AS") {
			e.As = p.tableName()
		}
		if p.oneOf("PARTITIONS", "PARTITION") != "" {
			e.Partitions = list(p, p.expr)
		}
	case "DATABASE":
		e.Object = ast.ObjectDatabase
		e.Name = p.databaseName()
		if p.word("AS") {
			e.As = p.databaseName()
		}
		p.backupExcept(e)
	case "ALL":
		p.backupExcept(e)
	default:
		p.failed = true
	}
	return e
}

func (p *parser) backupExcept(e *ast.BackupElement) {
	if p.oneOf("EXCEPT DATABASES", "EXCEPT DATABASE") != "" {
		e.ExceptDatabases = list(p, p.ident)
	}
	if p.oneOf("EXCEPT TABLES", "EXCEPT TABLE") != "" {
		e.ExceptTables = list(p, p.tableName)
	}
}
