/* Random traces as folded loops and back: all columns, tables and definitions are the same; damaged
 * files are refused. Rows and tables are arbitrary, also such as no reader of archives makes:
 * whatever a trace holds must come back. Files with references that no reader follows are refused.
 */
#include "base/mpi/handles.h"
#include "tests/mpi_check.h"
#include "tests/transform/built_trace.h"

#include "base/files.h"
#include "base/log.h"
#include "trace/folded/columns.h"
#include "trace/folded/loops.h"
#include "trace/folded/symbols.h"
#include "trace/load/load.h"
#include "trace/load/load_private.h"

#include "trace/threads.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 4, TRACES = 60, BODY_MOST = 12, TIMES_MOST = 40 };

static uint64_t seed;

static uint32_t random_below(uint32_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % limit);
}

enum { ROWS_MOST = 1 << 14 };

struct random_stream {
    struct stream *stream;
    uint32_t paths;
    uint64_t time;
    uint32_t open[ROWS_MOST + 64], open_count;
    bool wild; /* arbitrary numbers in the tables */
};

static uint32_t odd(const struct random_stream *r, uint32_t usual)
{
    static const uint32_t rare[] = {0, 1, 7, INDEX_NONE, INDEX_NONE - 1, 1u << 31, 12345};
    return r->wild && random_below(4) == 0 ? rare[random_below(7)] : usual;
}

static void add_row(struct random_stream *r, enum event_kind kind, uint32_t arg)
{
    struct stream *s = r->stream;
    if (s->count >= ROWS_MOST)
        return;
    r->time += random_below(3) ? random_below(2000) : (uint64_t)random_below(1u << 20) << 16;
    s->time[s->count] = r->time;
    s->kind[s->count] = (uint8_t)kind;
    s->arg[s->count++] = arg;
}

static uint32_t add_message(struct random_stream *r, uint32_t shape, bool nonblocking)
{
    struct stream *s = r->stream;
    uint32_t varying = shape == 3 ? random_below(5000) : 64;
    s->messages[s->message_count] =
        (struct message){.bytes = (uint64_t)varying << (r->wild ? 30 : 0),
                         .comm = odd(r, 0),
                         .peer = odd(r, shape),
                         .tag = odd(r, shape),
                         .post = odd(r, s->count),
                         .completion = nonblocking ? INDEX_NONE : odd(r, s->count),
                         .partner_rank = INDEX_NONE,
                         .partner = INDEX_NONE,
                         .flags = (uint16_t)odd(r, shape % 2),
                         .type_size = (uint16_t)shape,
                         .recorded = odd(r, s->message_count)};
    return s->message_count++;
}

static uint32_t add_collective(struct random_stream *r, uint32_t shape, bool nonblocking)
{
    struct stream *s = r->stream;
    s->collectives[s->collective_count] =
        (struct collective){.sent = shape * 8,
                            .received = odd(r, 8),
                            .root = odd(r, ROOT_NONE),
                            .begin = odd(r, s->count),
                            .end = odd(r, nonblocking ? INDEX_NONE : s->count + 1),
                            .instance = INDEX_NONE,
                            .op = (uint8_t)shape,
                            .flags = (uint8_t)odd(r, nonblocking),
                            .type_size = (uint16_t)odd(r, 4),
                            .send_counts = odd(r, INDEX_NONE),
                            .receive_counts = odd(r, INDEX_NONE),
                            .recorded = s->collective_count,
                            .window = odd(r, 0),
                            .destinations = odd(r, INDEX_NONE),
                            .sources = odd(r, INDEX_NONE)};
    return s->collective_count++;
}

static void complete_some(struct random_stream *r)
{
    struct stream *s = r->stream;
    for (uint32_t i = 0; i < s->message_count; i++)
        if (s->messages[i].completion == INDEX_NONE && random_below(3)) {
            s->messages[i].completion = s->count;
            add_row(r, i % 2 ? EVENT_IRECV : EVENT_ISEND_COMPLETE, i);
        }
}

