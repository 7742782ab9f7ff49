#include "trace/folded/rows.h"

#include <stdlib.h>

/* The kinds of rows for items of tables that no row begins: KIND_ITEM + number of the table. */
enum { KIND_ITEM = EVENT_KIND_COUNT };

enum table { MESSAGES, COLLECTIVES, RMA_OPS, RMA_SYNCS, FLUSHES, OTHERS };

enum item_state { ITEM_NEW, ITEM_BEGUN, ITEM_COMPLETES /* at a later row, by itself */ };

/* How the row of the end is stored. */
enum end { END_NEVER, END_AT_ONCE, END_BY_ROW, END_GIVEN };

struct conversion {
    struct row_cursor *cursor;
    struct row_numbers *numbers;
    uint32_t at;
};

static uint64_t convert(struct conversion *c, uint64_t value, bool fixed)
{
    struct row_numbers *n = c->numbers;
    if (c->cursor->making) {
        if (c->at >= n->count) {
            c->cursor->failed = true;
            return 0;
        }
        return n->value[c->at++];
    }
    n->fixed |= (uint32_t)fixed << c->at;
    n->value[c->at++] = value;
    n->count = c->at;
    return value;
}

/* Converts the difference between a variable and its expected value. Writes to the variable only
 * when numbers are converted to rows. */
#define CONVERT(c, variable, expected, fixed)                                                     \
    do {                                                                                          \
        uint64_t value_ =                                                                         \
            convert((c), (typeof(variable))((variable) - (typeof(variable))(expected)), (fixed)); \
        if ((c)->cursor->making)                                                                  \
            (variable) = (typeof(variable))(value_ + (uint64_t)(expected));                       \
    } while (0)

#define FIXED(c, variable, expected)  CONVERT(c, variable, expected, true)
#define VARIES(c, variable, expected) CONVERT(c, variable, expected, false)

static void convert_end(struct conversion *c, uint32_t *end, uint32_t index,
                        struct row_table *table)
{
    struct row_cursor *cursor = c->cursor;
    uint64_t code = (uint64_t)END_GIVEN + *end;
    if (!cursor->making) {
        if (*end == INDEX_NONE)
            code = END_NEVER;
        else if (*end == cursor->row)
            code = END_AT_ONCE;
        else if (*end > cursor->row && table->completion[index] == *end)
            code = END_BY_ROW;
    }
    code = convert(c, code, true);
    if (code == END_BY_ROW)
        table->state[index] = ITEM_COMPLETES;
    if (cursor->making)
        *end = code == END_AT_ONCE ? cursor->row
               : code >= END_GIVEN ? (uint32_t)(code - END_GIVEN)
                                   : INDEX_NONE;
}

/* In files of earlier versions, which have no `types`, these are 0. */
static void convert_types(struct conversion *c, uint16_t *type_size, uint32_t *types)
{
    uint64_t both = *type_size | (uint64_t)*types << 16;
    FIXED(c, both, 0);
    *type_size = (uint16_t)both;
    *types = (uint32_t)(both >> 16);
}

static void convert_message(struct conversion *c, uint32_t index)
{
    struct message *m = &c->cursor->stream->messages[index];
    FIXED(c, m->comm, 0);
    FIXED(c, m->flags, 0);
    convert_types(c, &m->type_size, &m->types);
    convert_end(c, &m->completion, index, &c->cursor->tables[MESSAGES]);
    VARIES(c, m->peer, 0);
    VARIES(c, m->tag, 0);
    VARIES(c, m->bytes, 0);
    VARIES(c, m->post, c->cursor->row);
    VARIES(c, m->recorded, index);
    FIXED(c, m->partner_rank, INDEX_NONE);
    FIXED(c, m->partner, INDEX_NONE);
}

static void convert_collective(struct conversion *c, uint32_t index)
{
    struct collective *o = &c->cursor->stream->collectives[index];
    uint8_t op = o->op; /* a bit-field has no address */
    FIXED(c, op, 0);
    o->op = op & 0x7f;
    FIXED(c, o->comm, 0);
    FIXED(c, o->flags, 0);
    convert_types(c, &o->type_size, &o->types);
    FIXED(c, o->window, 0);
    convert_end(c, &o->end, index, &c->cursor->tables[COLLECTIVES]);
    VARIES(c, o->root, ROOT_NONE);
    VARIES(c, o->sent, 0);
    VARIES(c, o->received, 0);
    VARIES(c, o->send_counts, INDEX_NONE);
    VARIES(c, o->receive_counts, INDEX_NONE);
    VARIES(c, o->destinations, INDEX_NONE);
    VARIES(c, o->sources, INDEX_NONE);
    VARIES(c, o->begin, c->cursor->row);
    VARIES(c, o->recorded, index);
    FIXED(c, o->instance, INDEX_NONE);
}

