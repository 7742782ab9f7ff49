#include "python/tables.h"

#include "patterns/search.h"
#include "results/efficiency/measure.h"
#include "structure/structure.h"
#include "trace/calls/collective_operations.h"
#include "trace/calls/semantics.h"
#include "trace/threads.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

size_t column_width(char format)
{
    assert(strchr("cCiLg", format));
    return format == 'i' ? 4 : strchr("cC", format) ? 1 : 8;
}

/* Gives the whole pages of a block that is no longer read back to the system. The block itself
 * belongs to the trace's arena. */
static void drop_pages(void *block, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = ((uintptr_t)block + page - 1) & ~(page - 1);
    const uintptr_t end = ((uintptr_t)block + size) & ~(page - 1);
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_DONTNEED);
}

static void *move_column(void *to, void *from, size_t size)
{
    memcpy(to, from, size);
    drop_pages(from, size);
    return to;
}

enum status events_join(struct trace *trace, struct error *error)
{
    assert(!trace->matched);
    const uint32_t streams = trace->owned_count + trace->carried_count;
    size_t rows = 0;
    for (uint32_t i = 0; i < streams; i++)
        rows += trace_any_stream(trace, i)->count;
    if (streams <= 1 || rows == 0)
        return STATUS_OK;
    uint64_t *time = arena_adopt(trace->arena, malloc(rows * sizeof *time));
    uint32_t *arg = arena_adopt(trace->arena, malloc(rows * sizeof *arg));
    uint8_t *kind = arena_adopt(trace->arena, malloc(rows * sizeof *kind));
    if (!time || !arg || !kind)
        return error_memory(error, "the events of the trace");
    memory_advise_huge(time, rows * sizeof *time, false);
    memory_advise_huge(arg, rows * sizeof *arg, false);
    memory_advise_huge(kind, rows * sizeof *kind, false);
    for (uint32_t i = 0; i < streams; i++) {
        struct stream *stream = trace_any_stream(trace, i);
        const size_t count = stream->count;
        stream->time = move_column(time, stream->time, count * sizeof *time);
        stream->arg = move_column(arg, stream->arg, count * sizeof *arg);
        stream->kind = move_column(kind, stream->kind, count * sizeof *kind);
        time += count;
        arg += count;
        kind += count;
    }
    return STATUS_OK;
}

void trace_table_clear(struct trace_table *table)
{
    for (size_t c = 0; c < table->column_count; c++) {
        struct table_column *column = &table->columns[c];
        for (size_t i = 0; i < column->names.count; i++)
            free(column->names.items[i]);
        free(column->names.items);
        if (!column->borrowed)
            free(column->data);
    }
    memset(table, 0, sizeof *table);
}

/* "rank:i?" is a column of 32 bits that may lack values, "kind:c*" one of names. */
static void table_add_columns(struct trace_table *table, const char *const *columns)
{
    for (; *columns; columns++) {
        const char *colon = strchr(*columns, ':');
        assert(colon && table->column_count < TABLE_COLUMNS);
        table->columns[table->column_count++] =
            (struct table_column){.name = *columns,
                                  .format = colon[1],
                                  .nullable = strchr(colon, '?') != NULL,
                                  .named = strchr(colon, '*') != NULL};
    }
}
#define ADD_COLUMNS(table, ...) table_add_columns((table), (const char *const[]){__VA_ARGS__, NULL})

/* A value of a column, by its format. */
union cell {
    int64_t whole;
    double real;
};
#define WHOLE(value) ((union cell){.whole = (int64_t)(value)})
#define PLACE(value) ((union cell){.whole = (int32_t)(value)}) /* INDEX_NONE becomes -1 */
#define REAL(value)  ((union cell){.real = (value)})

static bool table_make_room(struct trace_table *table)
{
    const size_t room = table->room < 512 ? 1024 : 2 * table->room;
    for (size_t c = 0; c < table->column_count; c++) {
        struct table_column *column = &table->columns[c];
        void *larger = realloc(column->data, room * column_width(column->format));
        if (!larger)
            return false;
        column->data = larger;
    }
    table->room = room;
    return true;
}