/* One event, or several that belong together. */
static void add_event(struct random_stream *r, uint32_t what)
{
    struct stream *s = r->stream;
    const uint32_t shape = what % 5;
    switch (what % 17) {
    case 0 ... 3:
        if (r->open_count > 0 && what % 2) {
            add_row(r, EVENT_LEAVE, r->open[--r->open_count]);
        } else {
            r->open[r->open_count++] = s->count;
            add_row(r, EVENT_ENTER, what % r->paths);
        }
        break;
    case 4:
        add_row(r, EVENT_SEND, add_message(r, shape, false));
        break;
    case 5:
        add_row(r, EVENT_RECV, add_message(r, shape, false));
        break;
    case 6:
        add_row(r, EVENT_ISEND, add_message(r, shape, true));
        break;
    case 7:
        add_row(r, EVENT_IRECV_REQUEST, add_message(r, shape, true));
        break;
    case 8:
        complete_some(r);
        break;
    case 9: {
        uint32_t operation = add_collective(r, shape, false);
        add_row(r, EVENT_COLLECTIVE_BEGIN, operation);
        add_row(r, EVENT_COLLECTIVE_END, operation);
        break;
    }
    case 10:
        add_row(r, EVENT_NBC_REQUEST, add_collective(r, shape, true));
        break;
    case 11:
        s->rma_ops[s->rma_op_count] = (struct rma_op){.sent = odd(r, 8),
                                                      .matching = random_below(1 << 20),
                                                      .target = odd(r, shape),
                                                      .kind = (uint8_t)shape,
                                                      .type_size = (uint16_t)shape};
        add_row(r, EVENT_RMA_OP, s->rma_op_count++);
        break;
    case 12:
        s->rma_syncs[s->rma_sync_count] = (struct rma_sync){.matching = random_below(1 << 20),
                                                            .peer = odd(r, INDEX_NONE),
                                                            .group = odd(r, INDEX_NONE),
                                                            .row = odd(r, s->count),
                                                            .partners = INDEX_NONE,
                                                            .kind = (uint8_t)shape,
                                                            .mode = (uint8_t)odd(r, 1),
                                                            .assertion = (uint8_t)odd(r, 0)};
        add_row(r, EVENT_RMA_SYNC, s->rma_sync_count++);
        break;
    case 13:
        s->flushes[s->flush_count] = r->time + random_below(5000);
        add_row(r, EVENT_BUFFER_FLUSH, s->flush_count++);
        break;
    case 14:
        s->others[s->other_count] = (struct other_event){(uint8_t)shape, {shape, odd(r, 1), 2}};
        add_row(r, EVENT_OTHER, s->other_count++);
        break;
    case 15:
        if (s->message_count)
            add_row(r, EVENT_REQUEST_TEST, random_below(s->message_count));
        if (s->collective_count)
            add_row(r, EVENT_REQUEST_CANCELLED, COLLECTIVE_BIT | random_below(s->collective_count));
        add_row(r, EVENT_REQUEST_TEST, INDEX_NONE);
        break;
    default:
        add_row(r, EVENT_MATCHED, random_below(2) ? INDEX_NONE : s->message_count);
        add_row(r, shape ? EVENT_COMM_CREATE : EVENT_MEASUREMENT_ON_OFF, shape);
        add_row(r, EVENT_POLLS, random_below(1000));
    }
}

static void fill_stream(struct trace *trace, struct stream *stream, bool wild)
{
    struct random_stream r = {.stream = stream,
                              .paths = (uint32_t)trace->calltree.paths.count,
                              .time = 1u << 30,
                              .wild = wild};
    const size_t table = ROWS_MOST + 64;
    stream->count = 0;
    stream->time = arena_alloc_array(trace->arena, table, sizeof *stream->time);
    stream->kind = arena_alloc_array(trace->arena, table, sizeof *stream->kind);
    stream->arg = arena_alloc_array(trace->arena, table, sizeof *stream->arg);
#define X(array, number) \
    stream->number = 0;  \
    stream->array = arena_alloc_array(trace->arena, table, sizeof *stream->array);
    STREAM_TABLES(X)
#undef X
    for (uint32_t loop = 0; loop < 1 + random_below(5); loop++) {
        uint32_t body[BODY_MOST], length = 1 + random_below(BODY_MOST);
        for (uint32_t i = 0; i < length; i++)
            body[i] = random_below(1000);
        for (uint32_t times = random_below(TIMES_MOST); times > 0; times--)
            for (uint32_t i = 0; i < length && stream->count < ROWS_MOST - 64; i++)
                for (uint32_t inner = random_below(9) ? 1 : 3; inner > 0; inner--)
                    add_event(&r, body[i]);
    }
    if (wild && stream->count < ROWS_MOST - 64)
        for (int i = 0; i < 3; i++) { /* items that no row begins */
            add_message(&r, 1, true);
            add_collective(&r, 2, true);
        }
    if (stream->count == 0)
        add_row(&r, EVENT_MEASUREMENT_ON_OFF, 1);
}

