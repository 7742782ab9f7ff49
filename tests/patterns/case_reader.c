#include "case_reader_private.h"

#include "trace/match/match.h"
#include "trace/calls/collective_operations.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void case_fail(const struct reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", reader->path, reader->line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

uint32_t case_add_group(struct reader *reader, char **members, int count, uint8_t type)
{
    struct arena *arena = reader->trace->definitions->arena;
    struct group group = {.name = "",
                          .type = type,
                          .members = arena_alloc_array(arena, (size_t)count + 1, 8),
                          .count = (uint32_t)count};
    for (int i = 0; i < count; i++)
        group.members[i] = strtoull(members[i], NULL, 10);
    if (!array_push(&reader->groups, group))
        case_fail(reader, "out of memory");
    return (uint32_t)reader->groups.count - 1;
}

static void add_comm(struct reader *reader, const char *name, char **members, int count, bool self)
{
    uint8_t type = self ? GROUP_COMM_SELF : GROUP_COMM_GROUP;
    struct communicator comm = {.name = arena_strdup(reader->trace->definitions->arena, name),
                                .group = case_add_group(reader, members, count, type),
                                .remote_group = INDEX_NONE,
                                .parent = INDEX_NONE,
                                .self = self,
                                .mpi = true};
    if (!array_push(&reader->comms, comm))
        case_fail(reader, "out of memory");
}

static void add_intercomm(struct reader *reader, const char *name, char **members, int count)
{
    int first = 0;
    while (first < count && strcmp(members[first], "/") != 0)
        first++;
    if (first == count)
        case_fail(reader, "intercomm NAME MEMBER... / MEMBER...");
    add_comm(reader, name, members, first, false);
    uint32_t remote =
        case_add_group(reader, members + first + 1, count - first - 1, GROUP_COMM_GROUP);
    reader->comms.items[reader->comms.count - 1].remote_group = remote;
}

static void define_ranks(struct reader *reader, uint32_t count)
{
    struct definitions *d = reader->trace->definitions;
    char numbers[WORDS][8], *members[WORDS];
    if (count == 0 || count > WORDS)
        case_fail(reader, "1 to %d ranks", WORDS);
    d->rank_count = reader->trace->rank_count = count;
    d->rank_location = arena_alloc_array(d->arena, count, sizeof *d->rank_location);
    reader->ranks = calloc(count, sizeof *reader->ranks);
    for (uint32_t i = 0; i < count; i++) {
        d->rank_location[i] = INDEX_NONE;
        reader->ranks[i].path = CALLPATH_NONE;
        snprintf(numbers[i], sizeof numbers[i], "%u", i);
        members[i] = numbers[i];
    }
    add_comm(reader, "world", members, (int)count, false);
    add_comm(reader, "self", NULL, 0, true);
}

static uint32_t find_region(struct reader *reader, const char *name)
{
    for (uint32_t i = 0; i < reader->regions.count; i++)
        if (strcmp(reader->regions.items[i].name, name) == 0)
            return i;
    struct region region = {.name = arena_strdup(reader->trace->definitions->arena, name),
                            .mpi_call = mpi_call_from_name(name)};
    if (!array_push(&reader->regions, region))
        case_fail(reader, "out of memory");
    return (uint32_t)(reader->regions.count - 1);
}

uint32_t case_find_comm(const struct reader *reader, const char *name)
{
    for (uint32_t i = 0; i < reader->comms.count; i++)
        if (strcmp(reader->comms.items[i].name, name) == 0)
            return i;
    case_fail(reader, "no communicator %s", name);
}

/* '_' may stand for ' '. */
static bool is_same_name(const char *name, const char *word)
{
    while (*name && (*name == *word || (*name == ' ' && *word == '_'))) {
        name++;
        word++;
    }
    return *name == *word;
}

uint8_t case_find_operation(const struct reader *reader, const char *name)
{
    for (int op = 0; op < COLLECTIVE_OP_COUNT; op++)
        if (is_same_name(collective_op_name((enum collective_op)op), name))
            return (uint8_t)op;
    case_fail(reader, "no collective operation %s", name);
}

