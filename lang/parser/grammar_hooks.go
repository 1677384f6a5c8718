package parser

// Grammar returns the whole grammar as EBNF: the productions as participle has them, then what each hook stands for.
// Tokens are in angle brackets; where a newline ends a statement is told by the language's lexical rules.
func Grammar() string {
	m := machines.Get().(*machine)
	defer machines.Put(m)
	return m.root.String() + "\n\n" + hookGrammar
}

// hookGrammar says what the hooks parse. A test demands an entry for every hook that a production names.
const hookGrammar = `File = (<nl> | Decl <nl>)* .
Decl = UseDecl | TypeDecl | LetDecl | ParamDecl | FnDecl | TableDecl | SigDecl | BoltDecl | PipelineDecl | TestDecl .
Name = <ident> .
Word = <ident> | <kw> .
NodeName = Name .
Alias = Name .
Ref = Name ("." Word)* .
Str = <sbeg> (<stext> | "{" Expr "}")* <send> .
PlainStr = <sbeg> <stext>? <send> .
Constant = <int> | <float> | <dur> | <size> | Ref .
Params = "(" (Param ("," Param)* ","?)? ")" .
Field = Word ":" TypeExpr .
Fields = "(" (Field ("," Field)* ","?)? ")" .
Input = Fields | "(" Ref ")" .
Outputs = Output ("," Output)* .
Output = (Word ":")? TypeExpr .
Clauses = (<nl>? (ByClause | "global" | Window | ErrorsPolicy | LatePolicy | "ordered"))* .
Keys = Item ("," Item)* .
TypeExpr = (Ref | Fields | "[" TypeExpr (":" TypeExpr)? "]" | PlainStr ("|" PlainStr)*) "?"? .

Block = "{" (Stmt? <nl>)* Stmt? "}" .
Stmt = LetStmt | StateStmt | EmitStmt | IfStmt | ForStmt | DropStmt | FailStmt | "return" Expr? | "break" | "continue" | AssignStmt .
ElseArm = IfStmt | Block .

Condition = Expr .
Payload = Expr .
Expr = Unary (BinOp Unary)* .
BinOp = "||" | "&&" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "+" | "-" | "*" | "/" | "%" .
Unary = ("-" | "!")* Postfix ("else" Arm)? .
Arm = DropStmt | FailStmt | EmitStmt | "return" | "continue" | "break" | Unary .
Postfix = Primary ("." Word | "?." Word | "[" Expr "]" | Args)* .
Primary = <int> | <float> | <dur> | <size> | <time> | <raw> | <regex> | "true" | "false" | "none" | <ident> | Str | List | Args | IfExpr .
IfExpr = "if" Expr Choice "else" (IfExpr | Choice) .
Choice = "{" <nl>? Expr <nl>? "}" .
Args = "(" (Item ("," Item)* ","?)? ")" .
Record = Args .
Records = Record ("," Record)* .
Item = ".." Expr | (Word ":")? Expr .
List = "[" (":" | Expr (":" Expr ("," Expr ":" Expr)* | "for" Name "in" Expr ("if" Expr)? | ("," Expr)*) ","?)? "]" .

Pitems = "{" (Pitem? <nl>)* Pitem? "}" .
Pitem = NodeItem | BoltItem | JoinItem | FlowItem | SettingItem .
Hops = Hop* .
Step = Branches | Route | WhereStep | SelectStep | FlatStep | AggregateStep | DedupStep | LimitStep | SampleStep | TopStep | CallStep .
Branches = "{" Branch (Sep Branch)* Sep? "}" .
Route = "route" "{" RouteCase (Sep RouteCase)* Sep? "}" .
Sep = ("," | <nl>)+ .
Tlines = "{" (Tline? <nl>)* Tline? "}" .
Tline = FeedStmt | AdvanceStmt | EndStmt | SetStmt | SwapStmt | ExpectStmt | FaultStmt .
`