static bool same_bytes(const void *a, const void *b, size_t size)
{
    return size == 0 || memcmp(a, b, size) == 0;
}

static bool same_tables(const struct stream *a, const struct stream *b)
{
    bool same = a->message_count == b->message_count &&
                a->collective_count == b->collective_count && a->rma_op_count == b->rma_op_count &&
                a->rma_sync_count == b->rma_sync_count && a->flush_count == b->flush_count &&
                a->other_count == b->other_count;
    /* all but the last two kinds have no padding; rma_op and others are compared by fields */
    same = same && same_bytes(a->messages, b->messages, a->message_count * sizeof *a->messages);
    same = same &&
           same_bytes(a->collectives, b->collectives, a->collective_count * sizeof *a->collectives);
    same = same && same_bytes(a->flushes, b->flushes, a->flush_count * sizeof *a->flushes);
    for (uint32_t i = 0; same && i < a->rma_op_count; i++) {
        const struct rma_op *x = &a->rma_ops[i], *y = &b->rma_ops[i];
        same = x->sent == y->sent && x->received == y->received && x->matching == y->matching &&
               x->window == y->window && x->target == y->target && x->kind == y->kind &&
               x->operation == y->operation && x->type_size == y->type_size;
    }
    for (uint32_t i = 0; same && i < a->rma_sync_count; i++) {
        const struct rma_sync *x = &a->rma_syncs[i], *y = &b->rma_syncs[i];
        same = x->matching == y->matching && x->window == y->window && x->peer == y->peer &&
               x->group == y->group && x->row == y->row && x->partners == y->partners &&
               x->kind == y->kind && x->mode == y->mode && x->assertion == y->assertion;
    }
    for (uint32_t i = 0; same && i < a->other_count; i++)
        same = a->others[i].type == b->others[i].type &&
               same_bytes(a->others[i].fields, b->others[i].fields, sizeof a->others[i].fields);
    return same;
}

static bool same_stream(const struct stream *a, const struct stream *b)
{
    return a->rank == b->rank && a->location == b->location && a->count == b->count &&
           same_bytes(a->time, b->time, a->count * sizeof *a->time) &&
           same_bytes(a->kind, b->kind, a->count) &&
           same_bytes(a->arg, b->arg, a->count * sizeof *a->arg) && same_tables(a, b);
}

static bool same_definitions(const struct trace *a, const struct trace *b)
{
    const struct definitions *x = a->definitions, *y = b->definitions;
    bool same = x->region_count == y->region_count && x->group_count == y->group_count &&
                x->comm_count == y->comm_count && x->window_count == y->window_count &&
                x->location_count == y->location_count && x->rank_count == y->rank_count &&
                x->property_count == y->property_count &&
                x->ticks_per_second == y->ticks_per_second && x->realtime == y->realtime &&
                a->calltree.paths.count == b->calltree.paths.count;
    for (uint32_t i = 0; same && i < x->region_count; i++)
        same = !strcmp(x->regions[i].name, y->regions[i].name) &&
               x->regions[i].mpi_call == y->regions[i].mpi_call &&
               x->regions[i].role == y->regions[i].role;
    for (uint32_t i = 0; same && i < x->comm_count; i++)
        same = x->comms[i].group == y->comms[i].group && x->comms[i].mpi == y->comms[i].mpi &&
               x->comms[i].remote_group == y->comms[i].remote_group &&
               x->comms[i].self == y->comms[i].self;
    for (size_t i = 0; same && i < a->calltree.paths.count; i++)
        same = a->calltree.paths.items[i].parent == b->calltree.paths.items[i].parent &&
               a->calltree.paths.items[i].region == b->calltree.paths.items[i].region;
    return same;
}

static bool same_trace(const struct trace *a, const struct trace *b)
{
    bool same = same_definitions(a, b) && a->owned_count == b->owned_count &&
                a->carried_count == b->carried_count;
    for (uint32_t i = 0; same && i < a->owned_count + a->carried_count; i++)
        same = same_stream(trace_any_stream(a, i), trace_any_stream(b, i));
    return same;
}