uint32_t case_add_event(struct reader *reader, struct rank_events *rank, uint64_t time,
                        enum event_kind kind, uint32_t arg)
{
    if (!array_push(&rank->time, time) || !array_push(&rank->kind, (uint8_t)kind) ||
        !array_push(&rank->arg, arg))
        case_fail(reader, "out of memory");
    return (uint32_t)(rank->time.count - 1);
}

static void add_enter(struct reader *reader, struct rank_events *rank, uint64_t time,
                      const char *region)
{
    rank->path = calltree_child(&reader->trace->calltree, rank->path, find_region(reader, region));
    uint32_t row = case_add_event(reader, rank, time, EVENT_ENTER, rank->path);
    if (!array_push(&rank->open, row))
        case_fail(reader, "out of memory");
}

static void add_leave(struct reader *reader, struct rank_events *rank, uint64_t time)
{
    if (rank->open.count == 0)
        case_fail(reader, "leave without enter");
    case_add_event(reader, rank, time, EVENT_LEAVE, rank->open.items[--rank->open.count]);
    rank->path = reader->trace->calltree.paths.items[rank->path].parent;
}

/* The words COMM PEER TAG BYTES of a message. */
static void fill_message(struct reader *reader, struct message *message, char **words,
                         uint32_t rank)
{
    message->comm = case_find_comm(reader, words[0]);
    message->peer = (uint32_t)atoi(words[1]);
    message->tag = (uint32_t)atoi(words[2]);
    message->bytes = strtoull(words[3], NULL, 10);
    struct definitions *definitions = reader->trace->definitions; /* as far as they are read */
    definitions->comms = reader->comms.items;
    definitions->comm_count = (uint32_t)reader->comms.count;
    definitions->groups = reader->groups.items;
    message->partner_rank = comm_world_rank(definitions, message->comm, rank, message->peer);
}

static uint32_t add_message(struct reader *reader, struct rank_events *rank, uint64_t time,
                            enum event_kind kind, unsigned flags)
{
    uint32_t index = (uint32_t)rank->messages.count;
    uint32_t row = case_add_event(reader, rank, time, kind, index);
    struct message message = {.post = row,
                              .completion = flags & MESSAGE_NONBLOCKING ? INDEX_NONE : row,
                              .peer = PEER_UNKNOWN,
                              .partner_rank = INDEX_NONE,
                              .partner = INDEX_NONE,
                              .flags = (uint16_t)flags,
                              .recorded = index};
    if (rank->matched)
        message.flags |= MESSAGE_MATCHED;
    rank->matched = false;
    if (!array_push(&rank->messages, message))
        case_fail(reader, "out of memory");
    return index;
}

static void add_message_event(struct reader *reader, uint32_t number, uint64_t time, char **words)
{
    struct rank_events *rank = &reader->ranks[number];
    uint32_t index;
    if (strcmp(words[0], "send") == 0 || strcmp(words[0], "recv") == 0) {
        bool is_send = words[0][0] == 's';
        index = add_message(reader, rank, time, is_send ? EVENT_SEND : EVENT_RECV,
                            is_send ? MESSAGE_SEND : 0);
        fill_message(reader, &rank->messages.items[index], words + 1, number);
    } else if (strcmp(words[0], "isend") == 0) {
        index = add_message(reader, rank, time, EVENT_ISEND, MESSAGE_SEND | MESSAGE_NONBLOCKING);
        fill_message(reader, &rank->messages.items[index], words + 1, number);
        rank->request[atoi(words[5]) % REQUESTS] = index;
    } else if (strcmp(words[0], "post") == 0) {
        index = add_message(reader, rank, time, EVENT_IRECV_REQUEST, MESSAGE_NONBLOCKING);
        rank->request[atoi(words[1]) % REQUESTS] = index;
    } else if (strcmp(words[0], "isent") == 0) {
        index = rank->request[atoi(words[1]) % REQUESTS];
        rank->messages.items[index].completion =
            case_add_event(reader, rank, time, EVENT_ISEND_COMPLETE, index);
    } else {
        index = rank->request[atoi(words[5]) % REQUESTS];
        rank->messages.items[index].completion =
            case_add_event(reader, rank, time, EVENT_IRECV, index);
        fill_message(reader, &rank->messages.items[index], words + 1, number);
    }
}