/* False when memory is out. */
static bool table_add_row(struct trace_table *table, const union cell *cells)
{
    assert(table->column_count > 0 && table->rows <= table->room);
    if (table->rows == table->room && !table_make_room(table))
        return false;
    for (size_t c = 0; c < table->column_count; c++) {
        const struct table_column *column = &table->columns[c];
        switch (column->format) {
        case 'g':
            ((double *)column->data)[table->rows] = cells[c].real;
            break;
        case 'L':
            ((uint64_t *)column->data)[table->rows] = (uint64_t)cells[c].whole;
            break;
        case 'i':
            ((int32_t *)column->data)[table->rows] = (int32_t)cells[c].whole;
            break;
        default:
            ((uint8_t *)column->data)[table->rows] = (uint8_t)cells[c].whole;
        }
    }
    table->rows++;
    return true;
}
#define ADD_ROW(table, ...) table_add_row((table), (const union cell[]){__VA_ARGS__})

static struct table_column *table_column_named(struct trace_table *table, const char *name)
{
    const size_t length = strlen(name);
    for (size_t c = 0; c < table->column_count; c++)
        if (strncmp(table->columns[c].name, name, length) == 0 &&
            table->columns[c].name[length] == ':')
            return &table->columns[c];
    assert(!"a column of the table");
    return NULL;
}

/* Names of a column: the i-th is what `name` returns, which the column frees, for i < count. */
typedef char *name_of(const void *of, size_t i);

static bool name_column(struct table_column *column, size_t count, name_of *name, const void *of)
{
    struct name_list *names = &column->names;
    if (!(names->items = calloc(count + 1, sizeof *names->items)))
        return false;
    for (; names->count < count; names->count++)
        if (!(names->items[names->count] = name(of, names->count)))
            return false;
    return true;
}

struct named_place {
    const char *name;
    uint32_t place;
};

static int compare_places(const void *a, const void *b)
{
    const struct named_place *one = a, *other = b;
    const int order = strcmp(one->name, other->name);
    return order ? order : (one->place > other->place) - (one->place < other->place);
}

/* Makes the names of a column differ, as categories must: equal ones become the first of them. */
static bool unite_names_of(struct table_column *column, size_t rows)
{
    assert(column->named && strchr("ic", column->format));
    struct name_list *names = &column->names;
    struct named_place *places = malloc((names->count + 1) * sizeof *places);
    int32_t *same = malloc((names->count + 1) * sizeof *same);
    bool differ = true;
    for (size_t i = 0; places && i < names->count; i++)
        places[i] = (struct named_place){names->items[i], (uint32_t)i};
    if (places && same) {
        qsort(places, names->count, sizeof *places, compare_places);
        for (size_t i = 0; i < names->count; i++) {
            const bool again = i > 0 && strcmp(places[i].name, places[i - 1].name) == 0;
            same[places[i].place] = again ? same[places[i - 1].place] : (int32_t)places[i].place;
            differ = differ && !again;
        }
    }
    if (places && same && !differ) {
        size_t kept = 0;
        for (size_t i = 0; i < names->count; i++) {
            if (same[i] == (int32_t)i) {
                names->items[kept] = names->items[i];
                same[i] = (int32_t)kept++;
            } else {
                free(names->items[i]);
                same[i] = same[same[i]];
            }
        }
        names->count = kept;
        for (size_t r = 0; r < rows; r++) {
            if (column->format == 'i' && ((int32_t *)column->data)[r] >= 0)
                ((int32_t *)column->data)[r] = same[((int32_t *)column->data)[r]];
            else if (column->format == 'c')
                ((int8_t *)column->data)[r] = (int8_t)same[((int8_t *)column->data)[r]];
        }
    }
    const bool done = places && same;
    free(places);
    free(same);
    return done;
}

static bool unite_names(struct trace_table *table)
{
    bool done = true;
    for (size_t c = 0; c < table->column_count && done; c++)
        if (table->columns[c].named && !table->columns[c].borrowed)
            done = unite_names_of(&table->columns[c], table->rows);
    return done;
}

static char *region_text(const void *of, size_t i)
{
    return utf8_clean(((const struct trace *)of)->definitions->regions[i].name);
}

static char *path_text(const void *of, size_t i)
{
    const struct trace *trace = of;
    char *text = callpath_text(&trace->calltree, trace->definitions, (uint32_t)i);
    char *clean = text ? utf8_clean(text) : NULL;
    free(text);
    return clean;
}

static char *comm_text(const void *of, size_t i)
{
    return utf8_clean(comm_name(((const struct trace *)of)->definitions, (uint32_t)i));
}