static void convert_rma_op(struct conversion *c, uint32_t index)
{
    struct rma_op *op = &c->cursor->stream->rma_ops[index];
    FIXED(c, op->kind, 0);
    FIXED(c, op->window, 0);
    FIXED(c, op->operation, 0);
    convert_types(c, &op->type_size, &op->types);
    VARIES(c, op->target, 0);
    VARIES(c, op->sent, 0);
    VARIES(c, op->received, 0);
    VARIES(c, op->matching, c->cursor->matching);
    c->cursor->matching = op->matching;
}

static void convert_rma_sync(struct conversion *c, uint32_t index)
{
    struct rma_sync *s = &c->cursor->stream->rma_syncs[index];
    FIXED(c, s->kind, 0);
    FIXED(c, s->window, 0);
    FIXED(c, s->mode, 0);
    FIXED(c, s->assertion, 0);
    VARIES(c, s->group, INDEX_NONE);
    VARIES(c, s->peer, 0);
    VARIES(c, s->matching, c->cursor->matching);
    VARIES(c, s->row, c->cursor->row);
    FIXED(c, s->partners, INDEX_NONE);
}

static void convert_item(struct conversion *c, enum table which, uint32_t index)
{
    struct stream *s = c->cursor->stream;
    const uint32_t row = c->cursor->row;
    switch (which) {
    case MESSAGES:
        convert_message(c, index);
        break;
    case COLLECTIVES:
        convert_collective(c, index);
        break;
    case RMA_OPS:
        convert_rma_op(c, index);
        break;
    case RMA_SYNCS:
        convert_rma_sync(c, index);
        break;
    case FLUSHES:
        VARIES(c, s->flushes[index], row < s->count ? s->time[row] : 0);
        break;
    case OTHERS:
        FIXED(c, s->others[index].type, 0);
        for (int i = 0; i < 3; i++)
            VARIES(c, s->others[index].fields[i], 0);
    }
}

/* Converts a row that begins an item, or that refers to an item begun before. */
static void convert_begin(struct conversion *c, enum table which, uint32_t *index)
{
    struct row_table *table = &c->cursor->tables[which];
    VARIES(c, *index, table->next);
    if (*index >= table->count) {
        c->cursor->failed |= c->cursor->making && *index != INDEX_NONE;
        return;
    }
    table->next = *index + 1;
    if (table->state[*index] != ITEM_NEW)
        return;
    table->state[*index] = ITEM_BEGUN;
    convert_item(c, which, *index);
}

/* Converts a row that refers to an item, by its distance to the next item to begin, and may
 * complete it. */
static void convert_named(struct conversion *c, enum table which, uint32_t *index, bool completes)
{
    struct row_cursor *cursor = c->cursor;
    struct row_table *table = &cursor->tables[which];
    uint32_t distance = table->next - *index;
    VARIES(c, distance, 0);
    if (cursor->making)
        *index = table->next - distance;
    if (!cursor->making || !completes || *index >= table->count ||
        table->state[*index] != ITEM_COMPLETES)
        return;
    table->state[*index] = ITEM_BEGUN;
    if (which == MESSAGES)
        cursor->stream->messages[*index].completion = cursor->row;
    else
        cursor->stream->collectives[*index].end = cursor->row;
}

static void convert_request(struct conversion *c, uint32_t *arg)
{
    uint8_t type = *arg == INDEX_NONE ? 2 : (*arg & COLLECTIVE_BIT) != 0;
    uint32_t index = *arg & ~COLLECTIVE_BIT;
    FIXED(c, type, 0);
    if (type < 2)
        convert_named(c, type ? COLLECTIVES : MESSAGES, &index, false);
    if (c->cursor->making)
        *arg = type == 2 ? INDEX_NONE : (index & ~COLLECTIVE_BIT) | (type ? COLLECTIVE_BIT : 0);
}

static void convert_leave(struct conversion *c, uint32_t *arg)
{
    struct row_cursor *cursor = c->cursor;
    uint32_t expected = INDEX_NONE;
    if (cursor->open.count)
        expected = cursor->open.items[--cursor->open.count];
    VARIES(c, *arg, expected);
    cursor->failed |= cursor->making && *arg >= cursor->row;
}