/* Gives each rank a location, and each carried stream one behind those. */
static void add_locations(struct trace *trace, const char *const *carried, uint32_t ranks)
{
    struct definitions *d = trace->definitions;
    d->locations = arena_alloc_array(d->arena, 2 * ranks, sizeof *d->locations);
    d->rank_location = arena_alloc_array(d->arena, ranks, sizeof *d->rank_location);
    d->location_count = 0;
    for (uint32_t i = 0; i < 2 * ranks; i++) {
        uint32_t rank = i % ranks;
        if (i >= ranks && !carried[rank])
            continue;
        d->locations[d->location_count] = (struct location){.id = (uint64_t)i << 32 | rank,
                                                            .name = "thread",
                                                            .type = 1,
                                                            .group = INDEX_NONE,
                                                            .rank = rank,
                                                            .master = i < ranks,
                                                            .has_siblings = carried[rank] != NULL};
        for (uint32_t s = 0; s < trace->owned_count + trace->carried_count; s++)
            if (trace_any_stream(trace, s)->rank == rank && (s < trace->owned_count) == (i < ranks))
                trace_any_stream(trace, s)->location = d->location_count;
        if (i < ranks)
            d->rank_location[rank] = d->location_count;
        d->location_count++;
    }
}

/* The same on any number of processes. */
static struct trace *random_trace(struct processes *processes, uint64_t number)
{
    static const char *const ranks[RANKS] = {
        "0:<app 1:+foo 2:+bar 3:-bar 4:-foo 9:>app", "0:<app 1:+MPI_Send 2:-MPI_Send 9:>app",
        "0:<app 1:+MPI_Recv 2:-MPI_Recv 9:>app", "0:<app 9:>app"};
    static const char *const carried[RANKS] = {"0:+foo 2:-foo", NULL, "1:+foo 2:-foo", NULL};
    struct trace *trace = built_trace(processes, ranks, carried, RANKS);
    add_locations(trace, carried, RANKS);
    for (uint32_t i = 0; i < trace->owned_count + trace->carried_count; i++) {
        struct stream *stream = trace_any_stream(trace, i);
        seed = number * 1000 + stream->location;
        fill_stream(trace, stream, number % 2 == 1);
    }
    trace_update_span(trace);
    return trace;
}

static bool write_trace(struct processes *processes, uint64_t number, const char *directory,
                        struct error *error)
{
    struct trace *trace = random_trace(processes, number);
    struct loops_options exact = {0};
    struct loops_outcome outcome;
    enum status status = loops_write(trace, directory, &exact, &outcome, error);
    int64_t events = 0;
    for (uint32_t i = 0; i < trace->owned_count + trace->carried_count; i++)
        events += trace_any_stream(trace, i)->count;
    processes_sum(processes, &events, 1);
    bool good = status == STATUS_OK && outcome.furthest == 0 && outcome.events == events;
    trace_destroy(trace);
    return good;
}

/* As trace_load, without the checks of the reader of OTF2. */
static bool load_unchecked(struct processes *processes, const char *directory, struct trace **trace,
                           struct error *error)
{
    char path[300];
    snprintf(path, sizeof path, "%s/" LOOPS_FILE_NAME, directory);
    if (load_create(processes, trace, error) != STATUS_OK)
        return false;
    enum status status = loops_read(path, *trace, error);
    if (processes_agree(processes, status, error) != STATUS_OK)
        return false;
    trace_update_span(*trace);
    return true;
}

static bool reads_as_written(struct processes *processes, uint64_t number, const char *directory,
                             struct error *error)
{
    struct trace *trace = random_trace(processes, number), *again = NULL;
    bool good = load_unchecked(processes, directory, &again, error);
    good = good && same_trace(trace, again);
    if (again)
        trace_destroy(again);
    trace_destroy(trace);
    return good;
}

static size_t file_bytes(const char *directory, char *bytes, size_t most)
{
    char path[300];
    snprintf(path, sizeof path, "%s/" LOOPS_FILE_NAME, directory);
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, most, file) : 0;
    if (file)
        fclose(file);
    return size;
}