static char *event_text(const void *of, size_t i)
{
    (void)of;
    return strdup(event_kind_name((enum event_kind)i));
}

static char *part_text(const void *of, size_t i)
{
    (void)of;
    return strdup(pop_part_name((enum pop_part)i));
}

static char *operation_text(const void *of, size_t i)
{
    (void)of;
    return strdup(collective_operations[i].name ? collective_operations[i].name : "");
}

static bool name_column_of_paths(struct trace_table *table, const char *column,
                                 const struct trace *trace)
{
    return name_column(table_column_named(table, column), trace->calltree.paths.count, path_text,
                       trace);
}

static bool name_column_of_comms(struct trace_table *table, const struct trace *trace)
{
    return name_column(table_column_named(table, "communicator"), trace->definitions->comm_count,
                       comm_text, trace);
}

/* A text as a value: the place of a copy among the column's names, -1 when memory is out. */
static int32_t text_place(struct table_column *column, const char *text)
{
    struct name_list *names = &column->names;
    if (names->count > 0 && strcmp(names->items[names->count - 1], text) == 0)
        return (int32_t)names->count - 1;
    if ((names->count & (names->count - 1)) == 0) { /* full: powers of two */
        char **larger = realloc(names->items, (2 * names->count + 1) * sizeof *larger);
        if (!larger)
            return -1;
        names->items = larger;
    }
    char *clean = utf8_clean(text);
    if (!clean)
        return -1;
    names->items[names->count] = clean;
    return (int32_t)names->count++;
}

/* Seconds since the first event of all ranks' master threads; NAN for no row. */
static double row_seconds(const struct trace *trace, const struct stream *stream, uint32_t row)
{
    return row == INDEX_NONE
               ? NAN
               : trace_seconds(trace, (double)(int64_t)(stream->time[row] - trace->begin));
}

static bool build_regions(const struct trace *trace, struct trace_table *table)
{
    const struct definitions *d = trace->definitions;
    ADD_COLUMNS(table, "region:i*", "file:i?*", "begin_line:i", "end_line:i", "mpi:C");
    bool done =
        name_column(table_column_named(table, "region"), d->region_count, region_text, trace);
    for (uint32_t r = 0; r < d->region_count && done; r++) {
        const struct region *region = &d->regions[r];
        int32_t file = -1;
        if (*region->file) {
            file = text_place(table_column_named(table, "file"), region->file);
            done = file >= 0;
        }
        done = done && ADD_ROW(table, WHOLE(r), WHOLE(file), WHOLE(region->begin_line),
                               WHOLE(region->end_line), WHOLE(region->mpi_call != MPI_CALL_NONE));
    }
    return done;
}

static bool build_call_paths(const struct trace *trace, struct trace_table *table)
{
    ADD_COLUMNS(table, "call_path:i*", "region:i*", "parent:i?", "mpi:C");
    bool done = name_column_of_paths(table, "call_path", trace) &&
                name_column(table_column_named(table, "region"), trace->definitions->region_count,
                            region_text, trace);
    for (uint32_t p = 0; p < trace->calltree.paths.count && done; p++) {
        const struct callpath *path = &trace->calltree.paths.items[p];
        done = ADD_ROW(table, WHOLE(p), WHOLE(path->region), PLACE(path->parent),
                       WHOLE(callpath_call(trace, p) != MPI_CALL_NONE));
    }
    return done;
}

static bool build_communicators(const struct trace *trace, struct trace_table *table)
{
    const struct definitions *d = trace->definitions;
    ADD_COLUMNS(table, "communicator:i*", "size:i", "parent:i?");
    bool done = name_column_of_comms(table, trace);
    for (uint32_t c = 0; c < d->comm_count && done; c++)
        done = ADD_ROW(table, WHOLE(c),
                       WHOLE(d->comms[c].self || !d->comms[c].mpi ? 1 : comm_member_count(d, c)),
                       PLACE(d->comms[c].parent));
    return done;
}

/* The streams in the order of the joined events; the number of each among the threads of its rank.
 */
static uint32_t stream_thread(const struct trace *trace, uint32_t s)
{
    uint32_t thread = s >= trace->owned_count;
    for (uint32_t before = trace->owned_count; before < s; before++)
        thread += trace_any_stream(trace, before)->rank == trace_any_stream(trace, s)->rank;
    return thread;
}

