/* The grammar of model scripts (doc/predict-language.md). Part of parser.c. */
%require "3.6"
%define api.pure full
%define api.prefix {script_parse_}
%define api.token.prefix {TOKEN_}
%define api.value.type union
%define api.location.type {struct text_span}
%define lr.type canonical-lr
%define parse.error custom
%locations
%param {struct script_parser *parser}
%initial-action {
    @$ = (struct text_span){{1, 1}, {1, 1}};
    (void)yynerrs; /* bison counts errors; the number is not used */
}

/* Names of tokens are for messages. */
%token END 0 "the end of the file"
%token <const char *> NAME "a name"
%token <const char *> TEXT "a text in double quotes"
%token <double> NUMBER "a number"
%token <const struct step_word *> STEP_WORD "a step"
%token SENDRECV "sendrecv"
%token <const struct step_word *> WAIT_WORD "wait"
%token PROGRAM "program" PARAM "param" LET "let" STARTUP "startup" SHUTDOWN "shutdown" TABLE "table" TRACE "trace"
%token OPERATION "operation" COMMUNICATOR "communicator" GRID "grid" PROCEDURE "procedure" PART "part"
%token LOOP "loop" TO "to" STEP "step" IF "if" ELSE "else" CASE "case" COMPUTE "compute" CPU "cpu"
%token REGION "region" CREATE "create" FREE "free" WRITE "write" READ "read"
%token FROM "from" TAG "tag" ON "on" AS "as" ROOT "root" COUNTS "counts" RECEIVE "receive"
%token AND "and" OR "or" NOT "not" TRUE "true" FALSE "false"
%token RANK "rank" SIZE "size" PEER "peer" MEASURED "measured" SAMPLED "sampled"
%token FLOOR_DIVIDE "//" EQUAL "==" UNEQUAL "!=" LESS_EQUAL "<=" GREATER_EQUAL ">="

/* Weakest first. */
%precedence THEN
%precedence ELSE
%right '?' ':'
%left OR
%left AND
%precedence NOT
%nonassoc EQUAL UNEQUAL '<' LESS_EQUAL '>' GREATER_EQUAL
%left '+' '-'
%left '*' '/' FLOOR_DIVIDE '%'
%precedence NEGATIVE
%right '^'

%type <struct syntax *> declarations declaration program_names list values names parameters parameter_names
%type <struct syntax *> calls call_argument call_arguments block statements statement otherwise branches
%type <struct syntax *> by operand clauses clause requests request_names expression operation
%type <const char *> program_name file_to file_from

%%

script: declarations END { parser->tree = $declarations; }
    ;
declarations:
    %empty { $$ = NODE(LIST, @$, NULL); }
    | declarations[others] declaration { $$ = ADD($others, $declaration); }
    ;

declaration:
    PROGRAM program_names ';' { $$ = $program_names; $$->place = @1.first; }
    | PARAM NAME '=' expression ';' { $$ = ADD(NODE(PARAM, @NAME, $NAME), $expression); }
    | LET NAME '=' expression ';' { $$ = ADD(NODE(LET, @NAME, $NAME), $expression); }
    | STARTUP expression ';' { $$ = ADD(NODE(STARTUP, @1, NULL), $expression); }
    | SHUTDOWN expression ';' { $$ = ADD(NODE(SHUTDOWN, @1, NULL), $expression); }
    | TABLE NAME '=' list ';' { $$ = ADD(NODE(TABLE, @NAME, $NAME), $list); }
    | TRACE NAME '=' TEXT ';' { $$ = ADD(NODE(TRACE, @NAME, $NAME), NODE(TEXT, @TEXT, $TEXT)); }
    | OPERATION NAME ';' { $$ = NODE(DECLARED_OPERATION, @NAME, $NAME); }
    | OPERATION NAME '=' expression ';'
        { $$ = ADD(NODE(DECLARED_OPERATION, @NAME, $NAME), $expression); }
    | COMMUNICATOR NAME '=' calls ';' { $$ = ADD(NODE(COMMUNICATOR, @NAME, $NAME), $calls); }
    | GRID NAME '=' calls ';' { $$ = ADD(NODE(GRID, @NAME, $NAME), $calls); }
    | PROCEDURE NAME parameters block
        { $$ = ADD(ADD(NODE(PROCEDURE, @NAME, $NAME), $parameters), $block); }
    | PART NAME parameters block
        { $$ = ADD(ADD(NODE(PART, @NAME, $NAME), $parameters), $block); }
    ;
program_names:
    program_name { $$ = NODE(PROGRAM, @$, $program_name); }
    | program_names[others] ',' program_name { $$ = ADD($others, NODE(TEXT, @program_name, $program_name)); }
    ;
program_name: NAME | TEXT
    ;
list: '[' values ']' { $$ = $values; }
    ;
values:
    expression { $$ = ADD(NODE(LIST, @$, NULL), $expression); }
    | values[others] ',' expression { $$ = ADD($others, $expression); }
    ;
calls: NAME '(' call_arguments ')' { $$ = $call_arguments; $$->text = $NAME; $$->place = @NAME.first; }
    ;
