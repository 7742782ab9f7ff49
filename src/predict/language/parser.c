#include "predict/language/parser.h"

#include "predict/language/words.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From the first character to the end of the last. */
struct text_span {
    struct script_position first, last;
};

#define LONGEST_SHOWN 40 /* characters of a word in a message */

struct scanned_word {
    int token;
    struct text_span span;
    char text[LONGEST_SHOWN + 1];
};

struct script_parser {
    struct script_reader *reader;
    void *scanner;                       /* yyscan_t */
    struct script_position next;         /* where the next word begins */
    struct scanned_word current, before; /* the last two words */
    LIST(struct scanned_word) open;      /* brackets that are not closed yet */
    struct syntax *tree;
};

#define NODE(kind, span, text)     syntax_create(parser->reader, SYNTAX_##kind, (span).first, (text))
#define ADD(parent, child)         syntax_add(parser->reader, (parent), (child))
#define NODE_OF(kind, span, child) ADD(NODE(kind, span, NULL), (child))
#define OPERATOR(kind, span, a, b, c) \
    syntax_operator(parser->reader, EXPRESSION_##kind, (span).first, (a), (b), (c))
#define RENAME(node, kind, span, text) rename_node((node), SYNTAX_##kind, (span).first, (text))
#define CLAUSE(kind, span, child) \
    clause_of(NODE(CLAUSE, (span), clause_words[CLAUSE_##kind]), CLAUSE_##kind, (child), parser)
#define STEP(span, word, operand, clauses) \
    step_of(NODE(STEP, (span), NULL), (word), (operand), (clauses), parser)

static struct syntax *rename_node(struct syntax *node, enum syntax_kind kind,
                                  struct script_position place, const char *text)
{
    node->kind = (uint8_t)kind;
    node->place = place;
    node->text = text;
    return node;
}

static struct syntax *clause_of(struct syntax *node, enum clause clause, struct syntax *child,
                                struct script_parser *parser)
{
    node->operation = (uint8_t)clause;
    return ADD(node, child);
}

/* `clauses`: a LIST, or NULL. */
static struct syntax *step_of(struct syntax *node, const struct step_word *word,
                              struct syntax *operand, struct syntax *clauses,
                              struct script_parser *parser)
{
    node->word = word;
    node->text = word->word;
    if (operand)
        ADD(node, operand);
    if (clauses)
        ADD(node, clauses);
    return node;
}

/* The bison stack does not grow: its only error besides syntax errors is then the depth. */
#define YYINITDEPTH 10000
#define YYMAXDEPTH  10000
#define YYLLOC_DEFAULT(current, rhs, n)                         \
    do {                                                        \
        (current).first = YYRHSLOC(rhs, (n) > 0 ? 1 : 0).first; \
        (current).last = YYRHSLOC(rhs, (n)).last;               \
        if ((n) == 0)                                           \
            (current).first = (current).last;                   \
    } while (0)

static void script_parse_error(const struct text_span *span, struct script_parser *parser,
                               const char *message)
{
    (void)message;
    reader_refuse(parser->reader, span->first, "nested too deeply");
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
union SCRIPT_PARSE_STYPE;
static int script_parse_lex(union SCRIPT_PARSE_STYPE *value, struct text_span *span,
                            struct script_parser *parser);
#include "predict/language/grammar.inc"
#pragma GCC diagnostic pop

/* Groups of tokens for which a message has one name, such as "an expression". Each list ends with
 * END. */
static const int declaration_words[] = {
    TOKEN_PROGRAM,   TOKEN_PARAM,        TOKEN_LET,       TOKEN_STARTUP, TOKEN_SHUTDOWN,
    TOKEN_TABLE,     TOKEN_TRACE,        TOKEN_OPERATION, TOKEN_GRID,    TOKEN_PART,
    TOKEN_PROCEDURE, TOKEN_COMMUNICATOR, TOKEN_END};
static const int statement_words[] = {
    TOKEN_LET,       TOKEN_LOOP,     TOKEN_IF,        TOKEN_CASE,  TOKEN_COMPUTE, TOKEN_CPU,
    TOKEN_REGION,    TOKEN_CREATE,   TOKEN_FREE,      TOKEN_WRITE, TOKEN_READ,    TOKEN_NAME,
    TOKEN_STEP_WORD, TOKEN_SENDRECV, TOKEN_WAIT_WORD, '{',         TOKEN_END};
static const int expression_words[] = {
    TOKEN_NUMBER, TOKEN_NAME, TOKEN_TRUE, TOKEN_FALSE,    TOKEN_RANK,    TOKEN_SIZE, TOKEN_PEER,
    TOKEN_NOT,    '-',        '(',        TOKEN_MEASURED, TOKEN_SAMPLED, '{',        TOKEN_END};
static const int operator_words[] = {TOKEN_AND,
                                     TOKEN_OR,
                                     TOKEN_EQUAL,
                                     TOKEN_UNEQUAL,
                                     '<',
                                     '>',
                                     '+',
                                     '-',
                                     '*',
                                     '/',
                                     '%',
                                     '^',
                                     TOKEN_FLOOR_DIVIDE,
                                     '?',
                                     '(',
                                     '[',
                                     TOKEN_LESS_EQUAL,
                                     TOKEN_GREATER_EQUAL,
                                     TOKEN_END};
static const int clause_tokens[] = {TOKEN_TO,   TOKEN_FROM,   TOKEN_TAG,     TOKEN_ON, TOKEN_AS,
                                    TOKEN_ROOT, TOKEN_COUNTS, TOKEN_RECEIVE, TOKEN_END};

struct expected_tokens {
    bool has[YYNTOKENS];
};
#define HAS(token) (expected->has[YYTRANSLATE(token)])

static void drop(struct expected_tokens *expected, const int *tokens)
{
    for (; *tokens != TOKEN_END; tokens++)
        HAS(*tokens) = false;
}

/* The name of a token as people write it: ";" for ';'. */
static const char *token_name(struct script_parser *parser, int token)
{
    const char *name = yysymbol_name(YYTRANSLATE(token));
    return name[0] == '\'' ? reader_strndup(parser->reader, name + 1, 1) : name;
}

/* Appends names of the expected words that look like names themselves. */
static void expected_words_add(struct script_parser *parser, const struct expected_tokens *expected,
                               struct candidates *candidates)
{
    for (int kind = 0; kind < YYNTOKENS; kind++) {
        const char *name = yysymbol_name((yysymbol_kind_t)kind);
        if (expected->has[kind] && name[0] >= 'a' && name[0] <= 'z' && !strchr(name, ' '))
            list_push(parser->reader, &candidates->names, name);
    }
    if (HAS(TOKEN_STEP_WORD))
        step_words_add(parser->reader, candidates);
}

/* "; did you mean "root"?" if the word is near one that is expected, else "". */
static const char *nearest_expected(struct script_parser *parser,
                                    const struct expected_tokens *expected,
                                    const struct scanned_word *word)
{
    struct candidates candidates = {0};
    if (word->token != TOKEN_NAME)
        return "";
    expected_words_add(parser, expected, &candidates);
    return reader_nearest(parser->reader, word->text, &candidates);
}

/* Writes the expected tokens: "an expression or ")"". */
static void expected_describe(struct expected_tokens *expected, char *text, size_t size)
{
    char quoted[YYNTOKENS][24];
    const char *phrases[YYNTOKENS];
    int count = 0, shown = 0;
    if (HAS(TOKEN_PROCEDURE)) {
        phrases[count++] =
            "a declaration (program, param, let, table, trace, operation, communicator, "
            "grid, startup, shutdown, procedure, part)";
        drop(expected, declaration_words);
        expected->has[YYSYMBOL_YYEOF] = false;
    }
    if (HAS(TOKEN_LOOP)) {
        phrases[count++] = "a statement";
        drop(expected, statement_words);
    }
    if (HAS(TOKEN_NUMBER)) {
        phrases[count++] = "an expression";
        drop(expected, expression_words);
    }
    if (HAS('+'))
        drop(expected, operator_words);
    if (HAS(TOKEN_AS)) {
        phrases[count++] = "a clause such as \"to PEER\" or \"on COMMUNICATOR\"";
        drop(expected, clause_tokens);
    }
    for (int kind = 0; kind < YYNTOKENS; kind++) {
        const char *name = yysymbol_name((yysymbol_kind_t)kind);
        if (!expected->has[kind])
            continue;
        bool plain = strchr(name, ' ') != NULL;
        int length = (int)strlen(name), quote = name[0] == '\'';
        snprintf(quoted[shown], sizeof quoted[shown], plain ? "%.*s" : "\"%.*s\"",
                 length - 2 * quote, name + quote);
        phrases[count++] = quoted[shown++];
    }
    size_t at = 0;
    *text = '\0';
    for (int i = 0; i < count && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s",
                               i == 0           ? ""
                               : i == count - 1 ? " or "
                                                : ", ",
                               phrases[i]);
}

static bool is_comparison(int token)
{
    return token == '<' || token == '>' || token == TOKEN_LESS_EQUAL ||
           token == TOKEN_GREATER_EQUAL || token == TOKEN_EQUAL || token == TOKEN_UNEQUAL;
}

static bool is_reserved(const struct scanned_word *word)
{
    return word->token != TOKEN_NAME && word->text[0] >= 'a' && word->text[0] <= 'z';
}

/* A name that begins no statement, which shows only at the next word. */
static void refuse_unknown_statement(struct script_parser *parser,
                                     const struct expected_tokens *expected)
{
    const struct scanned_word *word = &parser->current, *before = &parser->before;
    struct candidates candidates = {0};
    bool continues = word->token == '[' || (word->token >= '*' && word->token <= '/') ||
                     word->token == '^' || word->token == '%';
    if (before->token != TOKEN_NAME || continues || !HAS('=') || !HAS('(') || HAS('+'))
        return;
    for (const int *token = statement_words; *token != TOKEN_END; token++)
        if (*token != TOKEN_NAME && *token != '{' && *token != TOKEN_STEP_WORD)
            list_push(parser->reader, &candidates.names, token_name(parser, *token));
    step_words_add(parser->reader, &candidates);
    const char *nearest = reader_nearest(parser->reader, before->text, &candidates);
    reader_refuse(parser->reader, before->span.first, "unknown statement \"%s\"%s", before->text,
                  *nearest ? nearest : "; expected a step, or \"=\" or \"(\" after the name");
}

static bool is_among(int token, const int *tokens)
{
    while (*tokens != TOKEN_END && *tokens != token)
        tokens++;
    return *tokens == token;
}

/* What does not belong between two statements or declarations. */
static void refuse_between(struct script_parser *parser, const struct expected_tokens *expected)
{
    const struct scanned_word *word = &parser->current;
    struct script_reader *reader = parser->reader;
    struct script_position place = word->span.first;
    if (!HAS(TOKEN_LOOP) && !HAS(TOKEN_PROCEDURE))
        return;
    if (word->token == ';')
        reader_refuse(reader, place, "unexpected \";\": no \";\" follows a \"}\"");
    if (word->token == TOKEN_FLOOR_DIVIDE)
        reader_refuse(reader, place, "unexpected \"//\"; comments begin with #");
    if (word->token == '}')
        reader_refuse(reader, place, "there is no \"{\" for this \"}\"");
    if (!HAS(TOKEN_LOOP) && is_reserved(word) && is_among(word->token, statement_words))
        reader_refuse(reader, place, "\"%s\" is a statement and belongs in a part or procedure",
                      word->text);
}

/* Errors with a special message; returns if this is not one of them. */
static void refuse_known(struct script_parser *parser, const struct expected_tokens *expected)
{
    const struct scanned_word *word = &parser->current, *before = &parser->before;
    struct script_reader *reader = parser->reader;
    struct script_position place = word->span.first;
    struct candidates candidates = {0};
    refuse_unknown_statement(parser, expected);
    refuse_between(parser, expected);
    if (word->token == TOKEN_END && parser->open.count > 0) {
        const struct scanned_word *open = &parser->open.items[parser->open.count - 1];
        reader_refuse(reader, place, "the file ends, but \"%s\" of %u:%u is not closed", open->text,
                      open->span.first.line, open->span.first.column);
    }
    if (word->token == TOKEN_NAME && before->token == TOKEN_NUMBER) {
        expected_words_add(parser, expected, &candidates);
        word_units_add(reader, &candidates);
        reader_refuse(reader, place, "unexpected \"%s\" after a number, which is not a unit%s",
                      word->text, reader_nearest(reader, word->text, &candidates));
    }
    if (HAS(TOKEN_NAME) && !HAS(TOKEN_NUMBER) && !HAS(TOKEN_LOOP) && is_reserved(word))
        reader_refuse(reader, place,
                      "\"%s\" is a word of the language; expected a name, such as \"%s_\"",
                      word->text, word->text);
    if (is_comparison(word->token) && HAS('+'))
        reader_refuse(reader, place, "comparisons cannot be chained; write a < b and b < c");
    if (word->token == ';' && HAS(',') && HAS(TOKEN_AS))
        reader_refuse(reader, place, "the half that receives is missing: %s",
                      step_word_usage(reader, step_word_find("sendrecv")));
    if (HAS(';') && (word->token == TOKEN_END || word->token == '}' ||
                     word->span.first.line > before->span.last.line)) {
        const char *nearest = nearest_expected(parser, expected, word);
        reader_refuse(reader, before->span.last, "expected \";\" behind \"%s\"%s", before->text,
                      nearest);
    }
}

static int yyreport_syntax_error(const yypcontext_t *context, struct script_parser *parser)
{
    struct expected_tokens expected = {{false}};
    yysymbol_kind_t kinds[YYNTOKENS];
    int count = yypcontext_expected_tokens(context, kinds, YYNTOKENS);
    for (int i = 0; i < count; i++)
        expected.has[kinds[i]] = true;
    refuse_known(parser, &expected);

    const struct scanned_word *word = &parser->current;
    const char *nearest = nearest_expected(parser, &expected, word);
    char text[400];
    expected_describe(&expected, text, sizeof text);
    if (word->token == TOKEN_END)
        reader_refuse(parser->reader, word->span.first, "the file ends; expected %s", text);
    if (word->token == TOKEN_TEXT)
        reader_refuse(parser->reader, word->span.first, "unexpected text; expected %s", text);
    reader_refuse(parser->reader, word->span.first, "unexpected \"%s\"; expected %s%s", word->text,
                  text, nearest);
}

static void parser_moved(struct script_parser *parser, struct text_span *span, const char *text,
                         size_t length)
{
    parser->next = span->first;
    parser->next.column += word_characters(text, length);
    span->last = parser->next;
}

static void parser_line(struct script_parser *parser)
{
    parser->next.line++;
    parser->next.column = 1;
}

/* The token of a name: that of a step, or NAME. */
static int parser_name(struct script_parser *parser, const char *text, size_t length,
                       YYSTYPE *value)
{
    const struct step_word *word = step_word_find(text);
    if (!word) {
        value->TOKEN_NAME = reader_strndup(parser->reader, text, length);
        return TOKEN_NAME;
    }
    if (word->call == MPI_CALL_SENDRECV)
        return TOKEN_SENDRECV;
    if (word->kind == STATEMENT_WAIT) {
        value->TOKEN_WAIT_WORD = word;
        return TOKEN_WAIT_WORD;
    }
    value->TOKEN_STEP_WORD = word;
    return TOKEN_STEP_WORD;
}

/* Characters that other languages have. */
static const char *stray_hint(char character)
{
    switch (character) {
    case '&':
        return "; did you mean \"and\"?";
    case '|':
        return "; did you mean \"or\"?";
    case '!':
        return "; did you mean \"not\"?";
    case '\'':
        return "; put texts in double quotes";
    default:
        return "";
    }
}

_Noreturn static void parser_stray(struct script_parser *parser, const char *text,
                                   struct script_position place)
{
    reader_refuse(parser->reader, place, "the character %.*s has no meaning here%s",
                  (int)word_character(text, strlen(text)), text, stray_hint(*text));
}

#define YY_DECL static int scan(YYSTYPE *value, YYLTYPE *where, yyscan_t yyscanner)
#define YY_USER_ACTION            \
    where->first = yyextra->next; \
    parser_moved(yyextra, where, yytext, (size_t)yyleng);
/* flex's only error is lack of memory, which comes as a longjmp already. */
#define YY_FATAL_ERROR(message) abort()

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "predict/language/scanner.inc"
#pragma GCC diagnostic pop

/* flex's memory is in the arena. Its one buffer, the text, does not grow. */
void *script_scan_alloc(yy_size_t size, yyscan_t scanner)
{
    struct yyguts_t *guts = scanner;
    return reader_alloc(guts->yyextra_r->reader, size, 1);
}

void *script_scan_realloc(void *block, yy_size_t size, yyscan_t scanner)
{
    assert(!block);
    return script_scan_alloc(size, scanner);
}

void script_scan_free(void *block, yyscan_t scanner)
{
    (void)block;
    (void)scanner;
}

static void follow_brackets(struct script_parser *parser)
{
    const struct scanned_word *word = &parser->current;
    if (word->token == '{' || word->token == '(' || word->token == '[')
        list_push(parser->reader, &parser->open, *word);
    else if ((word->token == '}' || word->token == ')' || word->token == ']') &&
             parser->open.count > 0)
        parser->open.count--;
}

static int script_parse_lex(YYSTYPE *value, YYLTYPE *span, struct script_parser *parser)
{
    int token = scan(value, span, parser->scanner);
    parser->before = parser->current;
    struct scanned_word *word = &parser->current;
    word->token = token;
    if (token == TOKEN_END)
        span->first = span->last = parser->next;
    word->span = *span;
    const struct yyguts_t *guts = parser->scanner;
    size_t length = token == TOKEN_END ? 0 : (size_t)guts->yyleng_r;
    if (length > LONGEST_SHOWN)
        length = LONGEST_SHOWN;
    memcpy(word->text, guts->yytext_r, length);
    word->text[length] = '\0';
    follow_brackets(parser);
    return token;
}

bool parser_has_keyword(const char *word)
{
    for (int kind = 0; kind < YYNTOKENS; kind++)
        if (strcmp(yysymbol_name((yysymbol_kind_t)kind), word) == 0)
            return true;
    return step_word_find(word) != NULL;
}

struct syntax *parser_parse(struct script_reader *reader, char *text, size_t size)
{
    assert(text[size] == '\0' && text[size + 1] == '\0');
    struct script_parser *parser = reader_alloc(reader, 1, sizeof *parser);
    parser->reader = reader;
    parser->next = (struct script_position){1, 1};
    if (script_scan_lex_init_extra(parser, &parser->scanner) != 0)
        reader_no_memory(reader);
    script_scan__scan_buffer(text, size + 2, parser->scanner);
    int result = script_parse_parse(parser);
    assert(result == 0); /* errors do not return */
    (void)result;
    return parser->tree;
}