static bool build_locations(const struct trace *trace, struct trace_table *table)
{
    const struct definitions *d = trace->definitions;
    const uint32_t streams = trace->owned_count + trace->carried_count;
    ADD_COLUMNS(table, "location:i*", "rank:i?", "thread:i", "host:i?*", "events:i");
    bool done = true;
    for (uint32_t s = 0; s < streams && done; s++) {
        const struct stream *stream = trace_any_stream(trace, s);
        if (stream->location == INDEX_NONE)
            continue;
        const struct location *location = &d->locations[stream->location];
        const char *host_name = stream->rank == INDEX_NONE ? "" : rank_host(d, stream->rank);
        const int32_t name = text_place(table_column_named(table, "location"), location->name);
        int32_t host = -1;
        if (*host_name)
            host = text_place(table_column_named(table, "host"), host_name);
        done = name >= 0 && (!*host_name || host >= 0) &&
               ADD_ROW(table, WHOLE(name), PLACE(stream->rank), WHOLE(stream_thread(trace, s)),
                       WHOLE(host), WHOLE(stream->count));
    }
    return done;
}

static size_t count_rows(const struct trace *trace)
{
    size_t rows = 0;
    for (uint32_t s = 0; s < trace->owned_count + trace->carried_count; s++)
        rows += trace_any_stream(trace, s)->count;
    return rows;
}

/* The trace's own columns. */
static bool build_events(const struct trace *trace, struct trace_table *table)
{
    const struct stream *first =
        trace->owned_count + trace->carried_count > 0 ? trace_any_stream(trace, 0) : NULL;
    ADD_COLUMNS(table, "time:L", "kind:c*", "arg:i?");
    void *const data[] = {first ? first->time : NULL, first ? (void *)first->kind : NULL,
                          first ? (void *)first->arg : NULL};
    for (size_t c = 0; c < table->column_count; c++) {
        table->columns[c].data = data[c];
        table->columns[c].borrowed = true;
    }
    table->rows = count_rows(trace);
    return name_column(table_column_named(table, "kind"), EVENT_KIND_COUNT, event_text, NULL);
}

static void fill_paths(const struct trace *trace, const struct stream *stream, int32_t *values)
{
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row < stream->count; row++) {
        const uint32_t before = path;
        path = callpath_after(&trace->calltree, stream, row, path);
        values[row] = (int32_t)(event_closes(stream->kind[row]) ? before : path);
    }
}

enum derived { DERIVED_RANK, DERIVED_THREAD, DERIVED_CALL_PATH };

static bool build_derived(const struct trace *trace, enum derived which, struct trace_table *table)
{
    assert(table->column_count == 0);
    if (which == DERIVED_RANK)
        ADD_COLUMNS(table, "rank:i?");
    else if (which == DERIVED_THREAD)
        ADD_COLUMNS(table, "thread:i");
    else
        ADD_COLUMNS(table, "call_path:i?*");
    table->rows = count_rows(trace);
    int32_t *values = table->columns[0].data = malloc((table->rows + 1) * sizeof *values);
    for (uint32_t s = 0; values && s < trace->owned_count + trace->carried_count; s++) {
        const struct stream *stream = trace_any_stream(trace, s);
        if (which == DERIVED_CALL_PATH) {
            fill_paths(trace, stream, values);
        } else {
            const int32_t value =
                (int32_t)(which == DERIVED_RANK ? stream->rank : stream_thread(trace, s));
            for (uint32_t row = 0; row < stream->count; row++)
                values[row] = value;
        }
        values += stream->count;
    }
    return table->columns[0].data &&
           (which != DERIVED_CALL_PATH || name_column_of_paths(table, "call_path", trace));
}