static uint32_t read_root(const char *word)
{
    if (strcmp(word, "-") == 0)
        return ROOT_NONE;
    if (strcmp(word, "self") == 0)
        return ROOT_SELF;
    return strcmp(word, "other") == 0 ? ROOT_THIS_GROUP : (uint32_t)atoi(word);
}

/* What the operation that has ended last received from each. */
static void add_counts(struct reader *reader, struct rank_events *rank, char **words, int count)
{
    struct collective *collective = &rank->collectives.items[rank->ended];
    if (strcmp(words[0], "neighbours") == 0) {
        collective->flags |= COLLECTIVE_NEIGHBOUR;
        collective->sources = case_add_group(reader, words + 1, count - 1, GROUP_UNKNOWN);
        for (int i = 1; i < count; i++) {
            char *colon = strchr(words[i], ':');
            if (!colon)
                case_fail(reader, "a neighbour is RANK:BYTES");
            words[i] = colon + 1;
        }
    }
    if (count > 1)
        collective->receive_counts = case_add_group(reader, words + 1, count - 1, GROUP_UNKNOWN);
}

static void add_collective_event(struct reader *reader, struct rank_events *rank, uint64_t time,
                                 char **words)
{
    uint32_t index = (uint32_t)rank->collectives.count;
    if (strcmp(words[0], "begin") == 0 || strcmp(words[0], "ibegin") == 0) {
        bool nonblocking = words[0][0] == 'i';
        struct collective begun = {.end = INDEX_NONE,
                                   .instance = INDEX_NONE,
                                   .flags = nonblocking ? COLLECTIVE_NONBLOCKING : 0,
                                   .send_counts = INDEX_NONE,
                                   .receive_counts = INDEX_NONE,
                                   .destinations = INDEX_NONE,
                                   .sources = INDEX_NONE,
                                   .recorded = index};
        begun.begin = case_add_event(
            reader, rank, time, nonblocking ? EVENT_NBC_REQUEST : EVENT_COLLECTIVE_BEGIN, index);
        if (nonblocking)
            rank->request[atoi(words[1]) % REQUESTS] = index;
        if (!array_push(&rank->collectives, begun))
            case_fail(reader, "out of memory");
        return;
    }
    bool nonblocking = words[0][0] == 'i';
    rank->ended = index = nonblocking ? rank->request[atoi(words[6]) % REQUESTS] : index - 1;
    struct collective *collective = &rank->collectives.items[index];
    collective->end = case_add_event(
        reader, rank, time, nonblocking ? EVENT_NBC_COMPLETE : EVENT_COLLECTIVE_END, index);
    collective->op = case_find_operation(reader, words[1]);
    collective->comm = case_find_comm(reader, words[2]);
    collective->root = read_root(words[3]);
    collective->sent = strtoull(words[4], NULL, 10);
    collective->received = strtoull(words[5], NULL, 10);
}

/* "test REQUEST", "testop REQUEST", "cancel REQUEST", "matched", "flush UNTIL", "other". */
static void add_other_event(struct reader *reader, struct rank_events *rank, uint64_t time,
                            char **words, int count)
{
    uint32_t request = count > 1 ? rank->request[atoi(words[1]) % REQUESTS] : 0;
    if (strcmp(words[0], "test") == 0) {
        case_add_event(reader, rank, time, EVENT_REQUEST_TEST, request);
    } else if (strcmp(words[0], "testop") == 0) {
        case_add_event(reader, rank, time, EVENT_REQUEST_TEST, request | COLLECTIVE_BIT);
    } else if (strcmp(words[0], "cancel") == 0) {
        rank->messages.items[request].flags |= MESSAGE_CANCELLED;
        rank->messages.items[request].completion =
            case_add_event(reader, rank, time, EVENT_REQUEST_CANCELLED, request);
    } else if (strcmp(words[0], "matched") == 0) {
        case_add_event(reader, rank, time, EVENT_MATCHED, (uint32_t)rank->messages.count);
        rank->matched = true;
    } else if (strcmp(words[0], "flush") == 0) {
        case_add_event(reader, rank, time, EVENT_BUFFER_FLUSH, (uint32_t)rank->flushes.count);
        if (!array_push(&rank->flushes, strtoull(words[1], NULL, 10)))
            case_fail(reader, "out of memory");
    } else {
        case_add_event(reader, rank, time, EVENT_OTHER, (uint32_t)rank->others.count);
        if (!array_push(&rank->others, (struct other_event){0}))
            case_fail(reader, "out of memory");
    }
}