static void convert_arg(struct conversion *c, enum event_kind kind, uint32_t *arg)
{
    struct row_cursor *cursor = c->cursor;
    switch (kind) {
    case EVENT_ENTER:
    case EVENT_PROGRAM_BEGIN:
        FIXED(c, *arg, 0);
        cursor->failed |= !array_push(&cursor->open, cursor->row) || *arg >= cursor->paths;
        break;
    case EVENT_LEAVE:
    case EVENT_PROGRAM_END:
        convert_leave(c, arg);
        break;
    case EVENT_SEND:
    case EVENT_RECV:
    case EVENT_ISEND:
    case EVENT_IRECV_REQUEST:
        convert_begin(c, MESSAGES, arg);
        break;
    case EVENT_ISEND_COMPLETE:
    case EVENT_IRECV:
    case EVENT_MATCHED:
        convert_named(c, MESSAGES, arg, kind != EVENT_MATCHED);
        break;
    case EVENT_REQUEST_TEST:
    case EVENT_REQUEST_CANCELLED:
        convert_request(c, arg);
        break;
    case EVENT_COLLECTIVE_BEGIN:
    case EVENT_NBC_REQUEST:
        convert_begin(c, COLLECTIVES, arg);
        break;
    case EVENT_COLLECTIVE_END:
    case EVENT_NBC_COMPLETE:
        convert_named(c, COLLECTIVES, arg, true);
        break;
    case EVENT_RMA_OP:
        convert_begin(c, RMA_OPS, arg);
        break;
    case EVENT_RMA_SYNC:
        convert_begin(c, RMA_SYNCS, arg);
        break;
    case EVENT_BUFFER_FLUSH:
        convert_begin(c, FLUSHES, arg);
        break;
    case EVENT_OTHER:
        convert_begin(c, OTHERS, arg);
        break;
    case EVENT_COMM_CREATE:
    case EVENT_COMM_DESTROY:
    case EVENT_RMA_WIN_CREATE:
    case EVENT_RMA_WIN_DESTROY:
    case EVENT_MEASUREMENT_ON_OFF:
    case EVENT_POLLS:
    case EVENT_KIND_COUNT:
        VARIES(c, *arg, 0);
    }
}

/* Converts the next item that no row begins, of the first table that has one. */
static void convert_rest(struct conversion *c)
{
    struct row_cursor *cursor = c->cursor;
    uint8_t kind = KIND_ITEM;
    uint32_t index = 0;
    for (int which = 0; !cursor->making && which < ROW_TABLES; which++) {
        struct row_table *table = &cursor->tables[which];
        for (index = 0; index < table->count && table->state[index] != ITEM_NEW;)
            index++;
        kind = (uint8_t)(KIND_ITEM + which);
        if (index < table->count)
            break;
    }
    FIXED(c, kind, 0);
    if (kind < KIND_ITEM || kind >= KIND_ITEM + ROW_TABLES) {
        cursor->failed = true;
        return;
    }
    convert_begin(c, (enum table)(kind - KIND_ITEM), &index);
}

void row_convert(struct row_cursor *cursor, struct row_numbers *numbers)
{
    struct conversion c = {cursor, numbers, 0};
    struct stream *s = cursor->stream;
    if (!cursor->making)
        numbers->count = numbers->fixed = 0;
    if (cursor->row >= s->count) {
        convert_rest(&c);
    } else {
        FIXED(&c, s->kind[cursor->row], 0);
        if (s->kind[cursor->row] >= EVENT_KIND_COUNT)
            cursor->failed = true;
        else
            convert_arg(&c, s->kind[cursor->row], &s->arg[cursor->row]);
    }
    cursor->row++;
}

uint64_t rows_in_all(const struct row_cursor *cursor)
{
    assert(!cursor->making && cursor->row >= cursor->stream->count);
    uint64_t rows = cursor->stream->count;
    for (int which = 0; which < ROW_TABLES; which++)
        for (uint32_t i = 0; i < cursor->tables[which].count; i++)
            rows += cursor->tables[which].state[i] == ITEM_NEW;
    return rows;
}

static bool note_completions(struct row_cursor *cursor)
{
    const struct stream *s = cursor->stream;
    for (int which = MESSAGES; which <= COLLECTIVES; which++) {
        struct row_table *table = &cursor->tables[which];
        table->completion = malloc(((size_t)table->count + 1) * sizeof *table->completion);
        if (!table->completion)
            return false;
        for (uint32_t i = 0; i < table->count; i++)
            table->completion[i] = INDEX_NONE;
    }
    for (uint32_t row = s->count; row-- > 0;) {
        enum event_kind kind = s->kind[row];
        bool message = kind == EVENT_ISEND_COMPLETE || kind == EVENT_IRECV;
        if (!message && kind != EVENT_COLLECTIVE_END && kind != EVENT_NBC_COMPLETE)
            continue;
        struct row_table *table = &cursor->tables[message ? MESSAGES : COLLECTIVES];
        if (s->arg[row] < table->count)
            table->completion[s->arg[row]] = row;
    }
    return true;
}

bool row_cursor_begin(struct row_cursor *cursor, struct stream *stream, uint32_t paths, bool making)
{
    *cursor = (struct row_cursor){.stream = stream, .paths = paths, .making = making};
    int which = 0;
#define X(array, number) cursor->tables[which++].count = stream->number;
    STREAM_TABLES(X)
#undef X
    bool allocated = true;
    for (which = 0; which < ROW_TABLES; which++) {
        struct row_table *table = &cursor->tables[which];
        table->state = calloc((size_t)table->count + 1, sizeof *table->state);
        allocated &= table->state != NULL;
    }
    if (allocated && (making || note_completions(cursor)))
        return true;
    row_cursor_end(cursor);
    return false;
}

void row_cursor_end(struct row_cursor *cursor)
{
    free(cursor->open.items);
    for (int which = 0; which < ROW_TABLES; which++) {
        free(cursor->tables[which].state);
        free(cursor->tables[which].completion);
    }
    *cursor = (struct row_cursor){0};
}