/* Both ends of a message; either may be missing. */
static bool add_message(const struct trace *trace, const struct stream *sender,
                        const struct message *sent, const struct stream *receiver,
                        const struct message *received, struct trace_table *table)
{
    assert(sent || received);
    const struct message *known = sent ? sent : received;
    const uint32_t from = sender ? sender->rank : received->partner_rank;
    const uint32_t to = receiver ? receiver->rank : sent->partner_rank;
    const uint32_t send_post = sent ? message_post_row(sender, sent) : INDEX_NONE;
    const uint32_t receive_post = received ? message_post_row(receiver, received) : INDEX_NONE;
    return ADD_ROW(table, PLACE(from), PLACE(to), WHOLE(known->bytes),
                   WHOLE(known->peer == PEER_UNKNOWN ? -1 : (int32_t)known->tag),
                   PLACE(known->comm), REAL(row_seconds(trace, sender, send_post)),
                   REAL(row_seconds(trace, sender, sent ? sent->completion : INDEX_NONE)),
                   REAL(row_seconds(trace, receiver, receive_post)),
                   REAL(row_seconds(trace, receiver, received ? received->completion : INDEX_NONE)),
                   PLACE(sent ? stream_callpath_at(sender, sent->post) : CALLPATH_NONE),
                   PLACE(received ? stream_callpath_at(receiver, received->post) : CALLPATH_NONE));
}

/* One row per message, in the order of the senders and of their sends; receives whose send is not
 * in the trace follow. */
static bool build_messages(const struct trace *trace, struct trace_table *table)
{
    ADD_COLUMNS(table, "sender:i?", "receiver:i?", "bytes:L", "tag:i?", "communicator:i?*",
                "send_begin:g", "send_end:g", "receive_begin:g", "receive_end:g", "call_path:i?*",
                "receive_call_path:i?*");
    bool done = name_column_of_comms(table, trace) &&
                name_column_of_paths(table, "call_path", trace) &&
                name_column_of_paths(table, "receive_call_path", trace);
    for (int receives = 0; receives < 2; receives++)
        for (uint32_t s = 0; s < trace->owned_count && done; s++) {
            const struct stream *stream = &trace->streams[s];
            for (uint32_t m = 0; m < stream->message_count && done; m++) {
                const struct message *message = &stream->messages[m];
                const bool pair = message->partner != INDEX_NONE,
                           sends = message->flags & MESSAGE_SEND;
                if (message->flags & MESSAGE_CANCELLED || sends == receives || (receives && pair))
                    continue;
                const struct stream *other =
                    pair ? trace_stream(trace, message->partner_rank) : NULL;
                done = sends ? add_message(trace, stream, message, other,
                                           other ? &other->messages[message->partner] : NULL, table)
                             : add_message(trace, NULL, NULL, stream, message, table);
            }
        }
    return done;
}

static bool build_collectives(const struct trace *trace, struct trace_table *table)
{
    ADD_COLUMNS(table, "rank:i", "operation:c*", "communicator:i*", "instance:i?", "root:i?",
                "begin:g", "end:g", "bytes_sent:L", "bytes_received:L", "call_path:i?*");
    bool done = name_column_of_comms(table, trace) &&
                name_column_of_paths(table, "call_path", trace) &&
                name_column(table_column_named(table, "operation"), COLLECTIVE_OP_COUNT,
                            operation_text, NULL);
    for (uint32_t s = 0; s < trace->owned_count && done; s++) {
        const struct stream *stream = &trace->streams[s];
        for (uint32_t c = 0; c < stream->collective_count && done; c++) {
            const struct collective *part = &stream->collectives[c];
            const uint32_t root =
                part->root < ROOT_THIS_GROUP
                    ? comm_world_rank(trace->definitions, part->comm, stream->rank, part->root)
                    : INDEX_NONE;
            done = ADD_ROW(table, WHOLE(stream->rank), WHOLE(part->op), WHOLE(part->comm),
                           PLACE(part->instance), PLACE(root),
                           REAL(row_seconds(trace, stream, part->begin)),
                           REAL(row_seconds(trace, stream, part->end)), WHOLE(part->sent),
                           WHOLE(part->received), PLACE(stream_callpath_at(stream, part->begin)));
        }
    }
    return done;
}

/* `kinds` has the place of each metric's title among the kinds, + 1. False when memory is out. */
static bool add_wait(const struct trace *trace, const struct metric_wait *wait, int32_t *kinds,
                     struct trace_table *table)
{
    const struct stream *stream = trace_stream(trace, wait->rank);
    int32_t *kind = &kinds[wait->metric];
    if (*kind == 0)
        *kind = 1 + text_place(table_column_named(table, "kind"), metric_infos[wait->metric].title);
    return *kind > 0 && ADD_ROW(table, WHOLE(*kind - 1), WHOLE(wait->rank), PLACE(wait->culprit),
                                PLACE(stream->arg[wait->enter_row]),
                                REAL(row_seconds(trace, stream, wait->enter_row)),
                                REAL(trace_seconds(trace, (double)wait->ticks)));
}

