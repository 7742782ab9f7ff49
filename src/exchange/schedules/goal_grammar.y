/* GOAL text (doc/schedules.md). Part of goal_parser.c. The file is read twice: once for the places
 * of its ranks (START_FILE), whose blocks the scanner skips, and then block by block
 * (START_BLOCK). */
%require "3.6"
%define api.pure full
%define api.prefix {goal_parse_}
%define api.token.prefix {TOKEN_}
%define api.value.type union
%define api.location.type {struct goal_place}
%define parse.error custom
%define parse.lac full
%locations
%param {struct goal_parser *parser}
%initial-action { (void)yynerrs; /* bison counts errors; the number is not used */ }

%token END 0 "the end of the file"
%token START_FILE START_BLOCK
%token NEWLINE "the end of the line"
%token SKIPPED "}"
%token <uint64_t> NUMBER "a number"
%token <uint64_t> BYTES "a number of bytes (100b)"
%token ANY "-1"
%token <const char *> LABEL "a label"
%token NUM_RANKS "num_ranks" RANK "rank" CALC "calc" SEND "send" RECV "recv" TO "to" FROM "from"
%token TAG "tag" CPU "cpu" NIC "nic" REQUIRES "requires" IREQUIRES "irequires"

%type <const char *> label word
%type <uint64_t> tag
%type <bool> requires

%%

start:
    START_FILE newlines NUM_RANKS NUMBER[ranks] NEWLINE { goal_count(parser, $ranks, @ranks); } blocks END
    | START_BLOCK lines '}' { YYACCEPT; }
    ;
newlines: %empty | newlines NEWLINE
    ;
blocks: newlines | blocks block newlines
    ;
block: RANK NUMBER[rank] '{' SKIPPED { goal_block(parser, $rank, @rank); }
    ;

lines: %empty | lines line
    ;
line:
    NEWLINE
    | operation NEWLINE
    | label ':' { goal_remember(parser, $label); } operation NEWLINE { goal_label(parser, @label); }
    | label { goal_remember(parser, $label); } requires word NEWLINE { goal_depend(parser, $word, $requires, @label, @word); }
    ;
requires: REQUIRES { $$ = false; } | IREQUIRES { $$ = true; }
    ;
operation:
    CALC NUMBER { goal_begin(parser, GOAL_CALC, $NUMBER, @NUMBER); } places
    | SEND BYTES TO NUMBER[peer] { goal_begin(parser, GOAL_SEND, $BYTES, @BYTES); goal_peer(parser, $peer, @peer); } clauses
    | RECV BYTES FROM NUMBER[peer] { goal_begin(parser, GOAL_RECEIVE, $BYTES, @BYTES); goal_peer(parser, $peer, @peer); } clauses
    | RECV BYTES FROM ANY { goal_refuse(parser, @ANY, "a receive from any source: say from which rank; traces name the sender of each message"); } clauses
    ;
clauses: places | TAG tag { goal_tag(parser, $tag, @tag); } places
    ;
tag:
    NUMBER
    | ANY { $$ = 0; goal_refuse(parser, @ANY, "a receive of any tag: say which tag; traces name the tag of each message"); }
    ;
places: %empty | places CPU NUMBER | places NIC NUMBER
    ;
label: word
    ;
word: LABEL | TO { $$ = "to"; } | FROM { $$ = "from"; } | TAG { $$ = "tag"; } | CPU { $$ = "cpu"; } | NIC { $$ = "nic"; }
    ;

%%
