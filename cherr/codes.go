package cherr

import "strconv"

// Code is a ClickHouse error code, as in its system.errors.
type Code int32

// The codes that the server uses.
const (
	OK                                           Code = 0
	UnsupportedMethod                            Code = 1
	UnsupportedParameter                         Code = 2
	UnexpectedEndOfFile                          Code = 3
	ExpectedEndOfFile                            Code = 4
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
	InvalidFormat                                Code = 89
	EmptyDataPassed                              Code = 92
	CannotReadFromSocket                         Code = 95
	CannotWriteToSocket                          Code = 96
	UnknownPacketFromClient                      Code = 99
	UnknownPacketFromServer                      Code = 100
	UnexpectedPacketFromClient                   Code = 101
	FileDoesntExist                              Code = 107
	NoDataToInsert                               Code = 108
	UnknownRelationalOperation                   Code = 112
	IncorrectQueryID                             Code = 113
	CannotCreateDatabase                         Code = 114
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
	IllegalTimezone                              Code = 149
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
	TableWasNotDropped                           Code = 233
	MemoryLimitExceeded                          Code = 241
	TableIsReadOnly                              Code = 242
	NotEnoughSpace                               Code = 243
	CorruptedData                                Code = 246
	InvalidPartitionValue                        Code = 248
	TooManyParts                                 Code = 252
	NoReplicaHasPart                             Code = 254
	UnionAllResultStructuresMismatch             Code = 258
	IncompatibleTypeOfJoin                       Code = 264
	CannotDecompress                             Code = 271
	IndexNotUsed                                 Code = 277
	AllConnectionTriesFailed                     Code = 279
	SetNonGrantedRole                            Code = 282
	ReplicaIsNotInQuorum                         Code = 289
	LimitExceeded                                Code = 290
	DatabaseAccessDenied                         Code = 291
	TooDeepRecursion                             Code = 306
	TooManyBytes                                 Code = 307
	FunctionCannotHaveParameters                 Code = 309
	InvalidConfigParameter                       Code = 318
	ValueIsOutOfRangeOfDataType                  Code = 321
	UnknownDatabaseEngine                        Code = 336
	Unfinished                                   Code = 341
	MetadataMismatch                             Code = 342
	SupportIsDisabled                            Code = 344
	UnknownCodec                                 Code = 346
	IllegalCodecParameter                        Code = 347
	CannotInsertNullInOrdinaryColumn             Code = 349
	AmbiguousColumnName                          Code = 352
	IndexOfPositionalArgumentIsOutOfRange        Code = 353
	ZlibInflateFailed                            Code = 354
	ZlibDeflateFailed                            Code = 355
	IntoOutfileNotAllowed                        Code = 358
	TableSizeExceedsMaxDropSizeLimit             Code = 359
	ProtobufBadCast                              Code = 362
	CannotSysconf                                Code = 370
	SessionNotFound                              Code = 372
	SessionIsLocked                              Code = 373
	InvalidSessionTimeout                        Code = 374
	IllegalSyntaxForDataType                     Code = 377
	DataTypeCannotHaveArguments                  Code = 378
	CannotLink                                   Code = 384
	NoCommonType                                 Code = 386
	CannotUpdateColumn                           Code = 388
	QueryIsProhibited                            Code = 392
	QueryWasCancelled                            Code = 394
	FunctionThrowIfValueIsNonZero                Code = 395
	TooManyRowsOrBytes                           Code = 396
	QueryIsNotSupportedInMaterializedView        Code = 397
	InvalidJoinOnExpression                      Code = 403
	DecimalOverflow                              Code = 407
	BadRequestParameter                          Code = 416
	ExpectedAllOrAny                             Code = 417
	UnknownJoin                                  Code = 418
	CannotAddDifferentAggregateStates            Code = 421
	CannotCompileRegexp                          Code = 427
	UnknownPolicy                                Code = 428
	UnknownCodecParameter                        Code = 432
	UnknownGeometryType                          Code = 433
	CannotCompareFiles                           Code = 434
	ProtobufFieldNotRepeated                     Code = 436
	InvalidLimitExpression                       Code = 440
	CannotParseDomainValueFromString             Code = 441
	BadDatabaseForTemporaryTable                 Code = 442
	FunctionNotAllowed                           Code = 446
	CannotSetRoundingMode                        Code = 447
	BadTTLExpression                             Code = 450
	SettingConstraintViolation                   Code = 452
	SuspiciousTypeForLowCardinality              Code = 455
	UnknownQueryParameter                        Code = 456
	BadQueryParameter                            Code = 457
	CannotUnlink                                 Code = 459
	CannotParseBool                              Code = 467
	ViolatedConstraint                           Code = 469
	QueryCancelledByClient                       Code = 470
	InvalidSettingValue                          Code = 471
	ReadonlySetting                              Code = 472
	DeadlockAvoided                              Code = 473
	InvalidTemplateFormat                        Code = 474
	InvalidWithFillExpression                    Code = 475
	WithTiesWithoutOrderBy                       Code = 476
	InvalidUsageOfInput                          Code = 477
	UnknownAccessType                            Code = 478
	UnknownDisk                                  Code = 479
	PathAccessDenied                             Code = 481
	DictionaryAccessDenied                       Code = 482
	TooManyRedirects                             Code = 483
	BadFileType                                  Code = 485
	IllegalProjection                            Code = 487
	CannotStat                                   Code = 488
	CannotFormatDatetime                         Code = 490
	AccessEntityAlreadyExists                    Code = 492
	AccessEntityNotFound                         Code = 493
	AccessStorageReadonly                        Code = 495
	AccessDenied                                 Code = 497
	LimitByWithTiesIsNotSupported                Code = 498
	S3Error                                      Code = 499
	AzureBlobStorageError                        Code = 500
	CannotCreateCharsetConverter                 Code = 501
	AggregateFunctionThrow                       Code = 503
	InvalidShardID                               Code = 505
	UnableToSkipUnusedShards                     Code = 507
	AllReplicasLost                              Code = 509
	AuthenticationFailed                         Code = 516
	SystemError                                  Code = 518
	UnknownRowPolicy                             Code = 523
	IncorrectDiskIndex                           Code = 525
	CannotConnectRabbitmq                        Code = 530
	CannotRmdir                                  Code = 541
	DuplicatedPartUuids                          Code = 542
	RaftError                                    Code = 544
	UnknownUnion                                 Code = 546
	AMQPError                                    Code = 549
	UnrecognizedArguments                        Code = 552
	LZMAStreamEncoderFailed                      Code = 553
	RocksdbError                                 Code = 555
	UnknownUnionMode                             Code = 557
	ExpectedAllOrDistinct                        Code = 558
	ZSTDEncoderFailed                            Code = 560
	ZSTDDecoderFailed                            Code = 561
	TLDListNotFound                              Code = 562
	CannotReadMapFromText                        Code = 563
	InterserverSchemeDoesntMatch                 Code = 564
	TooManyPartitions                            Code = 567
	DatabaseReplicationFailed                    Code = 571
	InvalidShard                                 Code = 577
	ZeroCopyReplicationError                     Code = 593
	SnappyUncompressFailed                       Code = 599
	ProjectionNotUsed                            Code = 605
	CannotApplyCatboost                          Code = 620
	CannotNormalizeString                        Code = 621
	CannotParseCapnProtoSchema                   Code = 622
	CapnProtoBadCast                             Code = 623
	UnknownFileSize                              Code = 631
	UnexpectedDataAfterParsedValue               Code = 632
	QueryIsNotSupportedInWindowView              Code = 633
	MongodbError                                 Code = 634
	CannotPoll                                   Code = 635
	CannotExtractTableStructure                  Code = 636
	InvalidTableOverride                         Code = 637
	CannotPackArchive                            Code = 642
	NumberOfDimensionsMismatched                 Code = 645
	UnknownStatusOfTransaction                   Code = 659
	NotInitialized                               Code = 667
	InvalidState                                 Code = 668
	NamedCollectionDoesntExist                   Code = 669
	NamedCollectionAlreadyExists                 Code = 670
	NamedCollectionIsImmutable                   Code = 671
	InvalidSchedulerNode                         Code = 672
	CannotParseIPv4                              Code = 675
	CannotParseIPv6                              Code = 676
	ThreadWasCanceled                            Code = 677
	IoUringInitFailed                            Code = 678
	BadRequest                                   Code = 681
	TooManyMutations                             Code = 683
	UnknownElementOfEnum                         Code = 691
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
	RefreshFailed                                Code = 730
	TableIsBeingRestarted                        Code = 732
	DatalakeDatabaseError                        Code = 735
	IcebergCatalogError                          Code = 736
	DeltaKernelError                             Code = 742
	IcebergSpecificationViolation                Code = 743
	PocoException                                Code = 1000
	StdException                                 Code = 1001
	UnknownException                             Code = 1002
)