static enum status build_waits(const struct trace *trace, struct trace_table *table, bool *done,
                               struct error *error)
{
    struct metric_waits waits = {0};
    int32_t kinds[METRIC_COUNT] = {0};
    ADD_COLUMNS(table, "kind:c*", "victim:i", "culprit:i?", "call_path:i*", "time:g", "seconds:g");
    enum status status = pattern_search_waits(trace, &waits, error);
    *done = status != STATUS_OK || name_column_of_paths(table, "call_path", trace);
    for (size_t i = 0; status == STATUS_OK && i < waits.all.count && *done; i++)
        *done = add_wait(trace, &waits.all.items[i], kinds, table);
    free(waits.all.items);
    return status;
}

static char *severity_path_name(const void *of, size_t i)
{
    char *text = severity_path_text(of, (uint32_t)i), *clean = text ? utf8_clean(text) : NULL;
    free(text);
    return clean;
}

static char *severity_region_name(const void *of, size_t i)
{
    return utf8_clean(((const struct severity *)of)->paths[i].name);
}

static char *severity_metric_name(const void *of, size_t i)
{
    return utf8_clean(((const struct severity *)of)->metrics[i].name);
}

static char *severity_metric_unit(const void *of, size_t i)
{
    return utf8_clean(metric_info_unit(&((const struct severity *)of)->metrics[i]));
}

/* The time of all metrics that count as waiting for other ranks. */
static double waiting_at(const struct severity *severity, uint32_t path, uint32_t location)
{
    double sum = 0;
    for (uint32_t m = 0; m < severity->metric_count; m++)
        if (metric_info_is_wait(&severity->metrics[m]) &&
            !metric_is_of_threads(severity->metrics, (enum metric)m) &&
            severity_has(severity, (enum metric)m))
            sum += severity_get(severity, (enum metric)m, path, location);
    return sum;
}

/* One row per call path and location that visits it. The inclusive time contains that of the
 * callees. */
static bool build_profile(const struct severity *severity, struct trace_table *table)
{
    const uint32_t locations = severity->location_count, paths = severity->path_count;
    ADD_COLUMNS(table, "rank:i", "thread:i", "call_path:i*", "region:i*", "mpi:C", "visits:g",
                "time_exc:g", "time_inc:g", "waiting:g");
    double *inclusive = calloc((size_t)paths * locations + 1, sizeof *inclusive);
    bool done =
        inclusive != NULL &&
        name_column(table_column_named(table, "call_path"), paths, severity_path_name, severity) &&
        name_column(table_column_named(table, "region"), paths, severity_region_name, severity);
    for (uint32_t path = paths; inclusive && path-- > 0;) /* parents come first */
        for (uint32_t location = 0; location < locations; location++) {
            double *sum = &inclusive[(size_t)path * locations + location];
            const uint32_t parent = severity->paths[path].parent;
            *sum += severity_get(severity, METRIC_TIME, path, location);
            if (parent != SEVERITY_NONE)
                inclusive[(size_t)parent * locations + location] += *sum;
        }
    for (uint32_t location = 0; location < locations; location++)
        for (uint32_t path = 0; path < paths && done; path++) {
            const double visits = severity_get(severity, METRIC_VISITS, path, location);
            const double time = severity_get(severity, METRIC_TIME, path, location);
            if (visits != 0 || time != 0)
                done = ADD_ROW(table, WHOLE(severity->locations[location].rank),
                               WHOLE(severity->locations[location].thread), WHOLE(path),
                               WHOLE(path), WHOLE(severity->paths[path].mpi), REAL(visits),
                               REAL(time), REAL(inclusive[(size_t)path * locations + location]),
                               REAL(waiting_at(severity, path, location)));
        }
    free(inclusive);
    return done;
}

static bool name_columns_of_metrics(const struct severity *severity, struct trace_table *table)
{
    return name_column(table_column_named(table, "metric"), severity->metric_count,
                       severity_metric_name, severity) &&
           name_column(table_column_named(table, "unit"), severity->metric_count,
                       severity_metric_unit, severity) &&
           name_column(table_column_named(table, "call_path"), severity->path_count,
                       severity_path_name, severity);
}

