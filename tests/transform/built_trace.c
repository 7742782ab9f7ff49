#include "built_trace.h"
#include "tests/trace/omp_roles.h"

#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of one rank while it is read. */
struct builder {
    struct trace *trace;
    struct stream stream;
    ARRAY(uint64_t) time;
    ARRAY(uint8_t) kind;
    ARRAY(uint32_t) arg;
    ARRAY(struct message) messages;
    ARRAY(struct collective) collectives;
    ARRAY(uint64_t) flushes;
    ARRAY(struct other_event) others;
    ARRAY(uint32_t) open; /* rows of open regions */
};

static void refuse(const char *token, const char *why)
{
    fprintf(stderr, "built_trace: \"%s\": %s\n", token, why);
    abort();
}

static uint32_t find_region(struct definitions *definitions, const char *name)
{
    for (uint32_t r = 0; r < definitions->region_count; r++)
        if (strcmp(definitions->regions[r].name, name) == 0)
            return r;
    if (definitions->region_count == 64)
        refuse(name, "too many regions");
    definitions->regions[definitions->region_count] = (struct region){
        .name = arena_strdup(definitions->arena, name),
        .canonical = "",
        .description = "",
        .file = "",
        .mpi_call = mpi_call_from_name(name),
        .role = (uint8_t)omp_role(name),
    };
    return definitions->region_count++;
}

static void add_row(struct builder *b, uint64_t time, enum event_kind kind, uint32_t arg)
{
    if (b->time.count > 0 && time < b->time.items[b->time.count - 1])
        refuse("time", "goes backwards");
    if (!array_push(&b->time, time) || !array_push(&b->kind, (uint8_t)kind) ||
        !array_push(&b->arg, arg))
        abort();
}

static void add_enter(struct builder *b, uint64_t time, enum event_kind kind, const char *name)
{
    uint32_t above = CALLPATH_NONE;
    if (b->open.count > 0)
        above = b->arg.items[b->open.items[b->open.count - 1]];
    uint32_t region = find_region(b->trace->definitions, name);
    uint32_t path = calltree_child(&b->trace->calltree, above, region);
    if (!array_push(&b->open, (uint32_t)b->time.count))
        abort();
    add_row(b, time, kind, path);
}

static void add_leave(struct builder *b, uint64_t time, enum event_kind kind, const char *name)
{
    if (b->open.count == 0)
        refuse(name, "nothing is open");
    uint32_t enter = b->open.items[--b->open.count];
    uint32_t path = b->arg.items[enter];
    uint32_t region = b->trace->calltree.paths.items[path].region;
    if (*name && strcmp(name, b->trace->definitions->regions[region].name) != 0)
        refuse(name, "another region is open");
    add_row(b, time, kind, enter);
}

static uint32_t find_message(const struct builder *b, uint32_t id, const char *token)
{
    for (size_t m = b->messages.count; m-- > 0;)
        if (b->messages.items[m].recorded == id)
            return (uint32_t)m;
    refuse(token, "no such request");
    return 0;
}

/* "PEER[@COMM],TAG,BYTES" */
static void add_message(struct builder *b, uint64_t time, enum event_kind kind, unsigned flags,
                        uint32_t id, const char *text)
{
    unsigned peer, tag, comm = 0;
    unsigned long long bytes;
    if (sscanf(text, "%u@%u,%u,%llu", &peer, &comm, &tag, &bytes) != 4 &&
        sscanf(text, "%u,%u,%llu", &peer, &tag, &bytes) != 3)
        refuse(text, "expected PEER,TAG,BYTES");
    struct message message = {
        .bytes = bytes,
        .comm = comm,
        .peer = peer,
        .tag = tag,
        .post = (uint32_t)b->time.count,
        .completion = flags & MESSAGE_NONBLOCKING ? INDEX_NONE : (uint32_t)b->time.count,
        .partner_rank = peer,
        .partner = INDEX_NONE,
        .flags = (uint16_t)flags,
        .recorded = id,
    };
    add_row(b, time, kind, (uint32_t)b->messages.count);
    if (!array_push(&b->messages, message))
        abort();
}

static void add_completion(struct builder *b, uint64_t time, const char *token)
{
    uint32_t m = find_message(b, (uint32_t)atoi(token + 1), token);
    b->messages.items[m].completion = (uint32_t)b->time.count;
    add_row(b, time, *token == 'S' ? EVENT_ISEND_COMPLETE : EVENT_IRECV, m);
}

static void add_collective(struct builder *b, uint64_t time, bool begins)
{
    if (begins) {
        struct collective c = {.root = ROOT_NONE,
                               .recorded = (uint32_t)b->collectives.count,
                               .begin = (uint32_t)b->time.count,
                               .end = INDEX_NONE,
                               .instance = INDEX_NONE,
                               .send_counts = INDEX_NONE,
                               .receive_counts = INDEX_NONE};
        if (!array_push(&b->collectives, c))
            abort();
    } else {
        b->collectives.items[b->collectives.count - 1].end = (uint32_t)b->time.count;
    }
    add_row(b, time, begins ? EVENT_COLLECTIVE_BEGIN : EVENT_COLLECTIVE_END,
            (uint32_t)b->collectives.count - 1);
}

