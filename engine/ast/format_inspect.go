package ast

var showWords = [...]string{
	ShowTables: "TABLES", ShowDatabases: "DATABASES", ShowDictionaries: "DICTIONARIES", ShowColumns: "COLUMNS",
	ShowIndexes: "INDEXES", ShowFunctions: "FUNCTIONS", ShowCreate: "CREATE", ShowProcesslist: "PROCESSLIST",
	ShowSettings: "SETTINGS", ShowSetting: "SETTING", ShowEngines: "ENGINES", ShowClusters: "CLUSTERS", ShowCluster: "CLUSTER",
	ShowGrants: "GRANTS", ShowUsers: "USERS", ShowRoles: "ROLES", ShowCurrentRoles: "CURRENT ROLES",
	ShowEnabledRoles: "ENABLED ROLES", ShowProfiles: "SETTINGS PROFILES", ShowPolicies: "ROW POLICIES", ShowQuotas: "QUOTAS",
	ShowQuota: "QUOTA", ShowAccess: "ACCESS", ShowPrivileges: "PRIVILEGES", ShowMerges: "MERGES",
	ShowFilesystemCaches: "FILESYSTEM CACHES", ShowNamedCollections: "NAMED COLLECTIONS", ShowRefs: "",
}

// String gives the words after SHOW.
func (k ShowKind) String() string { return showWords[k] }

func (n *Show) format(p *printer) {
	p.s("SHOW ")
	if n.Kind == ShowCreate {
		n.formatCreate(p)
		n.Output.format(p)
		return
	}
	p.when(n.Extended, "EXTENDED ")
	p.when(n.Full, "FULL ")
	p.when(n.Temporary, "TEMPORARY ")
	p.when(n.Changed, "CHANGED ")
	p.s(n.Kind.String())
	switch n.Kind {
	case ShowRefs:
		p.s(n.Names[0])
	case ShowSetting, ShowCluster:
		p.s(" ")
		p.names(n.Names)
	case ShowGrants:
		if n.Names != nil {
			p.s(" FOR ")
			seq(p, n.Names, p.user)
		}
		p.when(n.Implicit, " WITH IMPLICIT")
		p.when(n.Final, " FINAL")
	}
	if n.Table != nil {
		p.s(" FROM ")
		n.Table.format(p)
	}
	if n.On != nil {
		p.s(" ON ")
		n.On.format(p)
	}
	if n.HasLike {
		p.like(n.NotLike, n.ILike, n.Like)
	}
	p.opt(" WHERE ", n.Where)
	p.opt(" LIMIT ", n.Limit)
	n.Output.format(p)
}

func (n *Show) formatCreate(p *printer) {
	p.s("CREATE")
	p.when(n.Temporary, " TEMPORARY")
	if n.Object != ObjectAny {
		p.s(" " + n.Object.String())
	}
	if n.Table != nil {
		p.s(" ")
		n.Table.format(p)
	}
	if n.Names != nil {
		p.s(" ")
		seq(p, n.Names, p.user)
	}
	if n.On != nil {
		p.s(" ON ")
		n.On.format(p)
	}
}

func (n *Describe) format(p *printer) {
	p.s("DESCRIBE TABLE ")
	n.Table.format(p)
	if n.Format == "" {
		p.settings(" SETTINGS ", n.Settings)
	}
	n.Output.format(p)
}

func (n *Exists) format(p *printer) {
	p.s("EXISTS ")
	p.when(n.Temporary, "TEMPORARY ")
	p.s(n.Object.String())
	p.s(" ")
	n.Table.format(p)
	n.Output.format(p)
}

var explainWords = [...]string{
	ExplainPlan: "PLAN", ExplainAST: "AST", ExplainSyntax: "SYNTAX", ExplainQueryTree: "QUERY TREE", ExplainPipeline: "PIPELINE",
	ExplainEstimate: "ESTIMATE", ExplainTableOverride: "TABLE OVERRIDE", ExplainTransaction: "CURRENT TRANSACTION",
	ExplainAnalyze: "ANALYZE",
}

// String gives the words after EXPLAIN.
func (k ExplainKind) String() string { return explainWords[k] }

func (n *Explain) format(p *printer) {
	p.s("EXPLAIN ")
	p.s(n.Kind.String())
	p.settings(" ", n.Settings)
	if n.Statement != nil {
		p.s(" ")
		n.Statement.format(p)
	}
	if n.Function != nil {
		p.s(" ")
		n.Function.format(p)
	}
	n.Output.format(p)
}