static bool build_metrics(const struct severity *severity, struct trace_table *table)
{
    ADD_COLUMNS(table, "metric:i*", "unit:i*", "call_path:i*", "rank:i", "thread:i", "value:g");
    bool done = name_columns_of_metrics(severity, table);
    for (uint32_t m = 0; m < severity->metric_count; m++)
        for (uint32_t path = 0; path < severity->path_count && done; path++) {
            const struct severity_row row = severity_row(severity, (enum metric)m, path);
            for (uint32_t i = 0; i < row.count && done; i++) {
                const struct severity_location *at =
                    &severity->locations[severity_row_location(&row, i)];
                if (row.values[i] != 0)
                    done = ADD_ROW(table, WHOLE(m), WHOLE(m), WHOLE(path), WHOLE(at->rank),
                                   WHOLE(at->thread), REAL(row.values[i]));
            }
        }
    return done;
}

static bool build_changes(const struct severity *before, const struct severity *after,
                          struct trace_table *table)
{
    assert(before->path_count == after->path_count &&
           before->location_count == after->location_count);
    ADD_COLUMNS(table, "metric:i*", "unit:i*", "call_path:i*", "rank:i", "thread:i", "before:g",
                "after:g", "difference:g");
    bool done = name_columns_of_metrics(after, table);
    for (uint32_t m = 0; m < after->metric_count; m++)
        for (uint32_t path = 0; path < after->path_count && done; path++)
            for (uint32_t l = 0; l < after->location_count && done; l++) {
                const double from = severity_get(before, (enum metric)m, path, l);
                const double to = severity_get(after, (enum metric)m, path, l);
                if (from != 0 || to != 0)
                    done = ADD_ROW(
                        table, WHOLE(m), WHOLE(m), WHOLE(path), WHOLE(after->locations[l].rank),
                        WHOLE(after->locations[l].thread), REAL(from), REAL(to), REAL(to - from));
            }
    return done;
}

enum status table_of_changes(const struct severity *before, const struct severity *after,
                             struct trace_table *table, struct error *error)
{
    struct severity *from = NULL, *to = NULL; /* with the names of the two */
    enum status status = severity_sum(before, 1, after, 0, &from, error)
                             ?: severity_sum(before, 0, after, 1, &to, error);
    if (status == STATUS_OK && !(build_changes(from, to, table) && unite_names(table)))
        status = error_memory(error, "the table");
    severity_destroy(from);
    severity_destroy(to);
    return status;
}

enum status table_of_severities(const char *name, const struct severity *severity,
                                struct trace_table *table, struct error *error)
{
    const bool done = strcmp(name, "profile") == 0 ? build_profile(severity, table)
                                                   : build_metrics(severity, table);
    return done && unite_names(table) ? STATUS_OK : error_memory(error, "the table");
}

static enum status build_severities(const char *name, const struct trace *trace,
                                    struct trace_table *table, struct error *error)
{
    struct severity *severity = NULL;
    enum status status = pattern_search(trace, &severity, error)
                             ?: table_of_severities(name, severity, table, error);
    severity_destroy(severity);
    return status;
}

enum { POP_WINDOWS = 10 }; /* as silas-pop */

static enum status build_pop(const struct trace *trace, struct trace_table *table, bool *done,
                             struct error *error)
{
    const struct pop_options options = {.regions = true, .windows = POP_WINDOWS};
    const struct pop *pop = NULL;
    struct arena *arena = arena_create();
    ADD_COLUMNS(table, "part:c*", "name:i*", "first:L", "begin:g", "end:g", "time:g",
                "time_ideal:g", "computation_mean:g", "computation_max:g", "parallel_efficiency:g",
                "mpi_parallel_efficiency:g", "load_balance:g", "communication_efficiency:g",
                "serialisation:g", "transfer:g", "thread_efficiency:g");
    enum status status = arena ? pop_measure(trace, &options, arena, &pop, error)
                               : error_memory(error, "the efficiencies");
    *done = status != STATUS_OK ||
            name_column(table_column_named(table, "part"), POP_WINDOW + 1, part_text, NULL);
    for (size_t i = 0; status == STATUS_OK && i < pop->row_count && *done; i++) {
        const struct pop_row *row = &pop->rows[i];
        const struct pop_factors *f = &row->factors;
        const int32_t name = text_place(table_column_named(table, "name"), row->name);
        *done = name >= 0 &&
                ADD_ROW(table, WHOLE(row->part), WHOLE(name), WHOLE(row->first), REAL(row->begin_s),
                        REAL(row->end_s), REAL(f->time_s), REAL(f->ideal_s),
                        REAL(f->computation_mean_s), REAL(f->computation_max_s), REAL(f->parallel),
                        REAL(f->mpi_parallel), REAL(f->load_balance), REAL(f->communication),
                        REAL(f->serialisation), REAL(f->transfer), REAL(f->threads));
    }
    arena_destroy(arena);
    return status;
}