static void add_request(struct builder *b, uint64_t time, const char *token)
{
    char *rest;
    uint32_t id = (uint32_t)strtoul(token + 1, &rest, 10);
    if (*rest != ',')
        refuse(token, "expected ID,PEER,TAG,BYTES");
    bool sends = *token == 's';
    add_message(b, time, sends ? EVENT_ISEND : EVENT_IRECV_REQUEST,
                MESSAGE_NONBLOCKING | (sends ? MESSAGE_SEND : 0), id, rest + 1);
}

static void add_event(struct builder *b, uint64_t time, const char *token)
{
    switch (*token) {
    case '<':
        add_enter(b, time, EVENT_PROGRAM_BEGIN, token + 1);
        break;
    case '>':
        add_leave(b, time, EVENT_PROGRAM_END, token + 1);
        break;
    case '+':
        add_enter(b, time, EVENT_ENTER, token + 1);
        break;
    case '-':
        add_leave(b, time, EVENT_LEAVE, token + 1);
        break;
    case 'S':
    case 'R':
        if (!strchr(token, ','))
            add_completion(b, time, token);
        else if (*token == 'S')
            add_message(b, time, EVENT_SEND, MESSAGE_SEND, 0, token + 1);
        else
            add_message(b, time, EVENT_RECV, 0, 0, token + 1);
        break;
    case 's':
    case 'r':
        add_request(b, time, token);
        break;
    case 't':
        add_row(b, time, EVENT_REQUEST_TEST, find_message(b, (uint32_t)atoi(token + 1), token));
        break;
    case 'x': {
        uint32_t m = find_message(b, (uint32_t)atoi(token + 1), token);
        b->messages.items[m].flags |= MESSAGE_CANCELLED;
        b->messages.items[m].completion = (uint32_t)b->time.count;
        add_row(b, time, EVENT_REQUEST_CANCELLED, m);
        break;
    }
    case 'B':
    case 'E':
        add_collective(b, time, *token == 'B');
        break;
    case 'f':
        add_row(b, time, EVENT_BUFFER_FLUSH, (uint32_t)b->flushes.count);
        if (!array_push(&b->flushes, strtoull(token + 1, NULL, 10)))
            abort();
        break;
    case 'p':
        add_row(b, time, EVENT_POLLS, (uint32_t)strtoul(token + 1, NULL, 10));
        break;
    case 'o':
        add_row(b, time, EVENT_OTHER, (uint32_t)b->others.count);
        if (!array_push(&b->others, (struct other_event){0}))
            abort();
        break;
    default:
        refuse(token, "no such event");
    }
}

/* Hands an array over to the arena. */
#define ADOPT(array) (array_reserve(array, 1) ? arena_adopt(arena, (array)->items) : NULL)

static struct stream read_stream(struct trace *trace, uint32_t rank, const char *text)
{
    struct arena *arena = trace->arena;
    struct builder b = {.trace = trace};
    char *copy = strdup(text), *rest = copy, *token;
    while ((token = strtok_r(rest, " \t\n", &rest))) {
        char *event;
        uint64_t time = strtoull(token, &event, 10);
        if (*event != ':')
            refuse(token, "expected TIME:EVENT");
        add_event(&b, time, event + 1);
    }
    if (b.open.count > 0)
        refuse(text, "a region stays open");
    struct stream stream = {
        .rank = rank,
        .count = (uint32_t)b.time.count,
        .time = ADOPT(&b.time),
        .kind = ADOPT(&b.kind),
        .arg = ADOPT(&b.arg),
        .messages = ADOPT(&b.messages),
        .message_count = (uint32_t)b.messages.count,
        .collectives = ADOPT(&b.collectives),
        .collective_count = (uint32_t)b.collectives.count,
        .flushes = ADOPT(&b.flushes),
        .flush_count = (uint32_t)b.flushes.count,
        .others = ADOPT(&b.others),
        .other_count = (uint32_t)b.others.count,
    };
    free(copy);
    free(b.open.items);
    return stream;
}

static struct definitions *make_definitions(uint32_t rank_count)
{
    struct arena *arena = arena_create();
    struct definitions *d = arena_alloc(arena, sizeof *d);
    d->arena = arena;
    d->ticks_per_second = 1000000;
    d->rank_count = rank_count;
    d->regions = arena_alloc_array(arena, 64, sizeof *d->regions);
    d->groups = arena_alloc_array(arena, 1, sizeof *d->groups);
    d->group_count = 1;
    d->groups[0] = (struct group){.name = "",
                                  .type = GROUP_COMM_GROUP,
                                  .paradigm = OTF2_PARADIGM_MPI,
                                  .count = rank_count,
                                  .members = arena_alloc_array(arena, rank_count, 8)};
    for (uint32_t r = 0; r < rank_count; r++)
        d->groups[0].members[r] = r;
    d->comms = arena_alloc_array(arena, 2, sizeof *d->comms);
    d->comm_count = 2;
    for (uint32_t c = 0; c < 2; c++)
        d->comms[c] = (struct communicator){.name = c == 0 ? "MPI_COMM_WORLD" : "halo",
                                            .remote_group = INDEX_NONE,
                                            .parent = c == 0 ? INDEX_NONE : 0,
                                            .mpi = true};
    d->rank_location = arena_alloc_array(arena, rank_count, sizeof *d->rank_location);
    memset(d->rank_location, 0xff, rank_count * sizeof *d->rank_location); /* no locations */
    return d;
}

