package ast

func (p *printer) cluster(s string) {
	if s == "" {
		return
	}
	p.s(" ON CLUSTER ")
	if s[0] == '{' {
		p.s(s)
		return
	}
	p.name(s)
}

// verb prints CREATE, ATTACH or REPLACE and the words up to the name.
func (p *printer) verb(attach, replace, only bool, words string, ifNotExists bool) {
	switch {
	case attach:
		p.s("ATTACH ")
	case only:
		p.s("REPLACE ")
	case replace:
		p.s("CREATE OR REPLACE ")
	default:
		p.s("CREATE ")
	}
	p.s(words)
	p.when(ifNotExists, " IF NOT EXISTS")
	p.s(" ")
}

func (p *printer) comment(c *Literal) {
	if c != nil {
		p.s(" COMMENT ")
		c.format(p)
	}
}

func (n *CreateTable) format(p *printer) {
	words := "TABLE"
	if n.Temporary {
		words = "TEMPORARY TABLE"
	}
	p.verb(n.Attach, n.Replace, n.ReplaceOnly, words, n.IfNotExists)
	n.Name.format(p)
	p.optStr(" UUID ", n.UUID)
	p.cluster(n.Cluster)
	p.optStr(" FROM ", n.From)
	n.formatColumns(p)
	if n.Storage != nil {
		n.Storage.format(p)
	}
	p.comment(n.Comment)
	switch {
	case n.AsQuery != nil:
		p.when(n.Empty, " EMPTY")
		p.s(" AS ")
		n.AsQuery.format(p)
	case n.AsFunction != nil:
		p.s(" AS ")
		n.AsFunction.format(p)
	case n.AsTable != nil:
		p.when(n.Clone, " CLONE")
		p.s(" AS ")
		n.AsTable.format(p)
	}
}

func (n *CreateTable) formatColumns(p *printer) {
	if n.Columns == nil && n.Indexes == nil && n.Constraints == nil && n.Projections == nil && n.PrimaryKey == nil {
		return
	}
	p.s(" (")
	nodes(p, n.Columns)
	first := len(n.Columns) == 0
	next := func(word string) {
		p.when(!first, ", ")
		first = false
		p.s(word)
	}
	for _, x := range n.Indexes {
		next("INDEX ")
		x.format(p)
	}
	for _, x := range n.Constraints {
		next("CONSTRAINT ")
		x.format(p)
	}
	for _, x := range n.Projections {
		next("PROJECTION ")
		x.format(p)
	}
	if n.PrimaryKey != nil {
		next("PRIMARY KEY ")
		p.expr(n.PrimaryKey)
	}
	p.s(")")
}

func (n *ColumnDecl) format(p *printer) {
	p.b = appendQuoted(p.b, n.Name, '`')
	if n.Type != "" {
		p.s(" ")
		p.s(n.Type)
	}
	if n.Null != "" {
		p.s(" ")
		p.s(n.Null)
	}
	if n.DefaultKind != "" {
		p.s(" ")
		p.s(n.DefaultKind)
		p.opt(" ", n.Default)
	}
	p.comment(n.Comment)
	if n.Codec != nil {
		p.s(" ")
		n.Codec.format(p)
	}
	if n.Statistics != nil {
		p.s(" ")
		n.Statistics.format(p)
	}
	p.opt(" TTL ", n.TTL)
	p.optName(" COLLATE ", n.Collate)
	p.when(n.PrimaryKey, " PRIMARY KEY")
	p.when(n.AutoIncrement, " AUTO_INCREMENT")
	if n.Settings != nil {
		p.settings(" SETTINGS (", n.Settings)
		p.s(")")
	}
}

func (n *IndexDecl) format(p *printer) {
	p.name(n.Name)
	p.s(" ")
	n.tail(p)
}

func (n *IndexDecl) tail(p *printer) {
	p.operand(n.Expr)
	if n.Type != nil {
		p.s(" TYPE ")
		n.Type.format(p)
	}
	p.opt(" GRANULARITY ", n.Granularity)
}

func (n *ConstraintDecl) format(p *printer) {
	p.name(n.Name)
	if n.Assume {
		p.s(" ASSUME ")
	} else {
		p.s(" CHECK ")
	}
	p.expr(n.Expr)
}

func (n *ProjectionDecl) format(p *printer) {
	p.name(n.Name)
	if n.Query != nil {
		p.s(" (")
		n.Query.format(p)
		p.s(")")
	} else {
		p.opt(" INDEX ", n.Index)
		p.s(" TYPE ")
		n.Type.format(p)
	}
	if n.Settings != nil {
		p.settings(" WITH SETTINGS (", n.Settings)
		p.s(")")
	}
}