static void add_line(struct reader *reader, char **words, int count)
{
    static const struct {
        const char *name;
        int words;
    } events[] = {{"enter", 2}, {"leave", 1}, {"send", 5},   {"recv", 5},
                  {"isend", 6}, {"isent", 2}, {"post", 2},   {"irecv", 6},
                  {"begin", 1}, {"end", 6},   {"ibegin", 2}, {"iend", 7}};
    static const char *const others[] = {"test", "testop", "cancel", "matched", "flush", "other"};
    uint32_t number = (uint32_t)atoi(words[0]);
    if (count < 3 || !reader->ranks || number >= reader->trace->rank_count)
        case_fail(reader, "unknown event \"%s\"", words[0]);
    if (strcmp(words[2], "counts") == 0 || strcmp(words[2], "neighbours") == 0) {
        add_counts(reader, &reader->ranks[number], words + 2, count - 2);
        return;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i], words[2]) == 0) {
            add_other_event(reader, &reader->ranks[number], strtoull(words[1], NULL, 10), words + 2,
                            count - 2);
            return;
        }
    if (case_add_window_line(reader, &reader->ranks[number], strtoull(words[1], NULL, 10),
                             words + 2, count - 2))
        return;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (strcmp(events[i].name, words[2]) != 0)
            continue;
        if (count - 2 != events[i].words)
            case_fail(reader, "%s takes %d words", words[2], events[i].words - 1);
        struct rank_events *rank = &reader->ranks[number];
        uint64_t time = strtoull(words[1], NULL, 10);
        if (i == 0)
            add_enter(reader, rank, time, words[3]);
        else if (i == 1)
            add_leave(reader, rank, time);
        else if (i >= 8)
            add_collective_event(reader, rank, time, words + 2);
        else
            add_message_event(reader, number, time, words + 2);
        return;
    }
    case_fail(reader, "no event \"%s\"", words[2]);
}

static void add_expectation(struct reader *reader, char **words, int count)
{
    struct expectation expectation = {.metric =
                                          count == 5 ? metric_from_name(words[1]) : METRIC_NONE};
    if (expectation.metric == METRIC_NONE)
        case_fail(reader, "expect METRIC PATH RANK VALUE");
    snprintf(expectation.path, sizeof expectation.path, "%s", words[2]);
    expectation.rank = (uint32_t)atoi(words[3]);
    expectation.value = atof(words[4]);
    if (!array_push(&reader->test_case->expectations, expectation))
        case_fail(reader, "out of memory");
}

static void read_lines(struct reader *reader, FILE *file)
{
    char text[512], *words[WORDS];
    while (fgets(text, sizeof text, file)) {
        int count = 0;
        reader->line++;
        text[strcspn(text, "#\n")] = '\0';
        for (char *word = strtok(text, " \t"); word && count < WORDS; word = strtok(NULL, " \t"))
            words[count++] = word;
        if (count == 0)
            continue;
        if (strcmp(words[0], "ranks") == 0 && count == 2)
            define_ranks(reader, (uint32_t)atoi(words[1]));
        else if (strcmp(words[0], "comm") == 0 && count > 2)
            add_comm(reader, words[1], words + 2, count - 2, false);
        else if (strcmp(words[0], "intercomm") == 0 && count > 4)
            add_intercomm(reader, words[1], words + 2, count - 2);
        else if (strcmp(words[0], "window") == 0 && count == 3)
            case_add_window(reader, words[1], words[2]);
        else if (strcmp(words[0], "expect") == 0)
            add_expectation(reader, words, count);
        else
            add_line(reader, words, count);
    }
}