call_arguments:
    call_argument { $$ = ADD(NODE(CALL, @$, NULL), $call_argument); }
    | call_arguments[others] ',' call_argument { $$ = ADD($others, $call_argument); }
    ;
call_argument: expression | list
    ;
parameters:
    %empty { $$ = NODE(LIST, @$, NULL); }
    | '(' parameter_names ')' { $$ = $parameter_names; }
    ;
parameter_names:
    %empty { $$ = NODE(LIST, @$, NULL); }
    | names
    ;
names:
    NAME { $$ = ADD(NODE(LIST, @$, NULL), NODE(NAME, @NAME, $NAME)); }
    | names[others] ',' NAME { $$ = ADD($others, NODE(NAME, @NAME, $NAME)); }
    ;

block: '{' statements '}' { $$ = $statements; }
    ;
statements:
    %empty { $$ = NODE(BLOCK, @$, NULL); }
    | statements[others] statement { $$ = ADD($others, $statement); }
    ;
statement:
    block
    | LET NAME '=' expression ';' { $$ = ADD(NODE(VARIABLE, @NAME, $NAME), $expression); }
    | NAME '=' expression ';' { $$ = ADD(NODE(ASSIGN, @NAME, $NAME), $expression); }
    | NAME '(' ')' ';' { $$ = NODE(CALL, @NAME, $NAME); }
    | NAME '(' values ')' ';' { $$ = RENAME($values, CALL, @NAME, $NAME); }
    | LOOP NAME '=' expression[first] TO expression[last] by statement[body]
        {
            $$ = ADD(ADD(ADD(NODE(LOOP, @1, $NAME), $body), $first), $last);
            if ($by)
                ADD($$, $by);
        }
    | LOOP '(' expression ')' statement[body]
        { $$ = ADD(ADD(NODE(REPEAT, @1, NULL), $body), $expression); }
    | IF '(' expression ')' statement[then] otherwise
        {
            $$ = ADD(ADD(NODE(IF, @1, NULL), $expression), $then);
            if ($otherwise)
                ADD($$, $otherwise);
        }
    | CASE '{' branches '}' { $$ = $branches; $$->place = @1.first; }
    | COMPUTE expression ';' { $$ = ADD(NODE(COMPUTE, @1, NULL), $expression); }
    | CPU expression ';' { $$ = ADD(NODE(CPU, @1, NULL), $expression); }
    | REGION TEXT statement[body] { $$ = ADD(NODE(REGION, @1, $TEXT), $body); }
    | STEP_WORD operand clauses ';' { $$ = STEP(@1, $STEP_WORD, $operand, $clauses); }
    | SENDRECV expression[sent] clauses[to] ',' expression[got] clauses[from] ';'
        {
            $$ = STEP(@1, step_word_find("sendrecv"), NODE_OF(OPERAND, @sent, $sent), $to);
            ADD($$, NODE(COMMA, @4, NULL));
            ADD($$, NODE_OF(OPERAND, @got, $got));
            if ($from)
                ADD($$, $from);
        }
    | WAIT_WORD requests ';' { $$ = STEP(@1, $WAIT_WORD, NULL, $requests); }
    | CREATE NAME ';' { $$ = NODE(CREATE, @NAME, $NAME); }
    | FREE NAME ';' { $$ = NODE(FREE, @NAME, $NAME); }
    | WRITE expression file_to ';' { $$ = ADD(NODE(WRITE, @1, $file_to), $expression); }
    | READ expression file_from ';' { $$ = ADD(NODE(READ, @1, $file_from), $expression); }
    ;
by:
    %empty { $$ = NULL; }
    | STEP expression { $$ = $expression; }
    ;
otherwise:
    %empty %prec THEN { $$ = NULL; }
    | ELSE statement { $$ = $statement; }
    ;
branches:
    expression ':' statement
        { $$ = ADD(NODE(CASE, @$, NULL), ADD(ADD(NODE(BRANCH, @1, NULL), $expression), $statement)); }
    | branches[others] expression ':' statement
        { $$ = ADD($others, ADD(ADD(NODE(BRANCH, @2, NULL), $expression), $statement)); }
    ;
operand:
    %empty { $$ = NULL; }
    | expression { $$ = NODE_OF(OPERAND, @$, $expression); }
    ;
clauses:
    %empty { $$ = NULL; }
    | clauses[others] clause { $$ = ADD($others ? $others : NODE(LIST, @$, NULL), $clause); }
    ;
clause:
    TO expression { $$ = CLAUSE(TO, @1, $expression); }
    | FROM expression { $$ = CLAUSE(FROM, @1, $expression); }
    | ROOT expression { $$ = CLAUSE(ROOT, @1, $expression); }
    | COUNTS expression { $$ = CLAUSE(COUNTS, @1, $expression); }
    | RECEIVE expression { $$ = CLAUSE(RECEIVE, @1, $expression); }
    | TAG expression { $$ = CLAUSE(TAG, @1, $expression); }
    | ON NAME { $$ = CLAUSE(ON, @1, NODE(NAME, @NAME, $NAME)); }
    | AS NAME { $$ = CLAUSE(AS, @1, NODE(NAME, @NAME, $NAME)); }
    ;
