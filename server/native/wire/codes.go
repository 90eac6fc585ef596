package wire

// What clients send.
const (
	ClientHello               = 0
	ClientQuery               = 1
	ClientData                = 2
	ClientCancel              = 3
	ClientPing                = 4
	ClientTablesStatusRequest = 5
	ClientKeepAlive           = 6
	ClientScalar              = 7
)

// What the server sends.
const (
	ServerHello                = 0
	ServerData                 = 1
	ServerException            = 2
	ServerProgress             = 3
	ServerPong                 = 4
	ServerEndOfStream          = 5
	ServerProfileInfo          = 6
	ServerTotals               = 7
	ServerExtremes             = 8
	ServerTablesStatusResponse = 9
	ServerLog                  = 10
	ServerTableColumns         = 11
	ServerProfileEvents        = 14
	ServerTimezoneUpdate       = 17
)

// Revision is what we speak at most: that of ClickHouse 25.8.
const Revision = 54479

// The revisions from which fields are there.
const (
	revTemporaryTables     = 50264
	revTotalRows           = 51554
	revClientInfo          = 54032
	revTimezone            = 54058
	revQuotaKey            = 54060
	revDisplayName         = 54372
	revVersionPatch        = 54401
	RevLogs                = 54406
	RevTableColumns        = 54410
	revWriteInfo           = 54420
	revSettingsAsStrings   = 54429
	revInterserverSecret   = 54441
	revOpenTelemetry       = 54442
	revForwardedFor        = 54443
	revReferer             = 54447
	revDistributedDepth    = 54448
	revQueryStartTime      = 54449
	RevProfileEvents       = 54451
	revParallelReplicas    = 54453
	RevInsertProfileEvents = 54456
	RevAddendum            = 54458
	revParameters          = 54459
	revElapsed             = 54460
	revPasswordRules       = 54461
	revSecretV2            = 54462
	revTotalBytes          = 54463
	RevTimezoneUpdate      = 54464
	revTablesReadonly      = 54467
	revRowsBeforeAgg       = 54469
	RevChunked             = 54470
	revReplicasVersion     = 54471
	revExternalRoles       = 54472
	revServerSettings      = 54474
	revScriptLines         = 54475
	revJWT                 = 54476
	revQueryPlan           = 54477
	revClusterFunction     = 54479
)

// StageComplete is the only processing stage that we run to.
const StageComplete = 2