/* Each process also writes the whole trace alone. */
static bool same_bytes_alone(struct processes *alone, uint64_t number, const char *directory,
                             int process)
{
    static char together[1 << 20], single[1 << 20];
    char own[256];
    struct error error = {0};
    snprintf(own, sizeof own, "%s-%d", directory, process);
    bool written = write_trace(alone, number, own, &error);
    size_t size = file_bytes(directory, together, sizeof together);
    bool same = written && size > 0 && file_bytes(own, single, sizeof single) == size &&
                memcmp(together, single, size) == 0;
    if (!same)
        fprintf(stderr, "# trace %llu, process %d: %s\n", (unsigned long long)number, process,
                error.text);
    files_remove_tree(own);
    return same;
}

/* All flips of a byte and all shorter lengths. Only on one process: it loads thousands of times. */
static void damage(struct processes *processes, const char *directory)
{
    static const char *const ranks[] = {"0:<app 1:+foo 2:-foo 3:+foo 5:-foo 9:>app"};
    static const char *const none[] = {NULL};
    static char whole[1 << 12], copy[1 << 12];
    char path[300];
    struct error error = {0};
    struct loops_options exact = {0};
    struct loops_outcome outcome;
    struct trace *trace = built_trace(processes, ranks, none, 1);
    add_locations(trace, none, 1);
    enum status status = loops_write(trace, directory, &exact, &outcome, &error);
    trace_destroy(trace);
    size_t size = file_bytes(directory, whole, sizeof whole), accepted = 0, unclear = 0;
    mpi_check(status == STATUS_OK && size > 100 && size < sizeof whole, "a small file to damage");
    snprintf(path, sizeof path, "%s/" LOOPS_FILE_NAME, directory);
    for (size_t i = 0; i < 2 * size; i++) {
        memcpy(copy, whole, size);
        if (i < size)
            copy[i] = (char)(copy[i] ^ 1 << i % 8);
        FILE *file = fopen(path, "wb");
        fwrite(copy, 1, i < size ? size : i - size, file);
        fclose(file);
        status = trace_load(directory, processes, &trace, &error);
        accepted += status == STATUS_OK;
        unclear += status != STATUS_INPUT || !strstr(error.text, path) ||
                   !strstr(error.text, "folded loops");
        if (status == STATUS_OK)
            trace_destroy(trace);
    }
    mpi_check(accepted == 0, "no file with one wrong bit and no truncated file is read");
    mpi_check(unclear == 0, "... the message names the file and says that it is damaged");
}

static struct thread_ranks threads;

/* Makes the ranks, of which there are two, threads of two MPI processes. */
static void add_threads(struct definitions *d)
{
    static uint32_t first_rank[3], mpi_process[2], thread[2], group_of[8], comm_of[4], recorded[4],
        window_comms[1];
    assert(d->comm_count <= 4 && d->group_count <= 4 && d->window_count == 0);
    threads = (struct thread_ranks){.mpi_process_count = 2,
                                    .first_rank = first_rank,
                                    .mpi_process = mpi_process,
                                    .thread = thread,
                                    .comm_count = d->comm_count,
                                    .group_count = d->group_count,
                                    .group_of = group_of,
                                    .total_comms = d->comm_count,
                                    .comm_of = comm_of,
                                    .total_groups = d->group_count,
                                    .recorded = recorded,
                                    .window_comms = window_comms};
    for (uint32_t i = 0; i < 3; i++)
        first_rank[i] = i;
    for (uint32_t i = 0; i < 2; i++) {
        mpi_process[i] = i;
        thread[i] = 1;
    }
    for (uint32_t i = 0; i < d->comm_count; i++) {
        comm_of[i] = i;
        group_of[2 * i] = d->comms[i].group;
        group_of[2 * i + 1] = d->comms[i].remote_group;
    }
    for (uint32_t i = 0; i < d->group_count; i++)
        recorded[i] = INDEX_NONE;
    d->threads = &threads;
}

static bool same_threads(const struct thread_ranks *t)
{
    return t && t->mpi_process_count == 2 && t->first_rank[1] == 1 && t->first_rank[2] == 2 &&
           t->mpi_process[1] == 1 && t->thread[1] == 1 && t->comm_count == threads.comm_count &&
           t->group_of[0] == threads.group_of[0] && t->group_of[1] == INDEX_NONE &&
           t->recorded[0] == INDEX_NONE && t->total_groups == threads.total_groups &&
           t->comm_of[threads.comm_count - 1] == threads.comm_count - 1;
}