requests:
    %empty { $$ = NULL; }
    | request_names
    ;
request_names: names
    ;
file_to:
    %empty { $$ = NULL; }
    | TO TEXT { $$ = $TEXT; }
    ;
file_from:
    %empty { $$ = NULL; }
    | FROM TEXT { $$ = $TEXT; }
    ;

expression:
    NUMBER { $$ = syntax_number(parser->reader, @$.first, $NUMBER); }
    | TRUE { $$ = syntax_number(parser->reader, @$.first, 1); }
    | FALSE { $$ = syntax_number(parser->reader, @$.first, 0); }
    | NAME { $$ = NODE(NAME, @$, $NAME); }
    | RANK { $$ = NODE(RANK, @$, NULL); }
    | RANK '(' NAME ')' { $$ = ADD(NODE(RANK, @$, NULL), NODE(NAME, @NAME, $NAME)); }
    | SIZE { $$ = NODE(SIZE, @$, NULL); }
    | SIZE '(' NAME ')' { $$ = ADD(NODE(SIZE, @$, NULL), NODE(NAME, @NAME, $NAME)); }
    | PEER { $$ = NODE(PEER, @$, NULL); }
    | NAME '[' expression[index] ']' { $$ = ADD(NODE(ITEM, @$, $NAME), $index); }
    | NAME '(' ')' { $$ = NODE(CALL, @$, $NAME); }
    | NAME '(' values ')' { $$ = RENAME($values, CALL, @$, $NAME); }
    | MEASURED '(' NAME ',' TEXT ',' expression[of] ')'
        {
            $$ = ADD(NODE(MEASURED, @$, NULL), NODE(NAME, @NAME, $NAME));
            ADD(ADD($$, NODE(TEXT, @TEXT, $TEXT)), $of);
        }
    | SAMPLED '(' NAME ',' TEXT ',' expression[of] ')'
        {
            $$ = ADD(NODE(SAMPLED, @$, NULL), NODE(NAME, @NAME, $NAME));
            ADD(ADD($$, NODE(TEXT, @TEXT, $TEXT)), $of);
        }
    | '{' amounts '}' { $$ = $amounts; $$->place = @$.first; }
    | '(' expression[inner] ')' { $$ = $inner; }
    | operation
    ;
%type <struct syntax *> amounts amount;
amounts:
    amount { $$ = ADD(NODE(VECTOR, @$, NULL), $amount); }
    | amounts[others] ',' amount { $$ = ADD($others, $amount); }
    ;
amount: NAME ':' expression { $$ = ADD(NODE(AMOUNT, @NAME, $NAME), $expression); }
    ;
operation:
    expression[a] '?' expression[b] ':' expression[c] { $$ = OPERATOR(CHOICE, @2, $a, $b, $c); }
    | expression[a] OR expression[b] { $$ = OPERATOR(OR, @2, $a, $b, NULL); }
    | expression[a] AND expression[b] { $$ = OPERATOR(AND, @2, $a, $b, NULL); }
    | NOT expression[a] { $$ = OPERATOR(NOT, @1, $a, NULL, NULL); }
    | expression[a] EQUAL expression[b] { $$ = OPERATOR(EQUAL, @2, $a, $b, NULL); }
    | expression[a] UNEQUAL expression[b] { $$ = OPERATOR(UNEQUAL, @2, $a, $b, NULL); }
    | expression[a] '<' expression[b] { $$ = OPERATOR(LESS, @2, $a, $b, NULL); }
    | expression[a] LESS_EQUAL expression[b] { $$ = OPERATOR(LESS_EQUAL, @2, $a, $b, NULL); }
    | expression[a] '>' expression[b] { $$ = OPERATOR(GREATER, @2, $a, $b, NULL); }
    | expression[a] GREATER_EQUAL expression[b] { $$ = OPERATOR(GREATER_EQUAL, @2, $a, $b, NULL); }
    | expression[a] '+' expression[b] { $$ = OPERATOR(ADD, @2, $a, $b, NULL); }
    | expression[a] '-' expression[b] { $$ = OPERATOR(SUBTRACT, @2, $a, $b, NULL); }
    | expression[a] '*' expression[b] { $$ = OPERATOR(MULTIPLY, @2, $a, $b, NULL); }
    | expression[a] '/' expression[b] { $$ = OPERATOR(DIVIDE, @2, $a, $b, NULL); }
    | expression[a] FLOOR_DIVIDE expression[b] { $$ = OPERATOR(FLOOR_DIVIDE, @2, $a, $b, NULL); }
    | expression[a] '%' expression[b] { $$ = OPERATOR(MODULO, @2, $a, $b, NULL); }
    | '-' expression[a] %prec NEGATIVE { $$ = OPERATOR(NEGATE, @1, $a, NULL, NULL); }
    | expression[a] '^' expression[b] { $$ = OPERATOR(POWER, @2, $a, $b, NULL); }
    ;

%%
