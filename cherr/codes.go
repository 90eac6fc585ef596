package cherr

import (
	_ "embed"
	"strconv"
	"strings"
)

// Code is a ClickHouse error code, as in its system.errors.
type Code int32

// The codes that the server uses.
const (
	OK                                           Code = 0
	UnsupportedMethod                            Code = 1
	UnsupportedParameter                         Code = 2
	UnexpectedEndOfFile                          Code = 3
	ExpectedEndOfFile                            Code = 4
	UnexpectedAstStructure                       Code = 223
	CannotParseText                              Code = 6
	IncorrectNumberOfColumns                     Code = 7
	ThereIsNoColumn                              Code = 8
	SizesOfColumnsDoesntMatch                    Code = 9
	NotFoundColumnInBlock                        Code = 10
	PositionOutOfBound                           Code = 11
	ParameterOutOfBound                          Code = 12
	SizesOfColumnsInTupleDoesntMatch             Code = 13
	DuplicateColumn                              Code = 15
	NoSuchColumnInTable                          Code = 16
	SizeOfFixedStringDoesntMatch                 Code = 19
	NumberOfColumnsDoesntMatch                   Code = 20
	CannotReadFromIstream                        Code = 23
	CannotWriteToOstream                         Code = 24
	CannotParseEscapeSequence                    Code = 25
	CannotParseQuotedString                      Code = 26
	CannotParseInputAssertionFailed              Code = 27
	CannotPrintFloatOrDoubleNumber               Code = 28
	AttemptToReadAfterEof                        Code = 32
	CannotReadAllData                            Code = 33
	TooManyArgumentsForFunction                  Code = 34
	TooFewArgumentsForFunction                   Code = 35
	BadArguments                                 Code = 36
	UnknownElementInAST                          Code = 37
	CannotParseDate                              Code = 38
	TooLargeSizeCompressed                       Code = 39
	ChecksumDoesntMatch                          Code = 40
	CannotParseDatetime                          Code = 41
	NumberOfArgumentsDoesntMatch                 Code = 42
	IllegalTypeOfArgument                        Code = 43
	IllegalColumn                                Code = 44
	UnknownFunction                              Code = 46
	UnknownIdentifier                            Code = 47
	NotImplemented                               Code = 48
	LogicalError                                 Code = 49
	UnknownType                                  Code = 50
	EmptyListOfColumnsQueried                    Code = 51
	ColumnQueriedMoreThanOnce                    Code = 52
	TypeMismatch                                 Code = 53
	StorageRequiresParameter                     Code = 55
	UnknownStorage                               Code = 56
	TableAlreadyExists                           Code = 57
	TableMetadataAlreadyExists                   Code = 58
	IllegalTypeOfColumnForFilter                 Code = 59
	UnknownTable                                 Code = 60
	SyntaxError                                  Code = 62
	UnknownAggregateFunction                     Code = 63
	CannotGetSizeOfField                         Code = 68
	ArgumentOutOfBound                           Code = 69
	CannotConvertType                            Code = 70
	CannotWriteAfterEndOfBuffer                  Code = 71
	CannotParseNumber                            Code = 72
	UnknownFormat                                Code = 73
	QueryIsTooLarge                              Code = 229
	CannotReadFromFileDescriptor                 Code = 74
	CannotWriteToFileDescriptor                  Code = 75
	CannotOpenFile                               Code = 76
	CannotCloseFile                              Code = 77
	UnknownTypeOfQuery                           Code = 78
	IncorrectFileName                            Code = 79
	IncorrectQuery                               Code = 80
	UnknownDatabase                              Code = 81
	DatabaseAlreadyExists                        Code = 82
	DirectoryDoesntExist                         Code = 83
	DirectoryAlreadyExists                       Code = 84
	FormatIsNotSuitableForInput                  Code = 85
	ReceivedErrorFromRemoteIoServer              Code = 86
	EmptyDataPassed                              Code = 92
	CannotReadFromSocket                         Code = 95
	CannotWriteToSocket                          Code = 96
	UnknownPacketFromClient                      Code = 99
	UnknownPacketFromServer                      Code = 100
	UnknownCompressionMethod                     Code = 89
	UnknownBlockInfoField                        Code = 108
	UnexpectedPacketFromClient                   Code = 101
	FileDoesntExist                              Code = 107
	NoDataToInsert                               Code = 108
	UnknownSetting                               Code = 115
	ThereIsNoDefaultValue                        Code = 116
	IncorrectData                                Code = 117
	EngineRequired                               Code = 119
	CannotInsertValueOfDifferentSizeIntoTuple    Code = 120
	IncompatibleColumns                          Code = 122
	UnknownTypeOfASTNode                         Code = 123
	IncorrectElementOfSet                        Code = 124
	IncorrectResultOfScalarSubquery              Code = 125
	IllegalIndex                                 Code = 127
	TooLargeArraySize                            Code = 128
	FunctionIsSpecial                            Code = 129
	CannotReadArrayFromText                      Code = 130
	TooLargeStringSize                           Code = 131
	AggregateFunctionDoesntAllowParameters       Code = 133
	ParametersToAggregateFunctionsMustBeLiterals Code = 134
	ZeroArrayOrTupleIndex                        Code = 135
	UnknownElementInConfig                       Code = 137
	ExcessiveElementInConfig                     Code = 138
	NoElementsInConfig                           Code = 139
	SamplingNotSupported                         Code = 141
	UnknownDirectionOfSorting                    Code = 152
	IllegalDivision                              Code = 153
	DictionariesWasNotLoaded                     Code = 156
	TooManyRows                                  Code = 158
	TimeoutExceeded                              Code = 159
	TooSlow                                      Code = 160
	TooManyColumns                               Code = 161
	TooDeepSubqueries                            Code = 162
	Readonly                                     Code = 164
	TooManyTemporaryColumns                      Code = 165
	TooDeepAST                                   Code = 167
	TooBigAST                                    Code = 168
	BadTypeOfField                               Code = 169
	BadGet                                       Code = 170
	CannotAllocateMemory                         Code = 173
	CyclicAliases                                Code = 174
	MultipleExpressionsForAlias                  Code = 179
	ThereIsNoProfile                             Code = 180
	IllegalFinal                                 Code = 181
	IllegalPrewhere                              Code = 182
	UnexpectedExpression                         Code = 183
	IllegalAggregation                           Code = 184
	UnsupportedCollationLocale                   Code = 186
	CollationComparisonFailed                    Code = 187
	SizesOfArraysDontMatch                       Code = 190
	SetSizeLimitExceeded                         Code = 191
	UnknownUser                                  Code = 192
	WrongPassword                                Code = 193
	RequiredPassword                             Code = 194
	IPAddressNotAllowed                          Code = 195
	DNSError                                     Code = 198
	TooManySimultaneousQueries                   Code = 202
	NoFreeConnection                             Code = 203
	AliasRequired                                Code = 206
	AmbiguousIdentifier                          Code = 207
	EmptyNestedTable                             Code = 208
	SocketTimeout                                Code = 209
	NetworkError                                 Code = 210
	EmptyQuery                                   Code = 211
	NotAnAggregate                               Code = 215
	QueryWithSameIDIsAlreadyRunning              Code = 216
	ClientHasConnectedToWrongPort                Code = 217
	TableIsDropped                               Code = 218
	DatabaseNotEmpty                             Code = 219
	NoReplicaHasPart                             Code = 234
	MemoryLimitExceeded                          Code = 241
	TableIsReadOnly                              Code = 242
	NotEnoughSpace                               Code = 243
	CorruptedData                                Code = 246
	InvalidPartitionValue                        Code = 248
	TooManyParts                                 Code = 252
	UnionAllResultStructuresMismatch             Code = 258
	BadCollation                                 Code = 262
	IncompatibleTypeOfJoin                       Code = 264
	CannotDecompress                             Code = 271
	CannotCompress                               Code = 270
	IndexNotUsed                                 Code = 277
	AllConnectionTriesFailed                     Code = 279
	ReplicaIsNotInQuorum                         Code = 289
	LimitExceeded                                Code = 290
	DatabaseAccessDenied                         Code = 291
	TableWasNotDropped                           Code = 305
	TooDeepRecursion                             Code = 306
	TooManyBytes                                 Code = 307
	FunctionCannotHaveParameters                 Code = 309
	InvalidConfigParameter                       Code = 318
	ValueIsOutOfRangeOfDataType                  Code = 321
	UnknownDatabaseEngine                        Code = 336
	Unfinished                                   Code = 341
	MetadataMismatch                             Code = 342
	SupportIsDisabled                            Code = 344
	CannotInsertNullInOrdinaryColumn             Code = 349
	AmbiguousColumnName                          Code = 352
	IndexOfPositionalArgumentIsOutOfRange        Code = 353
	ZlibInflateFailed                            Code = 354
	ZlibDeflateFailed                            Code = 355
	IntoOutfileNotAllowed                        Code = 358
	TableSizeExceedsMaxDropSizeLimit             Code = 359
	CannotCreateCharsetConverter                 Code = 360
	SessionNotFound                              Code = 372
	SessionIsLocked                              Code = 373
	FormatIsNotSuitableForOutput                 Code = 399
	InvalidSessionTimeout                        Code = 374
	HTTPLengthRequired                           Code = 381
	CannotParseUUID                              Code = 376
	IllegalSyntaxForDataType                     Code = 377
	DataTypeCannotHaveArguments                  Code = 378
	NoCommonType                                 Code = 386
	QueryIsProhibited                            Code = 392
	QueryWasCancelled                            Code = 394
	FunctionThrowIfValueIsNonZero                Code = 395
	TooManyRowsOrBytes                           Code = 396
	QueryIsNotSupportedInMaterializedView        Code = 397
	CannotStat                                   Code = 400
	InvalidJoinOnExpression                      Code = 403
	DecimalOverflow                              Code = 407
	BadRequestParameter                          Code = 408
	AllReplicasLost                              Code = 415
	ExpectedAllOrAny                             Code = 417
	UnknownJoin                                  Code = 418
	CannotUpdateColumn                           Code = 420
	CannotAddDifferentAggregateStates            Code = 421
	CannotLink                                   Code = 424
	SystemError                                  Code = 425
	CannotCompileRegexp                          Code = 427
	UnknownCodec                                 Code = 432
	IllegalCodecParameter                        Code = 433
	ProtobufBadCast                              Code = 436
	ProtobufFieldNotRepeated                     Code = 437
	InvalidLimitExpression                       Code = 440
	CannotParseDomainValueFromString             Code = 441
	BadDatabaseForTemporaryTable                 Code = 442
	FunctionNotAllowed                           Code = 446
	BadTTLExpression                             Code = 450
	OpensslError                                 Code = 454
	SettingConstraintViolation                   Code = 452
	SuspiciousTypeForLowCardinality              Code = 455
	UnknownQueryParameter                        Code = 456
	BadQueryParameter                            Code = 457
	CannotUnlink                                 Code = 458
	CannotParseBool                              Code = 467
	MySQLClientInsufficientCapabilities          Code = 453
	ViolatedConstraint                           Code = 469
	InvalidSettingValue                          Code = 471
	ReadonlySetting                              Code = 472
	DeadlockAvoided                              Code = 473
	InvalidTemplateFormat                        Code = 474
	InvalidWithFillExpression                    Code = 475
	WithTiesWithoutOrderBy                       Code = 476
	InvalidUsageOfInput                          Code = 477
	UnknownPolicy                                Code = 478
	UnknownDisk                                  Code = 479
	PathAccessDenied                             Code = 481
	DictionaryAccessDenied                       Code = 482
	TooManyRedirects                             Code = 483
	CannotFormatDatetime                         Code = 490
	AccessEntityNotFound                         Code = 492
	AccessEntityAlreadyExists                    Code = 493
	AccessStorageReadonly                        Code = 495
	UnacceptableURL                              Code = 491
	AccessDenied                                 Code = 497
	LimitByWithTiesIsNotSupported                Code = 498
	S3Error                                      Code = 499
	AzureBlobStorageError                        Code = 500
	CannotCreateDatabase                         Code = 501
	AggregateFunctionThrow                       Code = 503
	UnableToSkipUnusedShards                     Code = 507
	UnknownAccessType                            Code = 508
	SetNonGrantedRole                            Code = 512
	AuthenticationFailed                         Code = 516
	UnknownRowPolicy                             Code = 523
	IncorrectDiskIndex                           Code = 525
	CannotConnectRabbitmq                        Code = 530
	UnrecognizedArguments                        Code = 552
	LZMAStreamEncoderFailed                      Code = 553
	RocksdbError                                 Code = 555
	UnknownUnion                                 Code = 557
	ExpectedAllOrDistinct                        Code = 558
	ZSTDEncoderFailed                            Code = 560
	FunctionAlreadyExists                        Code = 609
	ZSTDDecoderFailed                            Code = 561
	TLDListNotFound                              Code = 562
	CannotReadMapFromText                        Code = 563
	InterserverSchemeDoesntMatch                 Code = 564
	TooManyPartitions                            Code = 565
	CannotRmdir                                  Code = 566
	DuplicatedPartUuids                          Code = 567
	RaftError                                    Code = 568
	DatabaseReplicationFailed                    Code = 571
	InvalidShardID                               Code = 577
	CannotSetRoundingMode                        Code = 580
	IllegalProjection                            Code = 583
	ProjectionNotUsed                            Code = 584
	CannotSysconf                                Code = 590
	ZeroCopyReplicationError                     Code = 593
	CannotNormalizeString                        Code = 621
	CannotParseCapnProtoSchema                   Code = 622
	CapnProtoBadCast                             Code = 623
	BadFileType                                  Code = 624
	UnknownFileSize                              Code = 631
	UnexpectedDataAfterParsedValue               Code = 632
	MongodbError                                 Code = 634
	CannotPoll                                   Code = 635
	CannotExtractTableStructure                  Code = 636
	InvalidTableOverride                         Code = 637
	SnappyUncompressFailed                       Code = 638
	CannotPackArchive                            Code = 642
	NumberOfDimensionsMismatched                 Code = 645
	UnknownStatusOfTransaction                   Code = 659
	NotInitialized                               Code = 667
	InvalidState                                 Code = 668
	HDFSError                                    Code = 660
	NamedCollectionDoesntExist                   Code = 669
	NamedCollectionAlreadyExists                 Code = 670
	NamedCollectionIsImmutable                   Code = 671
	InvalidSchedulerNode                         Code = 672
	CannotParseIPv4                              Code = 675
	CannotParseIPv6                              Code = 676
	ThreadWasCanceled                            Code = 677
	IoUringInitFailed                            Code = 678
	UnknownElementOfEnum                         Code = 691
	TooManyMutations                             Code = 692
	AsyncLoadCanceled                            Code = 696
	InvalidRedisStorageType                      Code = 698
	ClusterDoesntExist                           Code = 701
	ClientInfoDoesNotMatch                       Code = 702
	InvalidIdentifier                            Code = 703
	QueryCacheUsedWithNondeterministicFunctions  Code = 704
	LibsshError                                  Code = 706
	IllegalStatistics                            Code = 708
	CannotGetReplicatedDatabaseSnapshot          Code = 709
	FaultInjected                                Code = 710
	FilecacheAccessDenied                        Code = 711
	CannotDetectFormat                           Code = 715
	ExperimentalFeatureError                     Code = 717
	TooSlowParsing                               Code = 718
	QueryCacheUsedWithSystemTable                Code = 719
	UserExpired                                  Code = 720
	DeprecatedFunction                           Code = 721
	AsyncLoadWaitFailed                          Code = 722
	ParquetException                             Code = 723
	RefreshFailed                                Code = 730
	TableIsBeingRestarted                        Code = 733
	DatalakeDatabaseError                        Code = 736
	DeltaKernelError                             Code = 742
	IcebergSpecificationViolation                Code = 743
	PocoException                                Code = 1000
	StdException                                 Code = 1001
	UnknownException                             Code = 1002
)

// codesTSV is every code of ClickHouse 26.9 with its name.
//
//go:embed codes.tsv
var codesTSV string

var names = parseCodes(codesTSV)

func parseCodes(tsv string) map[Code]string {
	m := make(map[Code]string, 1400)
	for line := range strings.Lines(tsv) {
		code, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if n, err := strconv.Atoi(code); err == nil {
			m[Code(n)] = name
		}
	}
	return m
}

// String gives the code's name in system.errors.
func (c Code) String() string {
	if s, ok := names[c]; ok {
		return s
	}
	return "ERROR_" + strconv.Itoa(int(c))
}

// All gives every code with its name; not to be written to.
func All() map[Code]string { return names }