func (n *Storage) format(p *printer) {
	if n.Engine != nil {
		p.s(" ENGINE = ")
		n.Engine.format(p)
	}
	p.opt(" PARTITION BY ", n.PartitionBy)
	p.opt(" PRIMARY KEY ", n.PrimaryKey)
	p.opt(" ORDER BY ", n.OrderBy)
	p.opt(" SAMPLE BY ", n.SampleBy)
	p.opt(" UNIQUE KEY ", n.UniqueKey)
	if n.TTL != nil {
		p.s(" TTL ")
		nodes(p, n.TTL)
	}
	p.settings(" SETTINGS ", n.Settings)
}

func (n *TTL) format(p *printer) {
	p.expr(n.Expr)
	if n.Action != "" {
		p.s(" ")
		p.s(n.Action)
	}
	p.when(n.IfExists, " IF EXISTS")
	p.optStr(" ", n.Target)
	if n.Codec != nil {
		p.s(" ")
		n.Codec.format(p)
	}
	if n.GroupBy != nil {
		p.s(" ")
		seq(p, n.GroupBy, p.expr)
	}
	if n.Set != nil {
		p.s(" SET ")
		nodes(p, n.Set)
	}
	p.opt(" WHERE ", n.Where)
}

func (n *Assignment) format(p *printer) {
	n.Column.format(p)
	p.s(" = ")
	p.expr(n.Expr)
}

func (n *CreateView) format(p *printer) {
	words := "VIEW"
	switch {
	case n.Materialized:
		words = "MATERIALIZED VIEW"
	case n.Live:
		words = "LIVE VIEW"
	case n.Window:
		words = "WINDOW VIEW"
	}
	if n.Temporary {
		words = "TEMPORARY " + words
	}
	p.verb(n.Attach, n.Replace, false, words, n.IfNotExists)
	n.Name.format(p)
	p.optStr(" UUID ", n.UUID)
	p.cluster(n.Cluster)
	if n.Refresh != nil {
		n.Refresh.format(p)
	}
	if n.To != nil {
		p.s(" TO ")
		n.To.format(p)
	}
	p.optStr(" TO INNER UUID ", n.ToInnerUUID)
	if n.Aliases != nil {
		p.s(" (")
		p.names(n.Aliases)
		p.s(")")
	}
	(&CreateTable{Columns: n.Columns, Indexes: n.Indexes}).formatColumns(p)
	if n.Storage != nil {
		n.Storage.format(p)
	}
	p.when(n.Populate, " POPULATE")
	p.when(n.Empty, " EMPTY")
	p.definer(n.Definer, n.SQLSecurity)
	p.comment(n.Comment)
	if n.Query != nil {
		p.s(" AS ")
		n.Query.format(p)
	}
}

func (p *printer) definer(user, security string) {
	switch user {
	case "":
	case "CURRENT_USER":
		p.s(" DEFINER = CURRENT_USER")
	default:
		p.s(" DEFINER = ")
		p.user(user)
	}
	if security != "" {
		p.s(" SQL SECURITY ")
		p.s(security)
	}
}

func (n *Refresh) format(p *printer) {
	p.s(" REFRESH ")
	p.s(n.Schedule)
	if n.DependsOn != nil {
		p.s(" DEPENDS ON ")
		nodes(p, n.DependsOn)
	}
	p.settings(" SETTINGS ", n.Settings)
	p.when(n.Append, " APPEND")
}

func (n *CreateDatabase) format(p *printer) {
	p.verb(n.Attach, false, false, "DATABASE", n.IfNotExists)
	p.nameOr(n.Name, n.NameParam)
	p.optStr(" UUID ", n.UUID)
	p.cluster(n.Cluster)
	if n.Storage != nil {
		n.Storage.format(p)
	}
	p.comment(n.Comment)
}

func (n *CreateFunction) format(p *printer) {
	p.verb(false, n.Replace, false, "FUNCTION", n.IfNotExists)
	p.name(n.Name)
	p.cluster(n.Cluster)
	p.s(" AS ")
	p.expr(n.Body)
}

func (p *printer) collectionItems(settings []*Setting, overridable []string) {
	for i, s := range settings {
		p.when(i > 0, ", ")
		s.format(p)
		if i < len(overridable) && overridable[i] != "" {
			p.s(" ")
			p.s(overridable[i])
		}
	}
}

func (n *CreateNamedCollection) format(p *printer) {
	p.verb(false, false, false, "NAMED COLLECTION", n.IfNotExists)
	p.name(n.Name)
	p.cluster(n.Cluster)
	p.s(" AS ")
	p.collectionItems(n.Settings, n.Overridable)
}

func (n *AlterCollection) format(p *printer) {
	p.s("ALTER NAMED COLLECTION ")
	p.when(n.IfExists, "IF EXISTS ")
	p.name(n.Name)
	p.cluster(n.Cluster)
	if n.Set != nil {
		p.s(" SET ")
		p.collectionItems(n.Set, n.Overridable)
	}
	if n.Delete != nil {
		p.s(" DELETE ")
		p.names(n.Delete)
	}
}