struct trace *built_trace(struct processes *processes, const char *const *ranks,
                          const char *const *carried, uint32_t rank_count)
{
    struct trace *trace = calloc(1, sizeof *trace);
    trace->arena = arena_create();
    trace->processes = processes;
    trace->path = arena_strdup(trace->arena, "built.otf2");
    trace->definitions = make_definitions(rank_count);
    trace->rank_count = rank_count;
    trace->first_rank = trace_first_rank(rank_count, processes->size, processes->rank);
    trace->owned_count =
        trace_first_rank(rank_count, processes->size, processes->rank + 1) - trace->first_rank;
    trace->streams = arena_alloc_array(trace->arena, rank_count, sizeof *trace->streams);
    trace->carried = arena_alloc_array(trace->arena, rank_count, sizeof *trace->carried);
    for (uint32_t r = 0; r < rank_count; r++) {
        /* All are read everywhere, so that definitions and call tree are the same. */
        struct stream stream = read_stream(trace, r, ranks[r]), other = {0};
        if (carried[r])
            other = read_stream(trace, r, carried[r]);
        if (!trace_stream(trace, r))
            continue;
        trace->streams[r - trace->first_rank] = stream;
        if (carried[r])
            trace->carried[trace->carried_count++] = other;
    }
    trace_update_span(trace);
    return trace;
}

static void print_message(FILE *out, const struct stream *stream, uint32_t row)
{
    const struct message *m = &stream->messages[stream->arg[row]];
    char comm[20] = "";
    if (m->comm > 0)
        snprintf(comm, sizeof comm, "@%u", m->comm);
    bool sends = m->flags & MESSAGE_SEND;
    if (!(m->flags & MESSAGE_NONBLOCKING))
        fprintf(out, "%c%u%s,%u,%llu", sends ? 'S' : 'R', m->peer, comm, m->tag,
                (unsigned long long)m->bytes);
    else if (row == m->post)
        fprintf(out, "%c%u,%u%s,%u,%llu", sends ? 's' : 'r', m->recorded, m->peer, comm, m->tag,
                (unsigned long long)m->bytes);
    else
        fprintf(out, "%c%u%s", sends ? 'S' : 'R', m->recorded,
                row == m->completion ? "" : "(not its completion)");
}

static const char *region_name(const struct trace *trace, const struct stream *stream,
                               uint32_t enter)
{
    uint32_t region = trace->calltree.paths.items[stream->arg[enter]].region;
    return trace->definitions->regions[region].name;
}

static void print_event(FILE *out, const struct trace *trace, const struct stream *stream,
                        uint32_t row)
{
    uint32_t arg = stream->arg[row];
    switch (stream->kind[row]) {
    case EVENT_ENTER:
    case EVENT_PROGRAM_BEGIN:
        fprintf(out, "%c%s", stream->kind[row] == EVENT_ENTER ? '+' : '<',
                region_name(trace, stream, row));
        break;
    case EVENT_LEAVE:
    case EVENT_PROGRAM_END:
        fprintf(out, "%c%s", stream->kind[row] == EVENT_LEAVE ? '-' : '>',
                region_name(trace, stream, arg));
        break;
    case EVENT_REQUEST_TEST:
        fprintf(out, "t%u", stream->messages[arg].recorded);
        break;
    case EVENT_REQUEST_CANCELLED:
        fprintf(out, "x%u", stream->messages[arg].recorded);
        break;
    case EVENT_COLLECTIVE_BEGIN:
        fprintf(out, "B%s", stream->collectives[arg].begin == row ? "" : "(not its begin)");
        break;
    case EVENT_COLLECTIVE_END:
        fprintf(out, "E%s", stream->collectives[arg].end == row ? "" : "(not its end)");
        break;
    case EVENT_BUFFER_FLUSH:
        fprintf(out, "f%llu", (unsigned long long)stream->flushes[arg]);
        break;
    case EVENT_POLLS:
        fprintf(out, "p%u", arg);
        break;
    case EVENT_OTHER:
        fprintf(out, "o");
        break;
    default:
        print_message(out, stream, row);
    }
}

char *built_trace_text(const struct trace *trace, const struct stream *stream)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t row = 0; row < stream->count; row++) {
        fprintf(out, "%s%llu:", row == 0 ? "" : " ", (unsigned long long)stream->time[row]);
        print_event(out, trace, stream, row);
    }
    fclose(out);
    return text;
}
