#include "exchange/schedules/goal_parser.h"

#include "base/sort.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_LENGTH = 256 };

struct goal_parser {
    const char *path;
    struct error *error;
    enum status status;        /* the first error ends the reading */
    struct goal_place comment; /* where the last one begins */
    struct goal_place next;    /* where the next word begins, */
    uint64_t offset;           /* the same in bytes */
    int start;                 /* the token that comes first; 0: it was there */
    bool skips;                /* blocks */
    void *scanner;
    struct goal_index *index;
    struct goal_block open;      /* the block that is skipped */
    struct goal_rank *rank;      /* whose block is read */
    char words[2][LABEL_LENGTH]; /* labels of a line: the last two words, */
    int word;
    char label[LABEL_LENGTH]; /* and the first one */
};

static void goal_refuse(struct goal_parser *parser, struct goal_place where, const char *text)
{
    if (parser->status == STATUS_OK)
        parser->status = error_set(parser->error, STATUS_INPUT, "%s:%u:%u: %s", parser->path,
                                   where.line, where.column, text);
}

static void goal_check(struct goal_parser *parser, bool room)
{
    if (!room && parser->status == STATUS_OK)
        parser->status = error_memory(parser->error, "the schedule");
}

static void goal_count(struct goal_parser *parser, uint64_t ranks, struct goal_place where)
{
    if (ranks < 1 || ranks > INT32_MAX)
        goal_refuse(parser, where, "the number of ranks is from 1 to 2147483647");
    parser->index->ranks = (uint32_t)ranks;
}

static void goal_block(struct goal_parser *parser, uint64_t rank, struct goal_place where)
{
    if (rank >= parser->index->ranks)
        goal_refuse(parser, where,
                    "there is no such rank: they begin at 0 and end below num_ranks");
    parser->open.rank = (uint32_t)rank;
    parser->open.where = where;
    goal_check(parser, array_push(&parser->index->blocks, parser->open));
}

static void goal_begin(struct goal_parser *parser, enum goal_kind kind, uint64_t size,
                       struct goal_place where)
{
    struct goal_operation operation = {.kind = (uint8_t)kind, .size = size, .line = where.line};
    if (size > INT64_MAX / 1024)
        goal_refuse(parser, where, "the number is too large: at most 9007199254740991");
    if (parser->rank->operations.count >= INT32_MAX)
        goal_refuse(parser, where, "the rank has more than 2147483647 operations");
    goal_check(parser, array_push(&parser->rank->operations, operation));
}

static struct goal_operation *last_operation(struct goal_parser *parser)
{
    assert(parser->rank->operations.count > 0);
    return &parser->rank->operations.items[parser->rank->operations.count - 1];
}

static void goal_peer(struct goal_parser *parser, uint64_t peer, struct goal_place where)
{
    if (peer >= parser->index->ranks)
        goal_refuse(parser, where,
                    "there is no such rank: they begin at 0 and end below num_ranks");
    if (parser->status == STATUS_OK)
        last_operation(parser)->peer = (uint32_t)peer;
}

static void goal_tag(struct goal_parser *parser, uint64_t tag, struct goal_place where)
{
    if (tag >= UINT32_MAX)
        goal_refuse(parser, where, "the tag is too large: at most 4294967294");
    if (parser->status == STATUS_OK)
        last_operation(parser)->tag = (uint32_t)tag;
}

/* The label at the beginning of a line. */
static void goal_remember(struct goal_parser *parser, const char *label)
{
    snprintf(parser->label, sizeof parser->label, "%s", label);
}

static void goal_label(struct goal_parser *parser, struct goal_place where)
{
    bool known = false;
    if (parser->status != STATUS_OK)
        return;
    goal_check(parser, goal_rank_label(parser->rank, parser->label, &known));
    if (known)
        goal_refuse(parser, where, "the rank has another operation of this label");
}

static uint32_t find(struct goal_parser *parser, const char *label, struct goal_place where)
{
    uint32_t operation = goal_rank_find(parser->rank, label);
    if (operation == INDEX_NONE)
        goal_refuse(parser, where, "the rank has no operation of this label so far");
    return operation;
}

