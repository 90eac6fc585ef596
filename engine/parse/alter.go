package parse

import "lakeserver/engine/ast"

// alter reads ALTER of tables, databases, and access objects.
func (p *parser) alter(at ast.At) ast.Statement {
	if o, ok := p.accessObject(false); ok {
		return p.createAccess(at, o, true, false)
	}
	a := &ast.Alter{At: at, Object: ast.ObjectTable}
	switch {
	case p.word("NAMED COLLECTION"):
		return p.alterCollection(at)
	case p.word("DATABASE"):
		a.Object = ast.ObjectDatabase
		a.Table = p.databaseName()
	default:
		a.Temporary = p.word("TEMPORARY")
		p.mustWord("TABLE")
		a.Table = p.tableName()
	}
	a.Cluster = p.onCluster()
	brackets := false
	for first := true; !p.failed; first = false {
		// Commands may stand in brackets, then all of them.
		open := p.accept('(')
		if !first && open != brackets {
			p.fail("command")
			break
		}
		brackets = open
		a.Commands = append(a.Commands, p.alterCommand(a.Object))
		if open {
			p.expect(')')
		}
		if !p.accept(',') {
			break
		}
	}
	p.output(&a.Output)
	return a
}

func (p *parser) alterCollection(at ast.At) ast.Statement {
	c := &ast.AlterCollection{At: at, IfExists: p.word("IF EXISTS"), Name: p.ident(), Cluster: p.onCluster()}
	if p.word("SET") {
		c.Set, c.Overridable = p.collectionItems()
	}
	if p.word("DELETE") {
		c.Delete = list(p, p.ident)
	}
	if c.Set == nil && c.Delete == nil {
		p.fail("SET")
	}
	return c
}

func (p *parser) alterCommand(object ast.Object) *ast.AlterCommand {
	c := &ast.AlterCommand{At: p.place()}
	if object == ast.ObjectDatabase {
		p.mustWord("MODIFY")
		if p.comment(&c.Comment) {
			c.Kind = ast.ModifyDatabaseComment
			return c
		}
		p.mustWord("SETTING")
		c.Kind, c.Settings = ast.ModifyDatabaseSetting, p.settings()
		return c
	}
	switch w := p.oneOf("ADD", "DROP", "MODIFY", "ALTER", "RENAME", "COMMENT", "CLEAR", "MATERIALIZE", "REMOVE", "RESET",
		"DETACH", "ATTACH", "REPLACE", "MOVE", "FETCH", "FREEZE", "UNFREEZE", "UPDATE", "DELETE", "APPLY", "REWRITE", "FORGET",
		"EXECUTE", "CREATE", "SET"); w {
	case "ADD":
		p.alterAdd(c)
	case "DROP":
		p.alterDrop(c)
	case "MODIFY":
		p.alterModify(c)
	case "ALTER":
		p.mustWord("COLUMN")
		p.alterColumn(c)
	case "RENAME":
		p.mustWord("COLUMN")
		c.Kind, c.IfExists = ast.RenameColumn, p.word("IF EXISTS")
		c.Name = p.plainName()
		p.mustWord("TO")
		c.To = p.plainName()
	case "COMMENT":
		p.mustWord("COLUMN")
		c.Kind, c.IfExists = ast.CommentColumn, p.word("IF EXISTS")
		c.Name, c.Comment = p.plainName(), p.strLiteral()
	case "CLEAR":
		p.alterNamed(c, ast.ClearColumn, ast.ClearIndex, ast.ClearProjection, ast.ClearStatistics)
	case "MATERIALIZE":
		p.alterMaterialize(c)
	case "":
		p.failed = true
	default:
		p.alterRest(c, w)
	}
	return c
}