func (n *CreateIndex) format(p *printer) {
	words := "INDEX"
	if n.Unique {
		words = "UNIQUE INDEX"
	}
	p.verb(false, false, false, words, n.IfNotExists)
	p.name(n.Index.Name)
	p.s(" ON ")
	n.Table.format(p)
	p.cluster(n.Cluster)
	p.s(" ")
	n.Index.tail(p)
}

func (n *CreateDictionary) format(p *printer) {
	p.verb(n.Attach, n.Replace, false, "DICTIONARY", n.IfNotExists)
	n.Name.format(p)
	p.optStr(" UUID ", n.UUID)
	p.cluster(n.Cluster)
	if n.Attributes != nil {
		p.s(" (")
		nodes(p, n.Attributes)
		p.s(")")
	}
	if n.PrimaryKey != nil {
		p.s(" PRIMARY KEY ")
		p.items(n.PrimaryKey)
	}
	p.keyValues(" SOURCE(", n.Source)
	p.keyValues(" LAYOUT(", n.Layout)
	switch {
	case n.LifetimeMin != nil:
		p.opt(" LIFETIME(MIN ", n.LifetimeMin)
		p.opt(" MAX ", n.LifetimeMax)
		p.s(")")
	case n.LifetimeMax != nil:
		p.opt(" LIFETIME(", n.LifetimeMax)
		p.s(")")
	}
	if n.RangeMin != "" {
		p.optName(" RANGE(MIN ", n.RangeMin)
		p.optName(" MAX ", n.RangeMax)
		p.s(")")
	}
	if n.Settings != nil {
		p.settings(" SETTINGS(", n.Settings)
		p.s(")")
	}
	p.comment(n.Comment)
}

func (p *printer) keyValues(word string, f *Function) {
	if f != nil {
		p.s(word)
		f.formatKeyValues(p)
		p.s(")")
	}
}

func (n *Function) formatKeyValues(p *printer) {
	p.when(n.Name != "", quoteWord(n.Name))
	if n.NoArgs {
		return
	}
	p.s("(")
	for i, a := range n.Args {
		p.when(i > 0, " ")
		a.format(p)
	}
	p.s(")")
}

func (n *KeyValue) format(p *printer) {
	p.name(n.Key)
	p.s(" ")
	if f, ok := n.Value.(*Function); ok && !f.Operator {
		f.formatKeyValues(p)
		return
	}
	p.expr(n.Value)
}

func (n *DictionaryAttribute) format(p *printer) {
	p.name(n.Name)
	p.s(" ")
	p.s(n.Type)
	p.opt(" DEFAULT ", n.Default)
	p.opt(" EXPRESSION ", n.Expression)
	p.when(n.Hierarchical, " HIERARCHICAL")
	p.when(n.Bidirectional, " BIDIRECTIONAL")
	p.when(n.Injective, " INJECTIVE")
	p.when(n.IsObjectID, " IS_OBJECT_ID")
}

func (n *Drop) format(p *printer) {
	p.s([...]string{"DROP ", "DETACH ", "TRUNCATE ", "UNDROP "}[n.Verb])
	p.when(n.Temporary, "TEMPORARY ")
	p.s(n.Object.String())
	p.when(n.Object == ObjectTables, " FROM")
	p.when(n.IfExists, " IF EXISTS")
	p.when(n.IfEmpty, " IF EMPTY")
	p.s(" ")
	if n.Names != nil {
		seq(p, n.Names, p.user)
	} else {
		nodes(p, n.Tables)
	}
	if n.Like != "" {
		p.like(n.NotLike, n.ILike, n.Like)
	}
	if n.On != nil {
		p.s(" ON ")
		n.On.format(p)
	}
	p.optStr(" UUID ", n.UUID)
	p.cluster(n.Cluster)
	p.optName(" FROM ", n.From)
	p.when(n.Permanently, " PERMANENTLY")
	p.when(n.NoDelay, " SYNC")
	n.Output.format(p)
}

func (p *printer) like(not, insensitive bool, s string) {
	p.when(not, " NOT")
	if insensitive {
		p.s(" ILIKE ")
	} else {
		p.s(" LIKE ")
	}
	p.str(s)
}

func (n *Rename) format(p *printer) {
	word := " TO "
	if n.Exchange {
		p.s("EXCHANGE ")
		word = " AND "
	} else {
		p.s("RENAME ")
	}
	switch n.Object {
	case ObjectTable:
		p.when(n.Exchange, "TABLES ")
		p.when(!n.Exchange, "TABLE ")
	case ObjectDictionary:
		p.when(n.Exchange, "DICTIONARIES ")
		p.when(!n.Exchange, "DICTIONARY ")
	case ObjectDatabase:
		p.s("DATABASE ")
	}
	p.when(n.IfExists, "IF EXISTS ")
	seq(p, n.Pairs, func(x *RenamePair) {
		x.From.format(p)
		p.s(word)
		x.To.format(p)
	})
	p.cluster(n.Cluster)
}

func (n *RenamePair) format(p *printer) {
	n.From.format(p)
	p.s(" TO ")
	n.To.format(p)
}