static void goal_depend(struct goal_parser *parser, const char *on, bool start,
                        struct goal_place label, struct goal_place word)
{
    struct goal_dependence dependence = {.start = start};
    dependence.operation = find(parser, parser->label, label);
    dependence.on = find(parser, on, word);
    if (parser->status == STATUS_OK)
        goal_check(parser, array_push(&parser->rank->dependences, dependence));
}

static void goal_newline(struct goal_parser *parser)
{
    parser->next.line++;
    parser->next.column = 1;
}

static void goal_open_block(struct goal_parser *parser)
{
    parser->open.begin = parser->next;
    parser->open.offset = parser->offset;
}

static uint64_t goal_number(struct goal_parser *parser, const char *text, struct goal_place where)
{
    errno = 0;
    uint64_t number = strtoull(text, NULL, 10);
    if (errno)
        goal_refuse(parser, where, "the number is too large");
    return number;
}

/* Stays valid until the word after the next one. */
static const char *goal_word(struct goal_parser *parser, const char *text, struct goal_place where)
{
    if (strlen(text) > 200)
        goal_refuse(parser, where, "the label is too long: at most 200 letters");
    parser->word = !parser->word;
    snprintf(parser->words[parser->word], LABEL_LENGTH, "%s", text);
    return parser->words[parser->word];
}

#define YYLLOC_DEFAULT(current, rhs, n) ((current) = YYRHSLOC(rhs, (n) > 0 ? 1 : 0))

static void goal_parse_error(const struct goal_place *where, struct goal_parser *parser,
                             const char *message)
{
    (void)message;
    goal_check(parser, false);
    (void)where;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
union GOAL_PARSE_STYPE;
static int goal_parse_lex(union GOAL_PARSE_STYPE *value, struct goal_place *where,
                          struct goal_parser *parser);
static int goal_stray(struct goal_parser *parser, const char *text, struct goal_place where);
#include "exchange/schedules/goal_grammar.inc"

#define YY_DECL                                                                            \
    static int goal_scan_lex_next(union GOAL_PARSE_STYPE *value, struct goal_place *where, \
                                  void *yyscanner)
#define YY_USER_ACTION                        \
    *where = yyextra->next;                   \
    yyextra->next.column += (uint32_t)yyleng; \
    yyextra->offset += (uint64_t)yyleng;
#define YY_FATAL_ERROR(message) goal_fatal(message)
static void __attribute__((noreturn)) goal_fatal(const char *message)
{
    fprintf(stderr, "silas: not enough memory for a schedule (%s)\n", message);
    exit(STATUS_ENVIRONMENT);
}
#include "exchange/schedules/goal_scanner.inc"
#pragma GCC diagnostic pop

static int goal_stray(struct goal_parser *parser, const char *text, struct goal_place where)
{
    char message[80];
    unsigned char byte = (unsigned char)text[0];
    if (isprint(byte))
        snprintf(message, sizeof message, "GOAL has no '%c'", byte);
    else
        snprintf(message, sizeof message, "byte 0x%02x: this is not text", byte);
    goal_refuse(parser, where, message);
    return TOKEN_END;
}

static int goal_parse_lex(union GOAL_PARSE_STYPE *value, struct goal_place *where,
                          struct goal_parser *parser)
{
    if (parser->start) {
        int start = parser->start;
        parser->start = 0;
        *where = parser->next;
        return start;
    }
    *where = parser->next;
    return parser->status == STATUS_OK ? goal_scan_lex_next(value, where, parser->scanner)
                                       : TOKEN_END;
}

/* "expected a number or "to", not the end of the line". */
static int yyreport_syntax_error(const yypcontext_t *context, struct goal_parser *parser)
{
    enum { SHOWN = 8 };
    yysymbol_kind_t expected[SHOWN];
    const yysymbol_kind_t found = yypcontext_token(context);
    int all = yypcontext_expected_tokens(context, expected, SHOWN), count = 0;
    for (int i = 0; i < all; i++) /* the end of the line, only if there is nothing else */
        if (expected[i] != YYSYMBOL_NEWLINE || all == 1)
            expected[count++] = expected[i];
    char text[400] = "expected ";
    size_t used = strlen(text);
    for (int i = 0; i < count; i++) {
        const char *name = yysymbol_name(expected[i]);
        bool word = strncmp(name, "a ", 2) != 0 && strncmp(name, "the ", 4) != 0 && name[0] != '\'';
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s",
                                 i == 0           ? ""
                                 : i + 1 == count ? " or "
                                                  : ", ",
                                 word ? "\"" : "", name, word ? "\"" : "");
    }
    if (count == 0) /* more than SHOWN */
        used = (size_t)snprintf(text, sizeof text,
                                "expected an operation (calc, send, recv), a label or \"}\"");
    snprintf(text + used, sizeof text - used, ", not %s",
             found == YYSYMBOL_YYEMPTY ? "this" : yysymbol_name(found));
    goal_refuse(parser, *yypcontext_location(context), text);
    return 0;
}