func (p *parser) alterAdd(c *ast.AlterCommand) {
	switch p.oneOf("COLUMN", "INDEX", "CONSTRAINT", "PROJECTION", "STATISTICS", "PARTITION FIELD") {
	case "COLUMN":
		c.Kind, c.IfNotExists = ast.AddColumn, p.word("IF NOT EXISTS")
		c.Column = p.columnDecl(true)
		p.firstOrAfter(c)
	case "INDEX":
		c.Kind, c.IfNotExists = ast.AddIndex, p.word("IF NOT EXISTS")
		c.Index = p.indexDecl()
		p.firstOrAfter(c)
	case "CONSTRAINT":
		c.Kind, c.IfNotExists = ast.AddConstraint, p.word("IF NOT EXISTS")
		c.Constraint = p.constraint()
	case "PROJECTION":
		c.Kind, c.IfNotExists = ast.AddProjection, p.word("IF NOT EXISTS")
		c.Projection = p.projection()
		p.firstOrAfter(c)
	case "STATISTICS":
		c.Kind, c.IfNotExists = ast.AddStatistics, p.word("IF NOT EXISTS")
		p.statistics(c, true)
	case "PARTITION FIELD":
		c.Kind, c.Expr = ast.AddPartitionField, p.expr()
		if p.word("AS") {
			c.As = p.ident()
		}
	default:
		p.failed = true
	}
}

func (p *parser) statistics(c *ast.AlterCommand, types bool) {
	if p.isWord(0, "ALL") && !types && (p.notOperand(1) || p.isWord(1, "SETTINGS")) {
		p.pos++
		c.All = true
		return
	}
	c.Columns = list(p, p.plainName)
	if types && p.word("TYPE") {
		c.Types = list(p, p.engine)
	}
}

func (p *parser) firstOrAfter(c *ast.AlterCommand) {
	if c.First = p.word("FIRST"); !c.First && p.word("AFTER") {
		c.After = p.plainName()
	}
}

func (p *parser) alterDrop(c *ast.AlterCommand) {
	switch {
	case p.word("PARTITION FIELD"):
		c.Kind, c.Expr = ast.DropPartitionField, p.expr()
	case p.word("IDENTIFIER FIELDS"):
		c.Kind, c.Columns = ast.DropIdentifierFields, list(p, p.plainName)
	case p.word("DETACHED"):
		c.Kind = ast.DropDetachedPartition
		p.partitionOrPart(c)
	case p.isWord(0, "PARTITION"), p.isWord(0, "PART"):
		c.Kind = ast.DropPartition
		p.partitionOrPart(c)
	case p.word("CONSTRAINT"):
		c.Kind, c.IfExists = ast.DropConstraint, p.word("IF EXISTS")
		c.Name = p.plainName()
	case p.word("BRANCH"):
		p.alterRef(c, ast.DropRef, "BRANCH")
	case p.word("TAG"):
		p.alterRef(c, ast.DropRef, "TAG")
	default:
		p.alterNamed(c, ast.DropColumn, ast.DropIndex, ast.DropProjection, ast.DropStatistics)
	}
}

// alterNamed is DROP and CLEAR of columns, indexes, projections and statistics.
func (p *parser) alterNamed(c *ast.AlterCommand, column, index, projection, statistics ast.AlterKind) {
	w := p.oneOf("COLUMN", "INDEX", "PROJECTION", "STATISTICS")
	c.IfExists = p.word("IF EXISTS")
	switch w {
	case "COLUMN":
		c.Kind, c.Name = column, p.plainName()
	case "INDEX":
		c.Kind, c.Name = index, p.plainName()
	case "PROJECTION":
		c.Kind, c.Name = projection, p.plainName()
	case "STATISTICS":
		c.Kind = statistics
		p.statistics(c, false)
	default:
		p.failed = true
		return
	}
	p.inPartition(c)
}

func (p *parser) inPartition(c *ast.AlterCommand) {
	if p.word("IN PARTITION") {
		c.Partition = p.partition()
	}
}

func (p *parser) partitionOrPart(c *ast.AlterCommand) {
	if p.isWord(0, "PART") {
		c.Partition = &ast.Partition{At: p.place(), Part: true}
		p.pos++
		c.Partition.Value = p.expr()
		return
	}
	p.mustWord("PARTITION")
	c.Partition = p.partition()
}

func (p *parser) alterMaterialize(c *ast.AlterCommand) {
	w := p.oneOf("COLUMN", "INDEX", "PROJECTION", "STATISTICS", "TTL")
	if w == "TTL" {
		c.Kind = ast.MaterializeTTL
		p.inPartition(c)
		return
	}
	p.pos--
	if w == "" {
		p.pos++
	}
	p.alterNamed(c, ast.MaterializeColumn, ast.MaterializeIndex, ast.MaterializeProjection, ast.MaterializeStatistics)
}