static struct trace *small_trace(struct processes *processes)
{
    static const char *const ranks[] = {
        "0:<app 1:S1,7,100 2:s5,1,7,100 3:r6,1,7,8 4:S5 5:R6 6:B 7:E 9:>app",
        "0:<app 1:R0,7,100 6:B 7:E 9:>app"};
    static const char *const none[] = {NULL, NULL};
    struct trace *trace = built_trace(processes, ranks, none, 2);
    add_locations(trace, none, 2);
    static struct cart_dimension sizes[2];
    static uint32_t places[4];
    static struct cart_grid grid;
    memcpy(sizes, (struct cart_dimension[]){{"x", 2, true}, {"y", 3, false}}, sizeof sizes);
    memcpy(places, (uint32_t[]){0, 2, INDEX_NONE, INDEX_NONE}, sizeof places);
    grid = (struct cart_grid){"grid", 1, 2, sizes, places};
    trace->definitions->grids = &grid;
    trace->definitions->grid_count = 1;
    add_threads(trace->definitions);
    return trace;
}

static bool same_grid(const struct definitions *d, const struct definitions *again)
{
    const struct cart_grid *a = d->grids, *b = again->grids;
    return d->grid_count == 1 && again->grid_count == 1 && strcmp(a->name, b->name) == 0 &&
           a->comm == b->comm && a->dimension_count == b->dimension_count &&
           strcmp(a->dimensions[1].name, b->dimensions[1].name) == 0 &&
           a->dimensions[1].size == b->dimensions[1].size &&
           a->dimensions[0].periodic == b->dimensions[0].periodic &&
           memcmp(a->coordinates, b->coordinates, 4 * sizeof *a->coordinates) == 0;
}

/* Breaks a small trace in one of many ways; false if there are no more. */
static bool break_trace(struct trace *trace, int way)
{
    struct stream *s = &trace->streams[0];
    struct definitions *d = trace->definitions;
    const struct {
        uint32_t *number, wrong;
    } ways[] = {
        {&s->messages[0].comm, 2},
        {&s->messages[0].comm, INDEX_NONE},
        {&s->messages[0].peer, 2},
        {&s->messages[0].post, 100},
        {&s->messages[1].post, 1},
        {&s->messages[1].completion, 3},
        {&s->messages[2].completion, 1000},
        {&s->collectives[0].comm, 2},
        {&s->collectives[0].root, 5},
        {&s->collectives[0].end, INDEX_NONE},
        {&s->collectives[0].begin, 7},
        {&s->collectives[0].send_counts, 1},
        {&s->collectives[0].destinations, 1},
        {&s->arg[8], 1},
        {&s->arg[4], 0},
        {&d->comms[0].group, 1},
        {&d->comms[1].remote_group, 1},
        {&d->comms[1].parent, 2},
        {&d->locations[0].group, 3},
        {&d->locations[1].rank, 0},
        {&d->rank_location[1], 0},
        {&d->grids[0].dimension_count, 0},
        {&d->grids[0].coordinates[1], 3},
        {&d->grids[0].coordinates[1], INDEX_NONE},
        {&threads.mpi_process[0], 1},
        {&threads.mpi_process[1], 2},
        {&threads.thread[1], 1000},
        {&threads.group_of[0], INDEX_NONE},
        {&threads.comm_of[0], 1000},
        {&threads.recorded[0], 1000},
    };
    if (way < (int)(sizeof ways / sizeof *ways)) {
        *ways[way].number = ways[way].wrong;
        return true;
    }
    switch (way - (int)(sizeof ways / sizeof *ways)) {
    case 0:
        s->time[3] = s->time[2] - 1;
        return true;
    case 1:
        s->collectives[0].op = COLLECTIVE_OP_COUNT;
        return true;
    case 2:
        s->messages[0].flags = 0;
        return true;
    case 3:
        d->groups[0].members[1] = 2;
        return true;
    case 4:
        d->ticks_per_second = 0;
        return true;
    default:
        return false;
    }
}