static enum status parse(struct goal_parser *parser, FILE *file)
{
    if (goal_scan_lex_init_extra(parser, &parser->scanner) != 0)
        return parser->status = error_memory(parser->error, "the schedule");
    goal_scan_restart(file, parser->scanner);
    if (goal_parse_parse(parser) != 0)
        goal_check(parser, false); /* unless there is an error already */
    goal_scan_lex_destroy(parser->scanner);
    if (ferror(file) && parser->status == STATUS_OK)
        parser->status = error_set(parser->error, STATUS_ENVIRONMENT, "cannot read %s: %s",
                                   parser->path, strerror(errno));
    return parser->status;
}

ORDER_BY(compare_blocks, struct goal_block, ASCENDING(rank) ?: ASCENDING(offset))

/* Whether every rank is there once. */
static void check_ranks(struct goal_parser *parser)
{
    struct goal_index *index = parser->index;
    char text[160];
    size_t count = index->blocks.count;
    if (count > 0)
        qsort(index->blocks.items, count, sizeof *index->blocks.items, compare_blocks);
    for (size_t i = 0; i < count && parser->status == STATUS_OK; i++) {
        const struct goal_block *block = &index->blocks.items[i];
        if (i > 0 && block[-1].rank == block->rank) {
            snprintf(text, sizeof text, "rank %u is there already, in line %u", block->rank,
                     block[-1].where.line);
            goal_refuse(parser, block->where, text);
        } else if (block->rank != i) {
            count = i; /* a rank is missing */
        }
    }
    if (count < index->ranks) {
        snprintf(text, sizeof text, "num_ranks is %u, but there is no rank %zu", index->ranks,
                 count);
        goal_refuse(parser, parser->next, text);
    }
}

enum status goal_parse_index(const char *path, FILE *file, struct goal_index *index,
                             struct error *error)
{
    struct goal_parser parser = {.path = path,
                                 .error = error,
                                 .next = {1, 1},
                                 .start = TOKEN_START_FILE,
                                 .skips = true,
                                 .index = index};
    *index = (struct goal_index){0};
    rewind(file);
    if (parse(&parser, file) == STATUS_OK)
        check_ranks(&parser);
    return parser.status;
}

enum status goal_parse_rank(const char *path, FILE *file, const struct goal_index *index,
                            const struct goal_block *block, struct goal_rank *rank,
                            struct error *error)
{
    assert(rank->operations.count == 0 && block->rank < index->ranks);
    struct goal_index ranks = {.ranks = index->ranks};
    struct goal_parser parser = {.path = path,
                                 .error = error,
                                 .next = block->begin,
                                 .offset = block->offset,
                                 .start = TOKEN_START_BLOCK,
                                 .index = &ranks,
                                 .rank = rank};
    if (fseeko(file, (off_t)block->offset, SEEK_SET) != 0)
        return error_set(error, STATUS_ENVIRONMENT, "cannot read %s: %s", path, strerror(errno));
    return parse(&parser, file);
}