func (p *parser) alterModify(c *ast.AlterCommand) {
	switch w := p.oneOf("COLUMN", "ORDER BY", "SAMPLE BY", "PARTITION BY", "TTL", "SETTING", "QUERY", "REFRESH", "COMMENT",
		"STATISTICS", "DEFINER", "SQL SECURITY"); w {
	case "ORDER BY":
		c.Kind, c.Expr = ast.ModifyOrderBy, p.storageOrder()
	case "SAMPLE BY":
		c.Kind, c.Expr = ast.ModifySampleBy, p.expr()
	case "PARTITION BY":
		c.Kind, c.Expr = ast.ModifyPartitionBy, p.expr()
	case "TTL":
		c.Kind, c.TTL = ast.ModifyTTL, list(p, p.ttl)
	case "SETTING":
		c.Kind, c.Settings = ast.ModifySetting, p.settingsOfCommand()
	case "QUERY":
		c.Kind, c.Query = ast.ModifyQuery, p.query()
	case "REFRESH":
		c.Kind, c.Refresh = ast.ModifyRefresh, p.refresh()
	case "COMMENT":
		c.Kind, c.Comment = ast.ModifyComment, p.strLiteral()
	case "STATISTICS":
		c.Kind, c.IfExists = ast.ModifyStatistics, p.word("IF EXISTS")
		p.statistics(c, true)
	case "DEFINER", "SQL SECURITY":
		p.pos--
		if w == "SQL SECURITY" {
			p.pos--
		}
		c.Kind = ast.ModifyDefiner
		c.Definer, c.SQLSecurity = p.definer("", "")
	default:
		p.alterColumn(c)
	}
}

// settingsOfCommand ends before a comma that begins the next command.
func (p *parser) settingsOfCommand() []*ast.Setting {
	out := []*ast.Setting{p.setting()}
	for p.at(',') && p.isName(1) && (p.peek(2).kind == tEquals || p.peek(2).kind == '.') && !p.failed {
		p.pos++
		out = append(out, p.setting())
	}
	return out
}

// alterColumn is MODIFY COLUMN x …, MODIFY x … and ALTER COLUMN x TYPE t.
func (p *parser) alterColumn(c *ast.AlterCommand) {
	c.Kind, c.IfExists = ast.ModifyColumn, p.word("IF EXISTS")
	if k := p.dotted(); p.isWord(k, "TYPE") && p.isName(k+1) {
		c.Column = &ast.ColumnDecl{At: p.place(), Name: p.ident()}
		for p.accept('.') {
			c.Column.Name += "." + p.ident()
		}
		p.pos++
		c.Column.Type = p.typeName()
		p.firstOrAfter(c)
		return
	}
	c.Column = p.columnDecl(false)
	switch {
	case p.word("REMOVE"):
		c.Remove = p.oneOf("DEFAULT", "MATERIALIZED", "ALIAS", "COMMENT", "CODEC", "TTL", "SETTINGS")
		if c.Remove == "" {
			p.failed = true
		}
	case p.word("MODIFY SETTING"):
		c.Settings = p.settings()
	case p.word("RESET SETTING"):
		c.Names = list(p, p.ident)
	}
	p.firstOrAfter(c)
}

// dotted gives how many tokens the name that stands here has.
func (p *parser) dotted() int {
	k := 0
	for p.isName(k) && p.peek(k+1).kind == '.' {
		k += 2
	}
	if !p.isName(k) {
		return 0
	}
	return k + 1
}