func (n *Check) format(p *printer) {
	p.s("CHECK ")
	if n.All {
		p.s("ALL TABLES")
	} else {
		p.s("TABLE ")
		n.Table.format(p)
	}
	if n.Partition != nil {
		p.s(" ")
		n.Partition.named(p)
	}
	if n.Format == "" {
		p.settings(" SETTINGS ", n.Settings)
	}
	n.Output.format(p)
}

func (n *Set) format(p *printer) {
	p.s("SET ")
	nodes(p, n.Settings)
	for i, s := range n.Params {
		p.when(i > 0 || len(n.Settings) > 0, ", ")
		(&Setting{Name: "param_" + s.Name, Value: s.Value, Default: s.Default}).format(p)
	}
}

func (n *SetRole) format(p *printer) {
	if !n.Default {
		p.s("SET ROLE ")
		p.roles(&n.Roles)
		return
	}
	p.s("SET DEFAULT ROLE ")
	p.roles(&n.Roles)
	p.s(" TO ")
	seq(p, n.Users, p.user)
}

func (n *Use) format(p *printer) {
	p.s("USE ")
	p.nameOr(n.Database, n.Param)
}

func (n *System) format(p *printer) {
	p.s("SYSTEM ")
	p.s(n.Command)
	if n.Table != nil {
		p.s(" ")
		n.Table.format(p)
	}
	switch {
	case len(n.Names) == 2 && n.Names[0] == "TAG":
		p.s(" TAG ")
		p.str(n.Names[1])
	case len(n.Names) == 2 && n.Names[0] == "ON VOLUME":
		p.s(" ON VOLUME ")
		for i, part := range splitDots(n.Names[1]) {
			p.when(i > 0, ".")
			p.name(part)
		}
	case len(n.Names) == 1 && n.Names[0] == "FOR":
		p.s(" FOR")
	case n.Names != nil && (n.Command == "FLUSH LOGS" || n.Command == "FLUSH LOG" || n.Command == "FLUSH ASYNC INSERT QUEUE"):
		p.s(" ")
		seq(p, n.Names, func(s string) { (&Identifier{Parts: splitDots(s)}).format(p) })
	case n.Names != nil:
		p.s(" ")
		seq(p, n.Names, p.str)
	}
	for _, a := range n.Args {
		p.s(" ")
		if id, ok := a.(*Identifier); ok {
			p.s(id.Parts[0]) // words of the grammar, never names
			continue
		}
		a.format(p)
	}
	p.cluster(n.Cluster)
	n.Output.format(p)
}

func (n *Kill) format(p *printer) {
	p.s("KILL ")
	p.s(n.Object)
	p.cluster(n.Cluster)
	p.opt(" WHERE ", n.Where)
	p.s(" ")
	p.s(n.Mode)
	n.Output.format(p)
}

func (n *Transaction) format(p *printer) {
	p.s(n.Verb)
	switch n.Verb {
	case "BEGIN", "COMMIT", "ROLLBACK":
		p.s(" TRANSACTION")
	}
	p.opt(" ", n.Snapshot)
}

func (n *ExecuteAs) format(p *printer) {
	p.s("EXECUTE AS ")
	p.user(n.User)
	if n.Statement != nil {
		p.s(" ")
		n.Statement.format(p)
	}
}

func (n *Backup) format(p *printer) {
	word := " TO "
	if n.Restore {
		p.s("RESTORE ")
		word = " FROM "
	} else {
		p.s("BACKUP ")
	}
	nodes(p, n.Elements)
	p.cluster(n.Cluster)
	p.s(word)
	n.Target.format(p)
	p.settings(" SETTINGS ", n.Settings)
	p.when(n.Async, " ASYNC")
	n.Output.format(p)
}

func (n *BackupElement) format(p *printer) {
	p.when(n.Temporary, "TEMPORARY ")
	if n.Object == ObjectAny {
		p.s("ALL")
	} else {
		p.s(n.Object.String())
		p.s(" ")
		n.Name.format(p)
	}
	if n.As != nil {
		p.s(" AS ")
		n.As.format(p)
	}
	if n.Partitions != nil {
		p.s(" PARTITIONS ")
		seq(p, n.Partitions, p.expr)
	}
	if n.ExceptDatabases != nil {
		p.s(" EXCEPT DATABASES ")
		p.names(n.ExceptDatabases)
	}
	if n.ExceptTables != nil {
		p.s(" EXCEPT TABLES ")
		nodes(p, n.ExceptTables)
	}
}