/* The iterations of a stretch; false when memory is out. */
static bool add_iterations(const struct trace *trace, const struct stretch *stretch, int32_t loop,
                           struct trace_table *table)
{
    for (size_t i = 0; stretch->bounds && i < stretch->iterations; i++) {
        const double begin = trace_seconds(trace, (double)(stretch->bounds[i] - trace->begin));
        const double end = trace_seconds(trace, (double)(stretch->bounds[i + 1] - trace->begin));
        if (!ADD_ROW(table, WHOLE(loop), WHOLE(i), PLACE(stretch->path), REAL(begin), REAL(end),
                     REAL(end - begin), WHOLE(stretch->kinds ? stretch->kinds[i] : 0),
                     WHOLE(stretch->perturbed && stretch->perturbed[i])))
            return false;
    }
    return true;
}

static enum status build_iterations(const struct trace *trace, struct trace_table *table,
                                    bool *done, struct error *error)
{
    const struct structure_options options = {.levels = 1, .together = 1, .samples = 1};
    struct stretch *whole = NULL;
    int32_t loop = 0;
    ADD_COLUMNS(table, "loop:i", "iteration:L", "call_path:i?*", "begin:g", "end:g", "seconds:g",
                "kind:i", "perturbed:C");
    enum status status = structure_find(trace, &options, &whole, error);
    *done = status != STATUS_OK || name_column_of_paths(table, "call_path", trace);
    for (size_t c = 0; status == STATUS_OK && c < whole->child_count && *done; c++)
        if (whole->children[c].iterations > 1)
            *done = add_iterations(trace, &whole->children[c], loop++, table);
    structure_destroy(whole);
    return status;
}

bool table_needs_matching(const char *name)
{
    static const char *const recorded[] = {"regions", "call_paths", "communicators", "locations"};
    bool needs = strncmp(name, "events", strlen("events")) != 0;
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++)
        needs = needs && strcmp(name, recorded[i]) != 0;
    return needs;
}

static enum status build_named(const char *name, const struct trace *trace,
                               struct trace_table *table, struct error *error)
{
    static const struct {
        const char *name;
        bool (*build)(const struct trace *trace, struct trace_table *table);
    } plain[] = {{"regions", build_regions},
                 {"call_paths", build_call_paths},
                 {"communicators", build_communicators},
                 {"locations", build_locations},
                 {"events", build_events},
                 {"messages", build_messages},
                 {"collectives", build_collectives}};
    static const char *const derived[] = {"events.rank", "events.thread", "events.call_path"};
    assert(trace->matched || !table_needs_matching(name));
    bool done = false, found = true;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(name, plain[i].name) == 0)
            return plain[i].build(trace, table) ? STATUS_OK : error_memory(error, "the table");
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++)
        if (strcmp(name, derived[i]) == 0)
            return build_derived(trace, (enum derived)i, table) ? STATUS_OK
                                                                : error_memory(error, "the table");
    if (strcmp(name, "profile") == 0 || strcmp(name, "metrics") == 0)
        return build_severities(name, trace, table, error);
    if (strcmp(name, "waits") == 0)
        status = build_waits(trace, table, &done, error);
    else if (strcmp(name, "pop") == 0)
        status = build_pop(trace, table, &done, error);
    else if (strcmp(name, "iterations") == 0)
        status = build_iterations(trace, table, &done, error);
    else
        found = false;
    if (!found)
        return error_set(error, STATUS_INPUT, "a trace has no table \"%s\"", name);
    return status ?: done ? STATUS_OK : error_memory(error, "the table");
}

enum status table_build(const char *name, const struct trace *trace, struct trace_table *table,
                        struct error *error)
{
    enum status status = build_named(name, trace, table, error);
    if (status == STATUS_OK && !unite_names(table))
        status = error_memory(error, "the table");
    return status;
}