func (p *parser) alterRest(c *ast.AlterCommand, w string) { // long: one case for each first word
	switch w {
	case "REMOVE":
		if p.word("SAMPLE BY") {
			c.Kind = ast.RemoveSampleBy
			return
		}
		p.mustWord("TTL")
		c.Kind = ast.RemoveTTL
	case "RESET":
		p.mustWord("SETTING")
		c.Kind, c.Names = ast.ResetSetting, list(p, p.ident)
	case "DETACH":
		c.Kind = ast.DetachPartition
		p.partitionOrPart(c)
	case "FORGET":
		c.Kind = ast.ForgetPartition
		p.partitionOrPart(c)
	case "ATTACH":
		c.Kind = ast.AttachPartition
		p.partitionOrPart(c)
		if p.word("FROM") {
			c.Kind, c.Table = ast.AttachPartitionFrom, p.tableName()
		}
	case "REPLACE":
		p.alterReplace(c)
	case "MOVE":
		p.alterMove(c)
	case "FETCH":
		c.Kind = ast.FetchPartition
		p.partitionOrPart(c)
		p.mustWord("FROM")
		c.Target = p.strName()
	case "FREEZE", "UNFREEZE":
		p.alterFreeze(c, w == "UNFREEZE")
	case "UPDATE":
		c.Kind, c.Set = ast.UpdateWhere, list(p, p.assignment)
		p.inPartition(c)
		p.mustWord("WHERE")
		c.Expr = p.expr()
	case "DELETE":
		c.Kind = ast.DeleteWhere
		p.inPartition(c)
		p.mustWord("WHERE")
		c.Expr = p.expr()
	case "APPLY":
		c.Kind = ast.ApplyDeletedMask
		if p.word("PATCHES") {
			c.Kind = ast.ApplyPatches
		} else {
			p.mustWord("DELETED MASK")
		}
		p.inPartition(c)
	case "REWRITE":
		p.mustWord("PARTS")
		c.Kind = ast.RewriteParts
		p.inPartition(c)
	case "EXECUTE":
		c.Kind, c.Call = ast.Execute, p.tableFunction()
	case "CREATE":
		p.alterCreate(c)
	case "SET":
		p.mustWord("IDENTIFIER FIELDS")
		c.Kind, c.Columns = ast.SetIdentifierFields, list(p, p.plainName)
	default:
		p.failed = true
	}
}

func (p *parser) alterReplace(c *ast.AlterCommand) {
	switch {
	case p.word("PARTITION FIELD"):
		c.Kind, c.Expr = ast.ReplacePartitionField, p.expr()
		p.mustWord("WITH")
		c.NewExpr = p.expr()
		if p.word("AS") {
			c.As = p.ident()
		}
	case p.word("BRANCH"):
		p.alterRef(c, ast.ReplaceRef, "BRANCH")
	case p.word("TAG"):
		p.alterRef(c, ast.ReplaceRef, "TAG")
	default:
		c.Kind = ast.ReplacePartition
		p.partitionOrPart(c)
		p.mustWord("FROM")
		c.Table = p.tableName()
	}
}

func (p *parser) alterCreate(c *ast.AlterCommand) {
	replace := p.word("OR REPLACE")
	kind := ast.CreateRef
	if replace {
		kind = ast.ReplaceRef
	}
	w := p.oneOf("BRANCH", "TAG")
	if w == "" {
		p.failed = true
	}
	p.alterRef(c, kind, w)
}

// alterRef is CREATE|REPLACE|DROP BRANCH|TAG name [AS OF VERSION id].
func (p *parser) alterRef(c *ast.AlterCommand, kind ast.AlterKind, what string) {
	c.Kind, c.TargetKind = kind, what
	if kind == ast.CreateRef {
		c.IfNotExists = p.word("IF NOT EXISTS")
	} else {
		c.IfExists = p.word("IF EXISTS")
	}
	c.Name = p.plainName()
	if p.word("AS OF VERSION") {
		c.Expr = p.expr()
	}
}

func (p *parser) alterMove(c *ast.AlterCommand) {
	c.Kind = ast.MovePartition
	p.partitionOrPart(c)
	p.mustWord("TO")
	switch c.TargetKind = p.oneOf("DISK", "VOLUME", "TABLE", "SHARD"); c.TargetKind {
	case "TABLE":
		c.Table = p.tableName()
	case "":
		p.failed = true
	default:
		c.Target = p.strName()
	}
}

func (p *parser) alterFreeze(c *ast.AlterCommand, un bool) {
	c.Kind = ast.FreezeAll
	if un {
		c.Kind = ast.UnfreezeAll
	}
	if p.isWord(0, "PARTITION") {
		p.partitionOrPart(c)
		c.Kind = ast.FreezePartition
		if un {
			c.Kind = ast.UnfreezePartition
		}
	}
	if p.word("WITH NAME") {
		c.TargetKind = "NAME"
		if p.atString() {
			c.Target = p.strName()
		} else {
			c.Target = p.ident()
		}
	}
}