var names = map[Code]string{
	OK:                                           "OK",
	UnsupportedMethod:                            "UNSUPPORTED_METHOD",
	UnsupportedParameter:                         "UNSUPPORTED_PARAMETER",
	UnexpectedEndOfFile:                          "UNEXPECTED_END_OF_FILE",
	ExpectedEndOfFile:                            "EXPECTED_END_OF_FILE",
	CannotParseText:                              "CANNOT_PARSE_TEXT",
	IncorrectNumberOfColumns:                     "INCORRECT_NUMBER_OF_COLUMNS",
	ThereIsNoColumn:                              "THERE_IS_NO_COLUMN",
	SizesOfColumnsDoesntMatch:                    "SIZES_OF_COLUMNS_DOESNT_MATCH",
	NotFoundColumnInBlock:                        "NOT_FOUND_COLUMN_IN_BLOCK",
	PositionOutOfBound:                           "POSITION_OUT_OF_BOUND",
	ParameterOutOfBound:                          "PARAMETER_OUT_OF_BOUND",
	SizesOfColumnsInTupleDoesntMatch:             "SIZES_OF_COLUMNS_IN_TUPLE_DOESNT_MATCH",
	DuplicateColumn:                              "DUPLICATE_COLUMN",
	NoSuchColumnInTable:                          "NO_SUCH_COLUMN_IN_TABLE",
	SizeOfFixedStringDoesntMatch:                 "SIZE_OF_FIXED_STRING_DOESNT_MATCH",
	NumberOfColumnsDoesntMatch:                   "NUMBER_OF_COLUMNS_DOESNT_MATCH",
	CannotReadFromIstream:                        "CANNOT_READ_FROM_ISTREAM",
	CannotWriteToOstream:                         "CANNOT_WRITE_TO_OSTREAM",
	CannotParseEscapeSequence:                    "CANNOT_PARSE_ESCAPE_SEQUENCE",
	CannotParseQuotedString:                      "CANNOT_PARSE_QUOTED_STRING",
	CannotParseInputAssertionFailed:              "CANNOT_PARSE_INPUT_ASSERTION_FAILED",
	CannotPrintFloatOrDoubleNumber:               "CANNOT_PRINT_FLOAT_OR_DOUBLE_NUMBER",
	AttemptToReadAfterEof:                        "ATTEMPT_TO_READ_AFTER_EOF",
	CannotReadAllData:                            "CANNOT_READ_ALL_DATA",
	TooManyArgumentsForFunction:                  "TOO_MANY_ARGUMENTS_FOR_FUNCTION",
	TooFewArgumentsForFunction:                   "TOO_FEW_ARGUMENTS_FOR_FUNCTION",
	BadArguments:                                 "BAD_ARGUMENTS",
	UnknownElementInAST:                          "UNKNOWN_ELEMENT_IN_AST",
	CannotParseDate:                              "CANNOT_PARSE_DATE",
	TooLargeSizeCompressed:                       "TOO_LARGE_SIZE_COMPRESSED",
	ChecksumDoesntMatch:                          "CHECKSUM_DOESNT_MATCH",
	CannotParseDatetime:                          "CANNOT_PARSE_DATETIME",
	NumberOfArgumentsDoesntMatch:                 "NUMBER_OF_ARGUMENTS_DOESNT_MATCH",
	IllegalTypeOfArgument:                        "ILLEGAL_TYPE_OF_ARGUMENT",
	IllegalColumn:                                "ILLEGAL_COLUMN",
	UnknownFunction:                              "UNKNOWN_FUNCTION",
	UnknownIdentifier:                            "UNKNOWN_IDENTIFIER",
	NotImplemented:                               "NOT_IMPLEMENTED",
	LogicalError:                                 "LOGICAL_ERROR",
	UnknownType:                                  "UNKNOWN_TYPE",
	EmptyListOfColumnsQueried:                    "EMPTY_LIST_OF_COLUMNS_QUERIED",
	ColumnQueriedMoreThanOnce:                    "COLUMN_QUERIED_MORE_THAN_ONCE",
	TypeMismatch:                                 "TYPE_MISMATCH",
	StorageRequiresParameter:                     "STORAGE_REQUIRES_PARAMETER",
	UnknownStorage:                               "UNKNOWN_STORAGE",
	TableAlreadyExists:                           "TABLE_ALREADY_EXISTS",
	TableMetadataAlreadyExists:                   "TABLE_METADATA_ALREADY_EXISTS",
	IllegalTypeOfColumnForFilter:                 "ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER",
	UnknownTable:                                 "UNKNOWN_TABLE",
	SyntaxError:                                  "SYNTAX_ERROR",
	UnknownAggregateFunction:                     "UNKNOWN_AGGREGATE_FUNCTION",
	CannotGetSizeOfField:                         "CANNOT_GET_SIZE_OF_FIELD",
	ArgumentOutOfBound:                           "ARGUMENT_OUT_OF_BOUND",
	CannotConvertType:                            "CANNOT_CONVERT_TYPE",
	CannotWriteAfterEndOfBuffer:                  "CANNOT_WRITE_AFTER_END_OF_BUFFER",
	CannotParseNumber:                            "CANNOT_PARSE_NUMBER",
	UnknownFormat:                                "UNKNOWN_FORMAT",
	CannotReadFromFileDescriptor:                 "CANNOT_READ_FROM_FILE_DESCRIPTOR",
	CannotWriteToFileDescriptor:                  "CANNOT_WRITE_TO_FILE_DESCRIPTOR",
	CannotOpenFile:                               "CANNOT_OPEN_FILE",
	CannotCloseFile:                              "CANNOT_CLOSE_FILE",
	UnknownTypeOfQuery:                           "UNKNOWN_TYPE_OF_QUERY",
	IncorrectFileName:                            "INCORRECT_FILE_NAME",
	IncorrectQuery:                               "INCORRECT_QUERY",
	UnknownDatabase:                              "UNKNOWN_DATABASE",
	DatabaseAlreadyExists:                        "DATABASE_ALREADY_EXISTS",
	DirectoryDoesntExist:                         "DIRECTORY_DOESNT_EXIST",
	DirectoryAlreadyExists:                       "DIRECTORY_ALREADY_EXISTS",
	FormatIsNotSuitableForInput:                  "FORMAT_IS_NOT_SUITABLE_FOR_INPUT",
	ReceivedErrorFromRemoteIoServer:              "RECEIVED_ERROR_FROM_REMOTE_IO_SERVER",
	InvalidFormat:                                "INVALID_FORMAT",
	EmptyDataPassed:                              "EMPTY_DATA_PASSED",
	CannotReadFromSocket:                         "CANNOT_READ_FROM_SOCKET",
	CannotWriteToSocket:                          "CANNOT_WRITE_TO_SOCKET",
	UnknownPacketFromClient:                      "UNKNOWN_PACKET_FROM_CLIENT",
	UnknownPacketFromServer:                      "UNKNOWN_PACKET_FROM_SERVER",
	UnexpectedPacketFromClient:                   "UNEXPECTED_PACKET_FROM_CLIENT",
	FileDoesntExist:                              "FILE_DOESNT_EXIST",
	NoDataToInsert:                               "NO_DATA_TO_INSERT",
	UnknownRelationalOperation:                   "UNKNOWN_RELATIONAL_OPERATION",
	IncorrectQueryID:                             "INCORRECT_QUERY_ID",
	CannotCreateDatabase:                         "CANNOT_CREATE_DATABASE",
	UnknownSetting:                               "UNKNOWN_SETTING",
	ThereIsNoDefaultValue:                        "THERE_IS_NO_DEFAULT_VALUE",
	IncorrectData:                                "INCORRECT_DATA",
	EngineRequired:                               "ENGINE_REQUIRED",
	CannotInsertValueOfDifferentSizeIntoTuple:    "CANNOT_INSERT_VALUE_OF_DIFFERENT_SIZE_INTO_TUPLE",
	IncompatibleColumns:                          "INCOMPATIBLE_COLUMNS",
	UnknownTypeOfASTNode:                         "UNKNOWN_TYPE_OF_AST_NODE",
	IncorrectElementOfSet:                        "INCORRECT_ELEMENT_OF_SET",
	IncorrectResultOfScalarSubquery:              "INCORRECT_RESULT_OF_SCALAR_SUBQUERY",
	IllegalIndex:                                 "ILLEGAL_INDEX",
	TooLargeArraySize:                            "TOO_LARGE_ARRAY_SIZE",
	FunctionIsSpecial:                            "FUNCTION_IS_SPECIAL",
	CannotReadArrayFromText:                      "CANNOT_READ_ARRAY_FROM_TEXT",
	TooLargeStringSize:                           "TOO_LARGE_STRING_SIZE",
	AggregateFunctionDoesntAllowParameters:       "AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS",
	ParametersToAggregateFunctionsMustBeLiterals: "PARAMETERS_TO_AGGREGATE_FUNCTIONS_MUST_BE_LITERALS",
	ZeroArrayOrTupleIndex:                        "ZERO_ARRAY_OR_TUPLE_INDEX",
	UnknownElementInConfig:                       "UNKNOWN_ELEMENT_IN_CONFIG",
	ExcessiveElementInConfig:                     "EXCESSIVE_ELEMENT_IN_CONFIG",
	NoElementsInConfig:                           "NO_ELEMENTS_IN_CONFIG",
	SamplingNotSupported:                         "SAMPLING_NOT_SUPPORTED",
	IllegalTimezone:                              "ILLEGAL_TIMEZONE",
	UnknownDirectionOfSorting:                    "UNKNOWN_DIRECTION_OF_SORTING",
	IllegalDivision:                              "ILLEGAL_DIVISION",
	DictionariesWasNotLoaded:                     "DICTIONARIES_WAS_NOT_LOADED",
	TooManyRows:                                  "TOO_MANY_ROWS",
	TimeoutExceeded:                              "TIMEOUT_EXCEEDED",
	TooSlow:                                      "TOO_SLOW",
	TooManyColumns:                               "TOO_MANY_COLUMNS",
	TooDeepSubqueries:                            "TOO_DEEP_SUBQUERIES",
	Readonly:                                     "READONLY",
	TooManyTemporaryColumns:                      "TOO_MANY_TEMPORARY_COLUMNS",
	TooDeepAST:                                   "TOO_DEEP_AST",
	TooBigAST:                                    "TOO_BIG_AST",
	BadTypeOfField:                               "BAD_TYPE_OF_FIELD",
	BadGet:                                       "BAD_GET",
	CannotAllocateMemory:                         "CANNOT_ALLOCATE_MEMORY",
	CyclicAliases:                                "CYCLIC_ALIASES",
	MultipleExpressionsForAlias:                  "MULTIPLE_EXPRESSIONS_FOR_ALIAS",
	ThereIsNoProfile:                             "THERE_IS_NO_PROFILE",
	IllegalFinal:                                 "ILLEGAL_FINAL",
	IllegalPrewhere:                              "ILLEGAL_PREWHERE",
	UnexpectedExpression:                         "UNEXPECTED_EXPRESSION",
	IllegalAggregation:                           "ILLEGAL_AGGREGATION",
	UnsupportedCollationLocale:                   "UNSUPPORTED_COLLATION_LOCALE",
	CollationComparisonFailed:                    "COLLATION_COMPARISON_FAILED",
	SizesOfArraysDontMatch:                       "SIZES_OF_ARRAYS_DONT_MATCH",
	SetSizeLimitExceeded:                         "SET_SIZE_LIMIT_EXCEEDED",
	UnknownUser:                                  "UNKNOWN_USER",
	WrongPassword:                                "WRONG_PASSWORD",
	RequiredPassword:                             "REQUIRED_PASSWORD",
	IPAddressNotAllowed:                          "IP_ADDRESS_NOT_ALLOWED",
	DNSError:                                     "DNS_ERROR",
	TooManySimultaneousQueries:                   "TOO_MANY_SIMULTANEOUS_QUERIES",
	NoFreeConnection:                             "NO_FREE_CONNECTION",
	AliasRequired:                                "ALIAS_REQUIRED",
	AmbiguousIdentifier:                          "AMBIGUOUS_IDENTIFIER",
	EmptyNestedTable:                             "EMPTY_NESTED_TABLE",
	SocketTimeout:                                "SOCKET_TIMEOUT",
	NetworkError:                                 "NETWORK_ERROR",
	EmptyQuery:                                   "EMPTY_QUERY",
	NotAnAggregate:                               "NOT_AN_AGGREGATE",
	QueryWithSameIDIsAlreadyRunning:              "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING",
	ClientHasConnectedToWrongPort:                "CLIENT_HAS_CONNECTED_TO_WRONG_PORT",
	TableIsDropped:                               "TABLE_IS_DROPPED",
	DatabaseNotEmpty:                             "DATABASE_NOT_EMPTY",
	TableWasNotDropped:                           "TABLE_WAS_NOT_DROPPED",
	MemoryLimitExceeded:                          "MEMORY_LIMIT_EXCEEDED",
	TableIsReadOnly:                              "TABLE_IS_READ_ONLY",
	NotEnoughSpace:                               "NOT_ENOUGH_SPACE",
	CorruptedData:                                "CORRUPTED_DATA",
	InvalidPartitionValue:                        "INVALID_PARTITION_VALUE",
	TooManyParts:                                 "TOO_MANY_PARTS",
	NoReplicaHasPart:                             "NO_REPLICA_HAS_PART",
	UnionAllResultStructuresMismatch:             "UNION_ALL_RESULT_STRUCTURES_MISMATCH",
	IncompatibleTypeOfJoin:                       "INCOMPATIBLE_TYPE_OF_JOIN",
	CannotDecompress:                             "CANNOT_DECOMPRESS",
	IndexNotUsed:                                 "INDEX_NOT_USED",
	AllConnectionTriesFailed:                     "ALL_CONNECTION_TRIES_FAILED",
	SetNonGrantedRole:                            "SET_NON_GRANTED_ROLE",
	ReplicaIsNotInQuorum:                         "REPLICA_IS_NOT_IN_QUORUM",
	LimitExceeded:                                "LIMIT_EXCEEDED",
	DatabaseAccessDenied:                         "DATABASE_ACCESS_DENIED",
	TooDeepRecursion:                             "TOO_DEEP_RECURSION",
	TooManyBytes:                                 "TOO_MANY_BYTES",
	FunctionCannotHaveParameters:                 "FUNCTION_CANNOT_HAVE_PARAMETERS",
	InvalidConfigParameter:                       "INVALID_CONFIG_PARAMETER",
	ValueIsOutOfRangeOfDataType:                  "VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE",
	UnknownDatabaseEngine:                        "UNKNOWN_DATABASE_ENGINE",
	Unfinished:                                   "UNFINISHED",
	MetadataMismatch:                             "METADATA_MISMATCH",
	SupportIsDisabled:                            "SUPPORT_IS_DISABLED",
	UnknownCodec:                                 "UNKNOWN_CODEC",
	IllegalCodecParameter:                        "ILLEGAL_CODEC_PARAMETER",
	CannotInsertNullInOrdinaryColumn:             "CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN",
	AmbiguousColumnName:                          "AMBIGUOUS_COLUMN_NAME",
	IndexOfPositionalArgumentIsOutOfRange:        "INDEX_OF_POSITIONAL_ARGUMENT_IS_OUT_OF_RANGE",
	ZlibInflateFailed:                            "ZLIB_INFLATE_FAILED",
	ZlibDeflateFailed:                            "ZLIB_DEFLATE_FAILED",
	IntoOutfileNotAllowed:                        "INTO_OUTFILE_NOT_ALLOWED",
	TableSizeExceedsMaxDropSizeLimit:             "TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT",
	ProtobufBadCast:                              "PROTOBUF_BAD_CAST",
	CannotSysconf:                                "CANNOT_SYSCONF",
	SessionNotFound:                              "SESSION_NOT_FOUND",
	SessionIsLocked:                              "SESSION_IS_LOCKED",
	InvalidSessionTimeout:                        "INVALID_SESSION_TIMEOUT",
	IllegalSyntaxForDataType:                     "ILLEGAL_SYNTAX_FOR_DATA_TYPE",
	DataTypeCannotHaveArguments:                  "DATA_TYPE_CANNOT_HAVE_ARGUMENTS",
	CannotLink:                                   "CANNOT_LINK",
	NoCommonType:                                 "NO_COMMON_TYPE",
	CannotUpdateColumn:                           "CANNOT_UPDATE_COLUMN",
	QueryIsProhibited:                            "QUERY_IS_PROHIBITED",
	QueryWasCancelled:                            "QUERY_WAS_CANCELLED",
	FunctionThrowIfValueIsNonZero:                "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO",
	TooManyRowsOrBytes:                           "TOO_MANY_ROWS_OR_BYTES",
	QueryIsNotSupportedInMaterializedView:        "QUERY_IS_NOT_SUPPORTED_IN_MATERIALIZED_VIEW",
	InvalidJoinOnExpression:                      "INVALID_JOIN_ON_EXPRESSION",
	DecimalOverflow:                              "DECIMAL_OVERFLOW",
	BadRequestParameter:                          "BAD_REQUEST_PARAMETER",
	ExpectedAllOrAny:                             "EXPECTED_ALL_OR_ANY",
	UnknownJoin:                                  "UNKNOWN_JOIN",
	CannotAddDifferentAggregateStates:            "CANNOT_ADD_DIFFERENT_AGGREGATE_STATES",
	CannotCompileRegexp:                          "CANNOT_COMPILE_REGEXP",
	UnknownPolicy:                                "UNKNOWN_POLICY",
	UnknownCodecParameter:                        "UNKNOWN_CODEC_PARAMETER",
	UnknownGeometryType:                          "UNKNOWN_GEOMETRY_TYPE",
	CannotCompareFiles:                           "CANNOT_COMPARE_FILES",
	ProtobufFieldNotRepeated:                     "PROTOBUF_FIELD_NOT_REPEATED",
	InvalidLimitExpression:                       "INVALID_LIMIT_EXPRESSION",
	CannotParseDomainValueFromString:             "CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING",
	BadDatabaseForTemporaryTable:                 "BAD_DATABASE_FOR_TEMPORARY_TABLE",
	FunctionNotAllowed:                           "FUNCTION_NOT_ALLOWED",
	CannotSetRoundingMode:                        "CANNOT_SET_ROUNDING_MODE",
	BadTTLExpression:                             "BAD_TTL_EXPRESSION",
	SettingConstraintViolation:                   "SETTING_CONSTRAINT_VIOLATION",
	SuspiciousTypeForLowCardinality:              "SUSPICIOUS_TYPE_FOR_LOW_CARDINALITY",
	UnknownQueryParameter:                        "UNKNOWN_QUERY_PARAMETER",
	BadQueryParameter:                            "BAD_QUERY_PARAMETER",
	CannotUnlink:                                 "CANNOT_UNLINK",
	CannotParseBool:                              "CANNOT_PARSE_BOOL",
	ViolatedConstraint:                           "VIOLATED_CONSTRAINT",
	QueryCancelledByClient:                       "QUERY_CANCELLED_BY_CLIENT",
	InvalidSettingValue:                          "INVALID_SETTING_VALUE",
	ReadonlySetting:                              "READONLY_SETTING",
	DeadlockAvoided:                              "DEADLOCK_AVOIDED",
	InvalidTemplateFormat:                        "INVALID_TEMPLATE_FORMAT",
	InvalidWithFillExpression:                    "INVALID_WITH_FILL_EXPRESSION",
	WithTiesWithoutOrderBy:                       "WITH_TIES_WITHOUT_ORDER_BY",
	InvalidUsageOfInput:                          "INVALID_USAGE_OF_INPUT",
	UnknownAccessType:                            "UNKNOWN_ACCESS_TYPE",
	UnknownDisk:                                  "UNKNOWN_DISK",
	PathAccessDenied:                             "PATH_ACCESS_DENIED",
	DictionaryAccessDenied:                       "DICTIONARY_ACCESS_DENIED",
	TooManyRedirects:                             "TOO_MANY_REDIRECTS",
	BadFileType:                                  "BAD_FILE_TYPE",
	IllegalProjection:                            "ILLEGAL_PROJECTION",
	CannotStat:                                   "CANNOT_STAT",
	CannotFormatDatetime:                         "CANNOT_FORMAT_DATETIME",
	AccessEntityAlreadyExists:                    "ACCESS_ENTITY_ALREADY_EXISTS",
	AccessEntityNotFound:                         "ACCESS_ENTITY_NOT_FOUND",
	AccessStorageReadonly:                        "ACCESS_STORAGE_READONLY",
	AccessDenied:                                 "ACCESS_DENIED",
	LimitByWithTiesIsNotSupported:                "LIMIT_BY_WITH_TIES_IS_NOT_SUPPORTED",
	S3Error:                                      "S3_ERROR",
	AzureBlobStorageError:                        "AZURE_BLOB_STORAGE_ERROR",
	CannotCreateCharsetConverter:                 "CANNOT_CREATE_CHARSET_CONVERTER",
	AggregateFunctionThrow:                       "AGGREGATE_FUNCTION_THROW",
	InvalidShardID:                               "INVALID_SHARD_ID",
	UnableToSkipUnusedShards:                     "UNABLE_TO_SKIP_UNUSED_SHARDS",
	AllReplicasLost:                              "ALL_REPLICAS_LOST",
	AuthenticationFailed:                         "AUTHENTICATION_FAILED",
	SystemError:                                  "SYSTEM_ERROR",
	UnknownRowPolicy:                             "UNKNOWN_ROW_POLICY",
	IncorrectDiskIndex:                           "INCORRECT_DISK_INDEX",
	CannotConnectRabbitmq:                        "CANNOT_CONNECT_RABBITMQ",
	CannotRmdir:                                  "CANNOT_RMDIR",
	DuplicatedPartUuids:                          "DUPLICATED_PART_UUIDS",
	RaftError:                                    "RAFT_ERROR",
	UnknownUnion:                                 "UNKNOWN_UNION",
	AMQPError:                                    "AMQP_ERROR",
	UnrecognizedArguments:                        "UNRECOGNIZED_ARGUMENTS",
	LZMAStreamEncoderFailed:                      "LZMA_STREAM_ENCODER_FAILED",
	RocksdbError:                                 "ROCKSDB_ERROR",
	UnknownUnionMode:                             "UNKNOWN_UNION_MODE",
	ExpectedAllOrDistinct:                        "EXPECTED_ALL_OR_DISTINCT",
	ZSTDEncoderFailed:                            "ZSTD_ENCODER_FAILED",
	ZSTDDecoderFailed:                            "ZSTD_DECODER_FAILED",
	TLDListNotFound:                              "TLD_LIST_NOT_FOUND",
	CannotReadMapFromText:                        "CANNOT_READ_MAP_FROM_TEXT",
	InterserverSchemeDoesntMatch:                 "INTERSERVER_SCHEME_DOESNT_MATCH",
	TooManyPartitions:                            "TOO_MANY_PARTITIONS",
	DatabaseReplicationFailed:                    "DATABASE_REPLICATION_FAILED",
	InvalidShard:                                 "INVALID_SHARD",
	ZeroCopyReplicationError:                     "ZERO_COPY_REPLICATION_ERROR",
	SnappyUncompressFailed:                       "SNAPPY_UNCOMPRESS_FAILED",
	ProjectionNotUsed:                            "PROJECTION_NOT_USED",
	CannotApplyCatboost:                          "CANNOT_APPLY_CATBOOST",
	CannotNormalizeString:                        "CANNOT_NORMALIZE_STRING",
	CannotParseCapnProtoSchema:                   "CANNOT_PARSE_CAPN_PROTO_SCHEMA",
	CapnProtoBadCast:                             "CAPN_PROTO_BAD_CAST",
	UnknownFileSize:                              "UNKNOWN_FILE_SIZE",
	UnexpectedDataAfterParsedValue:               "UNEXPECTED_DATA_AFTER_PARSED_VALUE",
	QueryIsNotSupportedInWindowView:              "QUERY_IS_NOT_SUPPORTED_IN_WINDOW_VIEW",
	MongodbError:                                 "MONGODB_ERROR",
	CannotPoll:                                   "CANNOT_POLL",
	CannotExtractTableStructure:                  "CANNOT_EXTRACT_TABLE_STRUCTURE",
	InvalidTableOverride:                         "INVALID_TABLE_OVERRIDE",
	CannotPackArchive:                            "CANNOT_PACK_ARCHIVE",
	NumberOfDimensionsMismatched:                 "NUMBER_OF_DIMENSIONS_MISMATCHED",
	UnknownStatusOfTransaction:                   "UNKNOWN_STATUS_OF_TRANSACTION",
	NotInitialized:                               "NOT_INITIALIZED",
	InvalidState:                                 "INVALID_STATE",
	NamedCollectionDoesntExist:                   "NAMED_COLLECTION_DOESNT_EXIST",
	NamedCollectionAlreadyExists:                 "NAMED_COLLECTION_ALREADY_EXISTS",
	NamedCollectionIsImmutable:                   "NAMED_COLLECTION_IS_IMMUTABLE",
	InvalidSchedulerNode:                         "INVALID_SCHEDULER_NODE",
	CannotParseIPv4:                              "CANNOT_PARSE_IPV4",
	CannotParseIPv6:                              "CANNOT_PARSE_IPV6",
	ThreadWasCanceled:                            "THREAD_WAS_CANCELED",
	IoUringInitFailed:                            "IO_URING_INIT_FAILED",
	BadRequest:                                   "BAD_REQUEST",
	TooManyMutations:                             "TOO_MANY_MUTATIONS",
	UnknownElementOfEnum:                         "UNKNOWN_ELEMENT_OF_ENUM",
	AsyncLoadCanceled:                            "ASYNC_LOAD_CANCELED",
	InvalidRedisStorageType:                      "INVALID_REDIS_STORAGE_TYPE",
	ClusterDoesntExist:                           "CLUSTER_DOESNT_EXIST",
	ClientInfoDoesNotMatch:                       "CLIENT_INFO_DOES_NOT_MATCH",
	InvalidIdentifier:                            "INVALID_IDENTIFIER",
	QueryCacheUsedWithNondeterministicFunctions:  "QUERY_CACHE_USED_WITH_NONDETERMINISTIC_FUNCTIONS",
	LibsshError:                                  "LIBSSH_ERROR",
	IllegalStatistics:                            "ILLEGAL_STATISTICS",
	CannotGetReplicatedDatabaseSnapshot:          "CANNOT_GET_REPLICATED_DATABASE_SNAPSHOT",
	FaultInjected:                                "FAULT_INJECTED",
	FilecacheAccessDenied:                        "FILECACHE_ACCESS_DENIED",
	CannotDetectFormat:                           "CANNOT_DETECT_FORMAT",
	ExperimentalFeatureError:                     "EXPERIMENTAL_FEATURE_ERROR",
	TooSlowParsing:                               "TOO_SLOW_PARSING",
	QueryCacheUsedWithSystemTable:                "QUERY_CACHE_USED_WITH_SYSTEM_TABLE",
	UserExpired:                                  "USER_EXPIRED",
	DeprecatedFunction:                           "DEPRECATED_FUNCTION",
	AsyncLoadWaitFailed:                          "ASYNC_LOAD_WAIT_FAILED",
	RefreshFailed:                                "REFRESH_FAILED",
	TableIsBeingRestarted:                        "TABLE_IS_BEING_RESTARTED",
	DatalakeDatabaseError:                        "DATALAKE_DATABASE_ERROR",
	IcebergCatalogError:                          "ICEBERG_CATALOG_ERROR",
	DeltaKernelError:                             "DELTA_KERNEL_ERROR",
	IcebergSpecificationViolation:                "ICEBERG_SPECIFICATION_VIOLATION",
	PocoException:                                "POCO_EXCEPTION",
	StdException:                                 "STD_EXCEPTION",
	UnknownException:                             "UNKNOWN_EXCEPTION",
}

// String gives the code's name in system.errors.
func (c Code) String() string {
	if s, ok := names[c]; ok {
		return s
	}
	return "ERROR_" + strconv.Itoa(int(c))
}

// All gives every code that the server knows with its name.
func All() map[Code]string {
	m := make(map[Code]string, len(names))
	for c, n := range names {
		m[c] = n
	}
	return m
}
