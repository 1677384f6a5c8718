package diag

// The codes. One code is one rule of the language; its page stands in catalogue/<letter>.md under the same code and
// name. Numbers are never used again: a retired one stays as a comment.

// Syntax.
const (
	StrayByte       Code = "P0101"
	UnclosedString  Code = "P0102"
	UnclosedHole    Code = "P0103"
	BadEscape       Code = "P0104"
	BadNumber       Code = "P0105"
	NumberRange     Code = "P0106"
	WrongUnit       Code = "P0107"
	BadRegex        Code = "P0108"
	BadTime         Code = "P0109"
	ForeignSpelling Code = "P0110"
	BadQuotedName   Code = "P0111"

	UnclosedBracket Code = "P0201"
	StrayBracket    Code = "P0202"
	TooDeep         Code = "P0203"

	ExpectedDeclaration Code = "P0301"
	ExpectedStatement   Code = "P0302"
	ExpectedItem        Code = "P0303"
	ExpectedStep        Code = "P0304"
	ExpectedTestLine    Code = "P0305"
	ExpectedValue       Code = "P0306"
	ExpectedType        Code = "P0307"
	ExpectedName        Code = "P0308"
	ExpectedToken       Code = "P0309"
	ExpectedEnd         Code = "P0310"
	ReservedWord        Code = "P0311"
	RepeatedClause      Code = "P0312"
	ChainedComparison   Code = "P0313"
	NotCallable         Code = "P0314"
	FlowEnded           Code = "P0315"
	HoleNotAllowed      Code = "P0316"
	ReservedNodeName    Code = "P0317"
)

// Names and modules.
const (
	UnknownModule     Code = "N0101"
	UnknownName       Code = "N0102"
	UnknownType       Code = "N0103"
	UnknownFunction   Code = "N0104"
	UnknownField      Code = "N0105"
	UnknownMember     Code = "N0106"
	UnknownOutput     Code = "N0107"
	DuplicateName     Code = "N0108"
	ShadowedName      Code = "N0109"
	UnknownArgument   Code = "N0110"
	UnusedDeclaration Code = "N0111"
	UnusedImport      Code = "N0112"
	UnusedLocal       Code = "N0113"
	ImportCycle       Code = "N0114"
	ImportUnreadable  Code = "N0115"
	PrivateName       Code = "N0116"
	FieldOutOfReach   Code = "N0117"
	NotAValue         Code = "N0118"
	ReservedOutput    Code = "N0119"
	LibraryOnly       Code = "N0120"
	DuplicateField    Code = "N0121"
	DuplicateArgument Code = "N0122"
	NotImported       Code = "N0123"
	RecursiveType     Code = "N0124"
	RecursiveConstant Code = "N0125"
	RecursiveFunction Code = "N0126"
)

// Types and fallibility.
const (
	Mismatch         Code = "T0101"
	BadOperand       Code = "T0102"
	MayBeNone        Code = "T0104"
	Unsettled        Code = "T0105"
	NeedlessHandling Code = "T0106"
	MissingArgument  Code = "T0107"
	TooManyArguments Code = "T0108"
	NotAMember       Code = "T0109"
	EmptyLiteral     Code = "T0110"
	NoCommonType     Code = "T0111"
	NotConstant      Code = "T0112"
	ConstantFault    Code = "T0113"
	AggregatePlace   Code = "T0114"
	MissingField     Code = "T0115"
	ExtraField       Code = "T0116"
	NotARecord       Code = "T0117"
	EffectPlace      Code = "T0118"
	ReturnValue      Code = "T0119"
	OutsideLoop      Code = "T0120"
	Unreachable      Code = "T0121"
	SilentPath       Code = "T0122"
	NotAssignable    Code = "T0123"
	StatePlace       Code = "T0124"
	KeyNeeded        Code = "T0125"
	NotIndexable     Code = "T0126"
	NotIterable      Code = "T0127"
	Unlabelled       Code = "T0128"
	BadKeyType       Code = "T0129"
	ClauseConflict   Code = "T0130"
	NeedsType        Code = "T0131"
	MissingReturn    Code = "T0132"
	RegexPlace       Code = "T0133"
	DiscardedEmit    Code = "T0134"
	WindowErrors     Code = "T0135"
	NotYet           Code = "T0901"
)

// Graph.
const (
	DuplicateNode   Code = "G0101"
	NodeNamedModule Code = "G0102"
	NoFlow          Code = "G0103"
	UnknownNode     Code = "G0104"
	ModuleAsNode    Code = "G0105"
	NoMainOutput    Code = "G0106"
	SinkGoesOn      Code = "G0107"
	OutputAsTarget  Code = "G0108"
	SourceAsTarget  Code = "G0109"
	CallOfNode      Code = "G0110"
	NotABolt        Code = "G0111"
	NeedsName       Code = "G0112"

	UnusedNode    Code = "G0201"
	UnreachedNode Code = "G0202"
	UntakenOutput Code = "G0203"
	Cycle         Code = "G0204"

	FieldMissing  Code = "G0301"
	FieldMismatch Code = "G0302"
	NothingShared Code = "G0303"
	MixedField    Code = "G0304"
	OtherGrouping Code = "G0305"
	KeyNotShared  Code = "G0306"
	EndlessInput  Code = "G0307"
	FlatWantsList Code = "G0308"
	TopCount      Code = "G0309"
	TopOrder      Code = "G0310"
	KeyRepeated   Code = "G0311"
	OpenRoute     Code = "G0312"
	DeadCase      Code = "G0313"

	BadParallelism  Code = "G0401"
	TwoParallelisms Code = "G0402"
	OneTask         Code = "G0403"
)

// Reliability.
const (
	LossySource     Code = "R0101"
	UnanchoredEmit  Code = "R0102"
	StrongerSource  Code = "R0103"
	VolatileChannel Code = "R0104"
	DroppingChannel Code = "R0105"
	OptionalRejoins Code = "R0106"
	OrderLost       Code = "R0107"

	IdleSetting   Code = "R0201"
	UnstatedLevel Code = "R0202"
	WeakRows      Code = "R0203"
)

// Connectors and settings.
const (
	UnknownSetting    Code = "C0101"
	DuplicateSetting  Code = "C0102"
	SettingRange      Code = "C0103"
	UnknownLevel      Code = "C0104"
	DeadLettersSink   Code = "C0105"
	DeadLettersShared Code = "C0106"

	NotAConnector  Code = "C0201"
	NotCalled      Code = "C0202"
	NotACodec      Code = "C0203"
	SinkTakes      Code = "C0204"
	ClauseOfSource Code = "C0205"
	NoErrors       Code = "C0206"
	ArgumentRange  Code = "C0207"
)

// Run time.
const (
	LineTooLong Code = "X0101"

	IntOverflow      Code = "X0201"
	NotFinite        Code = "X0202"
	DivisionByZero   Code = "X0203"
	IndexOutOfRange  Code = "X0204"
	UnreadableNumber Code = "X0205"
	ValueTooLarge    Code = "X0206"
	UnreadableTime   Code = "X0207"
	UnreadableBool   Code = "X0208"
	NotInEnum        Code = "X0209"
	LeadsElsewhere   Code = "X0210"

	UnknownParam Code = "X0301"
	ParamValue   Code = "X0302"
	MissingParam Code = "X0303"

	FailStatement Code = "X0401"

	DeadRow         Code = "X0501"
	Refused         Code = "X0502"
	ConnectorFailed Code = "X0503"
	SourceChanged   Code = "X0504"
	ThrownAway      Code = "X0505"
	Unbalanced      Code = "X0506"
)
