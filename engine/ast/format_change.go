package ast

func (n *Insert) format(p *printer) {
	switch {
	case n.Overwrite && n.ReplaceWhere == nil:
		p.s("INSERT OVERWRITE ")
	default:
		p.s("INSERT INTO ")
	}
	if n.Function != nil {
		p.s("FUNCTION ")
		n.Function.format(p)
	} else {
		n.Table.format(p)
	}
	if n.Columns != nil {
		p.s(" (")
		seq(p, n.Columns, p.expr)
		p.s(")")
	}
	p.partition(" PARTITION ", n.Partition)
	p.opt(" REPLACE WHERE ", n.ReplaceWhere)
	p.opt(" PARTITION BY ", n.PartitionBy)
	p.optStr(" FROM INFILE ", n.Infile)
	p.optStr(" COMPRESSION ", n.InfileCompression)
	p.settings(" SETTINGS ", n.Settings)
	switch {
	case n.Query != nil:
		p.s(" ")
		n.Query.format(p)
	case n.Watch != nil:
		p.s(" WATCH ")
		n.Watch.format(p)
	case n.DataFormat == "Values":
		p.s(" VALUES")
	case n.DataFormat != "":
		p.s(" FORMAT ")
		p.name(n.DataFormat)
	}
	n.Output.format(p)
}

func (p *printer) partition(word string, n *Partition) {
	if n != nil {
		p.s(word)
		n.format(p)
	}
}

func (n *Partition) format(p *printer) {
	switch {
	case n.All:
		p.s("ALL")
	case n.ID != nil:
		p.opt("ID ", n.ID)
	default:
		p.expr(n.Value)
	}
}

// named prints PARTITION x or PART 'x'.
func (n *Partition) named(p *printer) {
	if n.Part {
		p.s("PART ")
	} else {
		p.s("PARTITION ")
	}
	n.format(p)
}

func (n *Delete) format(p *printer) {
	p.s("DELETE FROM ")
	n.Table.format(p)
	p.cluster(n.Cluster)
	p.partition(" IN PARTITION ", n.Partition)
	p.opt(" WHERE ", n.Where)
	p.settings(" SETTINGS ", n.Settings)
}

func (n *Update) format(p *printer) {
	p.s("UPDATE ")
	n.Table.format(p)
	p.cluster(n.Cluster)
	p.s(" SET ")
	nodes(p, n.Set)
	p.partition(" IN PARTITION ", n.Partition)
	p.opt(" WHERE ", n.Where)
	p.settings(" SETTINGS ", n.Settings)
}

func (n *Merge) format(p *printer) {
	p.s("MERGE INTO ")
	n.Target.format(p)
	p.s(" USING ")
	n.Source.format(p)
	p.s(" ON ")
	p.expr(n.On)
	for _, c := range n.Clauses {
		p.s(" ")
		c.format(p)
	}
	p.settings(" SETTINGS ", n.Settings)
}

func (n *MergeClause) format(p *printer) {
	p.s("WHEN ")
	p.when(!n.Matched, "NOT ")
	p.s("MATCHED")
	p.when(n.BySource, " BY SOURCE")
	p.opt(" AND ", n.And)
	p.s(" THEN ")
	p.s(n.Action)
	switch n.Action {
	case "UPDATE":
		p.s(" SET ")
		nodes(p, n.Set)
		p.when(n.Set == nil, "*")
	case "INSERT":
		if n.Values == nil {
			p.s(" *")
			return
		}
		if n.Columns != nil {
			p.s(" (")
			nodes(p, n.Columns)
			p.s(")")
		}
		p.s(" VALUES (")
		seq(p, n.Values, p.expr)
		p.s(")")
	}
}

func (n *Optimize) format(p *printer) {
	p.s("OPTIMIZE TABLE ")
	n.Table.format(p)
	p.cluster(n.Cluster)
	p.when(n.DryRun, " DRY RUN")
	if n.Parts != nil {
		p.s(" PARTS ")
		seq(p, n.Parts, p.expr)
	}
	p.partition(" PARTITION ", n.Partition)
	p.when(n.Manifest, " MANIFEST")
	p.opt(" WHERE ", n.Where)
	p.when(n.Final, " FINAL")
	p.when(n.Force, " FORCE")
	p.when(n.Deduplicate, " DEDUPLICATE")
	if n.DeduplicateBy != nil {
		p.s(" BY ")
		p.items(n.DeduplicateBy)
	}
	p.when(n.Cleanup, " CLEANUP")
	p.settings(" SETTINGS ", n.Settings)
	n.Output.format(p)
}

func (n *Alter) format(p *printer) {
	p.s("ALTER ")
	p.when(n.Temporary, "TEMPORARY ")
	p.s(n.Object.String())
	p.s(" ")
	n.Table.format(p)
	p.cluster(n.Cluster)
	p.s(" ")
	nodes(p, n.Commands)
	n.Output.format(p)
}