/* The arena takes over the arrays of the owned ranks; the others are freed. */
static void keep_streams(struct reader *reader)
{
    struct trace *trace = reader->trace;
    trace->streams = arena_alloc_array(trace->arena, trace->owned_count + 1, sizeof(struct stream));
    for (uint32_t i = 0; i < trace->rank_count; i++) {
        struct rank_events *rank = &reader->ranks[i];
        struct arena *arena = i - trace->first_rank < trace->owned_count ? trace->arena : NULL;
        free(rank->open.items);
        if (!arena) {
            free(rank->time.items);
            free(rank->kind.items);
            free(rank->arg.items);
            free(rank->messages.items);
            free(rank->collectives.items);
            free(rank->rma_ops.items);
            free(rank->rma_syncs.items);
            free(rank->flushes.items);
            free(rank->others.items);
            continue;
        }
        trace->streams[i - trace->first_rank] =
            (struct stream){.rank = i,
                            .count = (uint32_t)rank->time.count,
                            .time = arena_adopt(arena, rank->time.items),
                            .kind = arena_adopt(arena, rank->kind.items),
                            .arg = arena_adopt(arena, rank->arg.items),
                            .messages = arena_adopt(arena, rank->messages.items),
                            .message_count = (uint32_t)rank->messages.count,
                            .collectives = arena_adopt(arena, rank->collectives.items),
                            .collective_count = (uint32_t)rank->collectives.count,
                            .rma_ops = arena_adopt(arena, rank->rma_ops.items),
                            .rma_op_count = (uint32_t)rank->rma_ops.count,
                            .rma_syncs = arena_adopt(arena, rank->rma_syncs.items),
                            .rma_sync_count = (uint32_t)rank->rma_syncs.count,
                            .flushes = arena_adopt(arena, rank->flushes.items),
                            .flush_count = (uint32_t)rank->flushes.count,
                            .others = arena_adopt(arena, rank->others.items),
                            .other_count = (uint32_t)rank->others.count};
    }
    free(reader->ranks);
}

static void keep_definitions(struct reader *reader)
{
    struct definitions *d = reader->trace->definitions;
    d->ticks_per_second = 1;
    d->regions = arena_adopt(d->arena, reader->regions.items);
    d->region_count = (uint32_t)reader->regions.count;
    d->comms = arena_adopt(d->arena, reader->comms.items);
    d->comm_count = (uint32_t)reader->comms.count;
    d->windows = arena_adopt(d->arena, reader->windows.items);
    d->window_count = (uint32_t)reader->windows.count;
    d->groups = arena_adopt(d->arena, reader->groups.items);
    d->group_count = (uint32_t)reader->groups.count;
}

struct test_case *case_read(const char *path, struct processes *processes)
{
    FILE *file = fopen(path, "r");
    if (!file)
        case_fail(&(struct reader){.path = path}, "cannot be read");
    struct test_case *test_case = case_read_stream(path, file, processes);
    fclose(file);
    return test_case;
}

struct test_case *case_read_stream(const char *path, FILE *file, struct processes *processes)
{
    struct reader reader = {.path = path, .test_case = calloc(1, sizeof *reader.test_case)};
    struct arena *arena = arena_create();
    struct trace *trace = calloc(1, sizeof *trace);
    reader.trace = reader.test_case->trace = trace;
    trace->arena = arena_create();
    trace->processes = processes;
    trace->definitions = arena_alloc(arena, sizeof *trace->definitions);
    trace->definitions->arena = arena;
    read_lines(&reader, file);
    trace->first_rank = trace_first_rank(trace->rank_count, processes->size, processes->rank);
    trace->owned_count = trace_first_rank(trace->rank_count, processes->size, processes->rank + 1) -
                         trace->first_rank;
    keep_definitions(&reader);
    keep_streams(&reader);
    trace_update_span(trace);
    struct error error;
    if (trace_match(trace, &error) != STATUS_OK)
        case_fail(&reader, "%s", error.text);
    return reader.test_case;
}

void case_destroy(struct test_case *test_case)
{
    trace_destroy(test_case->trace);
    free(test_case->expectations.items);
    free(test_case);
}