static void wrong_references(struct processes *processes, const char *work)
{
    struct loops_options exact = {0};
    struct loops_outcome outcome;
    struct error error = {0};
    bool broken = false, right = false;
    int refused = 0, ways = 0;
    for (int way = -1; way <= 0 || broken; way++) {
        char directory[128];
        struct trace *trace = small_trace(processes), *again = NULL;
        snprintf(directory, sizeof directory, "%s/broken%d", work, way);
        broken = way >= 0 && break_trace(trace, way);
        enum status status = loops_write(trace, directory, &exact, &outcome, &error);
        if (status == STATUS_OK)
            status = trace_load(directory, processes, &again, &error);
        if (!broken)
            right = status == STATUS_OK && same_grid(trace->definitions, again->definitions) &&
                    same_threads(again->definitions->threads);
        else if (status == STATUS_INPUT && strstr(error.text, "folded loops is damaged"))
            refused++;
        else
            fprintf(stderr, "# way %d: %d %s\n", way, (int)status, error.text);
        trace_destroy(trace);
        ways += broken;
        if (status == STATUS_OK)
            trace_destroy(again);
    }
    mpi_check(right, "a small trace is read, with its grid and threads");
    mpi_check(ways > 20 && refused == ways, "... but not with wrong references");
}

static void wrong_sizes(void)
{
    enum { ZEROS = 1000000 };
    char *zeros = calloc(1, ZEROS);
    struct bytes packed = {0}, data = {0};
    struct dictionary none = {0};
    bool fits = packing_compress(PACKING_NUMBERS, none, zeros, ZEROS, &packed);
    mpi_check(fits && packed.size < 1000, "a million zeros become few bytes");
    enum status status =
        packing_expand(PACKING_NUMBERS, none, packed.data, packed.size, ZEROS, &data);
    mpi_check(status == STATUS_OK && data.size == ZEROS && memcmp(data.data, zeros, ZEROS) == 0,
              "... and back");
    bytes_clear(&data);
    status =
        packing_expand(PACKING_NUMBERS, none, packed.data, packed.size, (size_t)1 << 40, &data);
    mpi_check(status == STATUS_INPUT && data.capacity < 16 * ZEROS,
              "... but not a million million, for which no memory is taken");
    bytes_clear(&data);
    status = packing_expand(PACKING_NUMBERS, none, packed.data, packed.size, ZEROS - 1, &data);
    mpi_check(status == STATUS_INPUT, "... and not fewer");
    bytes_clear(&data);
    bytes_clear(&packed);
    free(zeros);
    /* one symbol with one number, of which number 25 varies */
    static const unsigned char varying[] = {1, 1, 0x80, 0x80, 0x80, 0x10, 0, 0, 0, 0};
    struct coder coder = {.decoding = true, .read = varying, .size = sizeof varying};
    struct row_symbols symbols = {0};
    row_symbols_code(&coder, &symbols);
    mpi_check(coder.failed, "numbers that a symbol does not have cannot vary");
    row_symbols_clear(&symbols);
    mpi_check(rounding_value((struct rounding){7, 1}, INT64_MIN) == 0,
              "a duration is not rounded below 0");
}

static void random_traces(struct processes *processes, const char *work)
{
    struct processes alone;
    struct error error = {0};
    int written = 0, read = 0, same = 0;
    mpi_check(processes_open(&alone, MPI_COMM_SELF, &error) == STATUS_OK, "processes on their own");
    for (uint64_t number = 0; number < TRACES; number++) {
        char directory[128];
        snprintf(directory, sizeof directory, "%s/%llu", work, (unsigned long long)number);
        written += write_trace(processes, number, directory, &error);
        bool good = reads_as_written(processes, number, directory, &error);
        if (!good)
            fprintf(stderr, "# trace %llu: %s\n", (unsigned long long)number, error.text);
        read += good;
        same += same_bytes_alone(&alone, number, directory, processes->rank);
    }
    mpi_check(written == TRACES, "random traces are written");
    mpi_check(read == TRACES, "... and come back as they were");
    mpi_check(same == TRACES, "... the bytes are the same with any number of processes");
    processes_close(&alone);
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    char template[] = "loops-XXXXXX", work[64] = "", path[128];
    mpi_check_begin(&argc, &argv);
    if (processes_open(&processes, MPI_COMM_WORLD, &error) != STATUS_OK)
        return log_error(&error);
    log_open("round_trip", processes.rank == 0);
    if (processes.rank == 0 && mkdtemp(template))
        snprintf(work, sizeof work, "%s", template);
    processes_broadcast(&processes, work, sizeof work);
    random_traces(&processes, work);
    if (processes.size == 1) {
        snprintf(path, sizeof path, "%s/small", work);
        damage(&processes, path);
        wrong_references(&processes, work);
        wrong_sizes();
    }
    processes_barrier(&processes);
    if (processes.rank == 0)
        files_remove_tree(work);
    processes_close(&processes);
    return mpi_check_end();
}