// alterWords are the words of each command up to its first operand.
var alterWords = [...]string{
	AddColumn: "ADD COLUMN", DropColumn: "DROP COLUMN", ModifyColumn: "MODIFY COLUMN", RenameColumn: "RENAME COLUMN",
	CommentColumn: "COMMENT COLUMN", ClearColumn: "CLEAR COLUMN", MaterializeColumn: "MATERIALIZE COLUMN",
	AddIndex: "ADD INDEX", DropIndex: "DROP INDEX", ClearIndex: "CLEAR INDEX", MaterializeIndex: "MATERIALIZE INDEX",
	AddConstraint: "ADD CONSTRAINT", DropConstraint: "DROP CONSTRAINT", AddProjection: "ADD PROJECTION",
	DropProjection: "DROP PROJECTION", ClearProjection: "CLEAR PROJECTION", MaterializeProjection: "MATERIALIZE PROJECTION",
	AddStatistics: "ADD STATISTICS", ModifyStatistics: "MODIFY STATISTICS", DropStatistics: "DROP STATISTICS",
	ClearStatistics: "CLEAR STATISTICS", MaterializeStatistics: "MATERIALIZE STATISTICS", ModifyOrderBy: "MODIFY ORDER BY",
	ModifySampleBy: "MODIFY SAMPLE BY", RemoveSampleBy: "REMOVE SAMPLE BY", ModifyTTL: "MODIFY TTL", RemoveTTL: "REMOVE TTL",
	MaterializeTTL: "MATERIALIZE TTL", ModifySetting: "MODIFY SETTING", ResetSetting: "RESET SETTING", ModifyQuery: "MODIFY QUERY",
	ModifyRefresh: "MODIFY", ModifyComment: "MODIFY COMMENT", ModifyDefiner: "MODIFY", ModifyDatabaseSetting: "MODIFY SETTING",
	ModifyDatabaseComment: "MODIFY COMMENT", DropPartition: "DROP", DetachPartition: "DETACH", DropDetachedPartition: "DROP DETACHED",
	ForgetPartition: "FORGET", AttachPartition: "ATTACH", AttachPartitionFrom: "ATTACH", ReplacePartition: "REPLACE",
	MovePartition: "MOVE", FetchPartition: "FETCH", FreezePartition: "FREEZE", UnfreezePartition: "UNFREEZE", FreezeAll: "FREEZE",
	UnfreezeAll: "UNFREEZE", UpdateWhere: "UPDATE", DeleteWhere: "DELETE", ApplyDeletedMask: "APPLY DELETED MASK",
	ApplyPatches: "APPLY PATCHES", RewriteParts: "REWRITE PARTS", Execute: "EXECUTE", AddPartitionField: "ADD PARTITION FIELD",
	DropPartitionField: "DROP PARTITION FIELD", ReplacePartitionField: "REPLACE PARTITION FIELD",
	ModifyPartitionBy: "MODIFY PARTITION BY", CreateRef: "CREATE", DropRef: "DROP", ReplaceRef: "REPLACE",
	SetIdentifierFields: "SET IDENTIFIER FIELDS", DropIdentifierFields: "DROP IDENTIFIER FIELDS",
}

// String gives the words that begin the command.
func (k AlterKind) String() string { return alterWords[k] }

func (n *AlterCommand) format(p *printer) { // long: one line for each operand, in the order of the grammar
	p.s(n.Kind.String())
	switch n.Kind {
	case CreateRef, DropRef, ReplaceRef:
		p.s(" " + n.TargetKind)
	case ModifyRefresh:
		n.Refresh.format(p)
	case ModifyDefiner:
		p.definer(n.Definer, n.SQLSecurity)
	}
	p.when(n.IfExists, " IF EXISTS")
	p.when(n.IfNotExists, " IF NOT EXISTS")
	p.when(n.All, " ALL")
	space := func(x Node) {
		if !isNil(x) {
			p.s(" ")
			x.format(p)
		}
	}
	space(n.Name)
	space(n.Column)
	space(n.Index)
	space(n.Constraint)
	space(n.Projection)
	if n.To != nil {
		p.s(" TO")
		space(n.To)
	}
	if n.Columns != nil {
		p.s(" ")
		nodes(p, n.Columns)
	}
	if n.Types != nil {
		p.s(" TYPE ")
		nodes(p, n.Types)
	}
	switch n.Kind {
	case ModifyColumn:
		p.when(n.Remove != "", " REMOVE "+n.Remove)
		p.settings(" MODIFY SETTING ", n.Settings)
		if n.Names != nil {
			p.s(" RESET SETTING ")
			p.names(n.Names)
		}
	case CommentColumn, ModifyComment, ModifyDatabaseComment:
		space(n.Comment)
	case ModifySetting, ModifyDatabaseSetting:
		p.settings(" ", n.Settings)
	case ResetSetting:
		p.s(" ")
		p.names(n.Names)
	case ModifyTTL:
		p.s(" ")
		nodes(p, n.TTL)
	}
	p.when(n.First, " FIRST")
	if n.After != nil {
		p.s(" AFTER")
		space(n.After)
	}
	space(n.Query)
	space(n.Call)
	n.formatPartition(p)
}

func (n *AlterCommand) formatPartition(p *printer) {
	if n.Set != nil {
		p.s(" ")
		nodes(p, n.Set)
	}
	switch {
	case n.Partition == nil:
	case n.Kind >= DropPartition && n.Kind <= UnfreezePartition:
		p.s(" ")
		n.Partition.named(p)
	default:
		p.partition(" IN PARTITION ", n.Partition)
	}
	switch n.Kind {
	case AttachPartitionFrom, ReplacePartition:
		p.s(" FROM ")
		n.Table.format(p)
	case FetchPartition:
		p.optStr(" FROM ", n.Target)
	case MovePartition:
		p.s(" TO " + n.TargetKind + " ")
		if n.Table != nil {
			n.Table.format(p)
		} else {
			p.str(n.Target)
		}
	case FreezePartition, UnfreezePartition, FreezeAll, UnfreezeAll:
		p.optStr(" WITH NAME ", n.Target)
	case UpdateWhere, DeleteWhere:
		p.opt(" WHERE ", n.Expr)
	case CreateRef, DropRef, ReplaceRef:
		p.opt(" AS OF VERSION ", n.Expr)
	default:
		p.opt(" ", n.Expr)
	}
	p.opt(" WITH ", n.NewExpr)
	p.optName(" AS ", n.As)
}
