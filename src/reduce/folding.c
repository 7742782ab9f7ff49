#include "reduce/folding.h"

#include "base/mpi/exchange.h"
#include "reduce/rules/calls.h"
#include "reduce/solve.h"
#include "trace/calls/records.h"
#include "trace/exchange.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool make_flags(const struct trace *trace, struct folding *folding)
{
    struct arena *arena = folding->arena = arena_create();
    size_t streams = (size_t)trace->owned_count + 1;
    if (!arena)
        return false;
    folding->messages = arena_alloc_array(arena, streams, sizeof *folding->messages);
    folding->collectives = arena_alloc_array(arena, streams, sizeof *folding->collectives);
    folding->calls = arena_alloc_array(arena, streams, sizeof *folding->calls);
    folding->removes = arena_alloc(arena, streams);
    if (!folding->messages || !folding->collectives || !folding->calls || !folding->removes)
        return false;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        folding->messages[s] = arena_alloc(arena, (size_t)stream->message_count + 1);
        folding->collectives[s] = arena_alloc(arena, (size_t)stream->collective_count + 1);
        folding->calls[s] = arena_alloc(arena, (size_t)stream->count + 1);
        if (!folding->messages[s] || !folding->collectives[s] || !folding->calls[s])
            return false;
    }
    return true;
}

void folding_clear(struct folding *folding)
{
    arena_destroy(folding->arena);
    memset(folding, 0, sizeof *folding);
}

/* Collective. Sends the solution from process 0: each process gets the needed slots of the ranks
 * that it owns and of prefix reductions, and all instances. Its other slots are false. */
static enum status share_needed(const struct layout *layout, struct needed *needed,
                                struct error *error)
{
    const struct trace *trace = layout->trace;
    const struct processes *processes = trace->processes;
    struct received received;
    if (processes->size == 1)
        return STATUS_OK;
    struct exchange exchange = exchange_open(processes, 1, "the reduction");
    if (processes->rank != 0)
        *needed = (struct needed){calloc((size_t)layout->slot_count + 1, 1),
                                  calloc((size_t)layout->instance_count + 1, 1)};
    exchange_check(&exchange, needed->slots && needed->instances);
    for (uint32_t rank = 0; rank < trace->rank_count && processes->rank == 0; rank++) {
        size_t from = layout->first_message[rank];
        size_t to =
            rank + 1 < trace->rank_count ? layout->first_message[rank + 1] : layout->scan_slots;
        exchange_check(&exchange, bytes_put(exchange_buffer(&exchange, trace_owner(trace, rank)),
                                            needed->slots + from, to - from));
    }
    enum status status = exchange_run(&exchange, &received, error);
    if (status != STATUS_OK)
        return status;
    if (received.count > 0)
        memcpy(needed->slots + layout->first_message[trace->first_rank], received.items,
               received.count);
    free(received.items);
    processes_broadcast(processes, needed->slots + layout->scan_slots,
                        layout->slot_count - layout->scan_slots);
    processes_broadcast(processes, needed->instances, layout->instance_count);
    return STATUS_OK;
}

/* Collective. */
static enum status solve_equations(struct model_part *part, const struct layout *layout,
                                   const struct folding_input *input, struct needed *needed,
                                   struct error *error)
{
    const struct processes *processes = layout->trace->processes;
    struct equations equations;
    enum status status = equations_join(part, layout, &equations, error);
    if (status != STATUS_OK)
        return status;
    if (processes->rank == 0) {
        bool pairs = !input->terms && equations.rank_count <= FOLDING_PAIRS_MOST;
        enum moments_kind kind = pairs ? MOMENTS_PAIRS : MOMENTS_TERMS;
        uint32_t stuck = equations_solve(&equations, input->least_wait, kind, needed);
        if (stuck == UINT32_MAX)
            status = error_memory(error, "the reduction");
        else if (stuck < equations.rank_count)
            status = error_set(error, STATUS_INPUT,
                               "in the model the ranks wait for each other forever, for example "
                               "rank %u: the trace cannot be reduced",
                               stuck);
    }
    status = processes_agree(processes, status, error);
    equations_clear_steps(&equations);
    return status == STATUS_OK ? share_needed(layout, needed, error) : status;
}

/* Puts into part->growth how long the steps take in the other environment, and marks the calls
 * whose own cost depends on it. False if steps are added or lost there. */
static bool compare_parts(const struct trace *trace, struct model_part *part,
                          const struct model_part *other, bool **calls)
{
    const struct step *steps = part->steps.items, *others = other->steps.items;
    bool same = part->steps.count == other->steps.count && part->spans.count == other->spans.count;
    size_t step = 0, span = 0;
    for (size_t i = 0; i < part->steps.count && same; i++)
        same = steps[i].code == others[i].code && steps[i].slot == others[i].slot;
    for (uint32_t s = 0; s < trace->owned_count && same; s++) {
        same = part->step_counts[s] == other->step_counts[s];
        for (size_t end = step + part->step_counts[s]; step < end && same; step++) {
            part->growth.items[step] = (struct growth){.time = others[step].time};
            if (steps[step].code == STEP_END && steps[step].time != others[step].time)
                calls[s][part->spans.items[span].enter] = true;
            span += steps[step].code == STEP_END;
        }
    }
    for (size_t i = 0; i < part->steps.count && !same; i++)
        part->growth.items[i] = (struct growth){.time = steps[i].time};
    part->growth.count = part->steps.count;
    return same;
}

/* Compiles the trace once more, for the other environment. `*same` is false if its equations are
 * not comparable: then nothing folds. */
static enum status compile_elsewhere(const struct part_input *wanted,
                                     const struct folding_input *input, struct model_part *part,
                                     bool **calls, bool *same, struct error *error)
{
    const struct environment *environment = input->environment;
    struct platform platform =
        platform_in(wanted->platform, environment, wanted->trace->rank_count);
    struct part_input changed = *wanted;
    struct model_part other = {.has_growth = false};
    changed.platform = &platform;
    changed.ideal = environment->ideal;
    memcpy(changed.algorithms, environment->algorithms, sizeof changed.algorithms);
    enum status status = part_compile(&changed, &other, error);
    if (status == STATUS_OK && !array_reserve(&part->growth, part->steps.count + 1))
        status = error_memory(error, "the reduction");
    *same = status == STATUS_OK && compare_parts(wanted->trace, part, &other, calls);
    part->has_growth = true; /* on all processes, which gather it together */
    part_clear(&other);
    return status;
}

/* Collective. `calls` gets the ENTERs of the calls whose own cost depends on the environment.
 * `*comparable` is false if nothing can fold because of the environment. */
static enum status find_needed(const struct trace *trace, const struct folding_input *input,
                               const struct layout *layout, bool **calls, struct machine *machine,
                               bool *comparable, struct needed *needed, struct error *error)
{
    struct recorded recorded;
    struct model_part part = {.has_growth = false};
    int64_t different = 0;
    enum status status = recorded_make(trace, input->machine, input->poll_gap_s, &recorded, error);
    if (status != STATUS_OK)
        return status;
    const struct part_input wanted = {.trace = trace,
                                      .layout = layout,
                                      .recorded = &recorded,
                                      .platform = &recorded.platform,
                                      .varied = DISTANCE_COUNT,
                                      .assumed = &input->changed,
                                      .same_rows = true,
                                      .poll_gap_s = input->poll_gap_s};
    *comparable = true;
    status = part_compile(&wanted, &part, error);
    if (status == STATUS_OK && input->environment)
        status = compile_elsewhere(&wanted, input, &part, calls, comparable, error);
    status = processes_agree(trace->processes, status, error);
    *machine = recorded.platform.machine;
    recorded_clear(&recorded);
    if (status == STATUS_OK) {
        different = !*comparable;
        processes_max(trace->processes, &different, 1);
        *comparable = different == 0;
        status = solve_equations(&part, layout, input, needed, error);
    }
    part_clear(&part);
    return status;
}

static bool operation_folds(const struct trace *trace, const struct collective *collective)
{
    return collective_takes_part(trace->definitions, collective) &&
           !collective_op_manages_handle(collective->op) &&
           !(collective->flags & (COLLECTIVE_WINDOW | COLLECTIVE_LOCAL));
}

/* The flags of one stream. */
struct chooser {
    const struct folding_input *input;
    const struct trace *trace;
    uint32_t s;
    bool *messages, *collectives, *calls, *removes;
    const struct needed *needed;
    const struct layout *layout;
    struct places places;
    bool probed; /* the next record shows for which message a probe has looked */
};

static bool wait_is_needed(const struct chooser *chooser, struct wait wait)
{
    uint32_t count = places_of_wait(&chooser->places, wait);
    for (uint32_t k = 0; k < count; k++) {
        struct wait_place place = place_of_wait(&chooser->places, wait, k);
        if (place.kind == PLACE_SCAN ? chooser->needed->slots[place.number + 1]
                                     : chooser->needed->instances[place.number])
            return true;
    }
    return false;
}

/* Whether an assumption may remove or change a message or a collective operation. */
static bool subject_changes(const struct chooser *chooser, enum record_subject subject,
                            uint32_t index)
{
    const struct part_assumed *changed = &chooser->input->changed;
    bool *const *flags = subject == RECORD_OF_MESSAGE      ? changed->messages
                         : subject == RECORD_OF_COLLECTIVE ? changed->collectives
                                                           : NULL;
    return flags && flags[chooser->s][index];
}

/* The same for the messages and operations that a call posts, completes or tests. */
static bool call_changes(const struct chooser *chooser, const struct call_walk *walk)
{
    bool changes = false;
    for (size_t i = 0; i < walk->posts.count; i++) {
        const struct post *post = &walk->posts.items[i];
        bool message = post->kind == POST_SEND || post->kind == POST_RECEIVE;
        bool collective = post->kind == POST_COLLECTIVE;
        changes |= message && subject_changes(chooser, RECORD_OF_MESSAGE, post->index);
        changes |= collective && subject_changes(chooser, RECORD_OF_COLLECTIVE, post->index);
    }
    for (size_t i = 0; i < walk->waits.count; i++) {
        const struct wait *wait = &walk->waits.items[i];
        bool message = wait->kind == WAIT_SEND || wait->kind == WAIT_RECEIVE;
        bool collective = wait->kind == WAIT_COLLECTIVE;
        changes |= message && subject_changes(chooser, RECORD_OF_MESSAGE, wait->index);
        changes |= collective && subject_changes(chooser, RECORD_OF_COLLECTIVE, wait->index);
    }
    for (size_t i = 0; i < walk->others.count; i++) {
        struct record record = record_at(walk->stream, walk->others.items[i]);
        changes |= subject_changes(chooser, record.subject, record.index);
    }
    return changes;
}

static void keep_record(struct chooser *chooser, struct record record)
{
    if (record.subject == RECORD_OF_MESSAGE)
        chooser->messages[record.index] = false;
    else if (record.subject == RECORD_OF_COLLECTIVE)
        chooser->collectives[record.index] = false;
}

/* Keeps the open requests at a Waitall: if it lost all its completions, readers would assume that
 * it completes these requests (trace/calls/walk.h). */
static void keep_unfinished(struct chooser *chooser, const struct call_walk *walk)
{
    for (size_t i = 0; i < walk->unfinished.count; i++) {
        struct wait wait = walk->unfinished.items[i];
        bool of_operation = wait.kind == WAIT_COLLECTIVE;
        keep_record(
            chooser,
            (struct record){of_operation ? RECORD_OF_COLLECTIVE : RECORD_OF_MESSAGE, wait.index});
    }
}

/* Whether a call has several messages or operations. The model rounds the sum of their costs in
 * another environment, so without some of them the rest would be rounded differently. */
static bool has_parts(const struct call_walk *walk)
{
    uint32_t first = INDEX_NONE;
    bool of_operation = false;
    for (size_t i = 0; i < walk->posts.count + walk->waits.count; i++) {
        bool posts = i < walk->posts.count;
        struct wait wait = posts
                               ? (struct wait){.index = walk->posts.items[i].index,
                                               .kind = walk->posts.items[i].kind == POST_COLLECTIVE
                                                           ? WAIT_COLLECTIVE
                                                           : WAIT_RECEIVE}
                               : walk->waits.items[i - walk->posts.count];
        bool operation = wait.kind == WAIT_COLLECTIVE;
        if (first != INDEX_NONE && (wait.index != first || operation != of_operation))
            return true;
        first = wait.index;
        of_operation = operation;
    }
    return false;
}

/* Whether the call must stay as it is, with all its records. */
static bool call_stays_whole(struct chooser *chooser, const struct call_walk *walk,
                             enum mpi_class class)
{
    bool changes = call_changes(chooser, walk);
    *chooser->removes |= changes;
    bool silent = walk->posts.count + walk->waits.count + walk->others.count == 0;
    bool after_probe = chooser->probed && !silent;
    if (mpi_class_probes(class))
        chooser->probed = true;
    else if (!silent && !changes)
        chooser->probed = false;
    if (class == MPI_CLASS_WAITALL && walk->unfinished.count > 0) {
        keep_unfinished(chooser, walk);
        return true;
    }
    return walk->call.unrecorded || changes || after_probe ||
           (chooser->input->environment && has_parts(walk));
}

static void visit_call(struct chooser *chooser, const struct call_walk *walk)
{
    enum mpi_class class = mpi_call_infos[walk->call.mpi_call].class;
    bool whole = call_stays_whole(chooser, walk, class) || chooser->calls[walk->call.enter];
    bool messages = class_folds_messages(class) && walk->call.rounds == 1 && !whole;
    bool collectives = class_folds_operations(class) && !whole;
    if (walk->call.probed != INDEX_NONE)
        chooser->messages[walk->call.probed] = false;
    for (size_t i = 0; i < walk->posts.count; i++) {
        const struct post *post = &walk->posts.items[i];
        if ((post->kind == POST_SEND || post->kind == POST_RECEIVE) && !messages)
            chooser->messages[post->index] = false;
        if (post->kind == POST_COLLECTIVE && !collectives)
            chooser->collectives[post->index] = false;
    }
    for (size_t i = 0; i < walk->waits.count; i++) {
        struct wait wait = walk->waits.items[i];
        if ((wait.kind == WAIT_SEND || wait.kind == WAIT_RECEIVE) && !messages)
            chooser->messages[wait.index] = false;
        if (wait.kind == WAIT_COLLECTIVE && (!collectives || wait_is_needed(chooser, wait)))
            chooser->collectives[wait.index] = false;
    }
    for (uint32_t row = walk->call.enter; row <= walk->call.leave; row++) /* in all rounds */
        if ((whole || mpi_class_tests(class)) && walk->stream->kind[row] == EVENT_REQUEST_TEST)
            keep_record(chooser, record_at(walk->stream, row));
    bool silent = walk->posts.count + walk->waits.count + walk->others.count == 0;
    if (walk->call.unrecorded ||
        (silent && (chooser->probed || !messages || class == MPI_CLASS_START)))
        chooser->calls[walk->call.enter] = true;
}

/* Chooses what folds as far as this rank decides. False if out of memory. */
static bool choose_stream(struct chooser *chooser)
{
    const struct stream *stream = &chooser->trace->streams[chooser->s];
    const struct part_assumed *changed = &chooser->input->changed;
    const bool *needed = chooser->needed->slots + chooser->layout->first_message[stream->rank];
    struct call_walk walk;
    for (uint32_t m = 0; m < stream->message_count; m++)
        chooser->messages[m] = message_takes_part(&stream->messages[m]) && !needed[m] &&
                               !(changed->messages && changed->messages[chooser->s][m]);
    for (uint32_t c = 0; c < stream->collective_count; c++)
        chooser->collectives[c] = operation_folds(chooser->trace, &stream->collectives[c]) &&
                                  !(changed->collectives && changed->collectives[chooser->s][c]);
    if (!places_open(&chooser->places, chooser->layout, stream))
        return false;
    call_walk_open(&walk, chooser->trace, stream, chooser->input->poll_gap_s);
    while (call_walk_next(&walk))
        visit_call(chooser, &walk);
    bool room = !walk.out_of_memory;
    call_walk_close(&walk);
    places_close(&chooser->places);
    return room;
}

static bool choose_own(const struct trace *trace, const struct folding_input *input,
                       const struct layout *layout, const struct needed *needed, bool comparable,
                       struct folding *folding)
{
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        struct chooser chooser = {.input = input,
                                  .trace = trace,
                                  .s = s,
                                  .messages = folding->messages[s],
                                  .collectives = folding->collectives[s],
                                  .calls = folding->calls[s],
                                  .removes = &folding->removes[s],
                                  .needed = needed,
                                  .layout = layout};
        if (!choose_stream(&chooser))
            return false;
        if (!comparable) {
            memset(chooser.messages, false, trace->streams[s].message_count);
            memset(chooser.collectives, false, trace->streams[s].collective_count);
        }
    }
    return true;
}

/* The decisions of other ranks. They are stored separately, because all values are sent before any
 * is received. */
struct folding_agreement {
    struct folding *own;
    struct folding others; /* true: another one needs it */
};

static bool tell_message(void *data, uint32_t stream, uint32_t message, void *value)
{
    const struct folding_agreement *agreement = data;
    *(bool *)value = !agreement->own->messages[stream][message];
    return *(bool *)value;
}

static void hear_message(void *data, uint32_t stream, uint32_t message, const void *value)
{
    struct folding_agreement *agreement = data;
    agreement->others.messages[stream][message] = *(const bool *)value;
}

struct collective_part {
    struct member_record head;
    bool stays;
};

struct collective_answer {
    struct instance_answer head;
};

static bool tell_collective(void *data, uint32_t stream, uint32_t collective, void *part)
{
    const struct folding_agreement *agreement = data;
    ((struct collective_part *)part)->stays = !agreement->own->collectives[stream][collective];
    return true;
}

/* If one member needs the operation, all hear it. */
static bool answer_collective(void *data, const struct owned_instances *instances,
                              uint32_t instance, struct exchange *answers)
{
    const struct folding_agreement *agreement = data;
    bool stays = false;
    for (uint32_t n = 0; n < instance_member_count(instances, instance); n++)
        stays |= ((const struct collective_part *)instance_record(instances, instance, n))->stays;
    for (uint32_t n = 0; n < instance_member_count(instances, instance) && stays; n++) {
        const struct collective_part *part = instance_record(instances, instance, n);
        struct collective_answer answer = {{part->head.rank, part->head.collective}};
        exchange_put_owner(answers, agreement->own->trace, part->head.rank, &answer);
    }
    return true;
}

static void hear_collective(void *data, uint32_t stream, uint32_t collective, const void *answer)
{
    (void)answer;
    struct folding_agreement *agreement = data;
    agreement->others.collectives[stream][collective] = true;
}

static void keep_agreed(const struct trace *trace, struct folding_agreement *agreement)
{
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        for (uint32_t m = 0; m < trace->streams[s].message_count; m++)
            agreement->own->messages[s][m] &= !agreement->others.messages[s][m];
        for (uint32_t c = 0; c < trace->streams[s].collective_count; c++)
            agreement->own->collectives[s][c] &= !agreement->others.collectives[s][c];
    }
}

/* Collective. A message folds if both ends agree, an operation if all members do. */
static enum status agree(const struct trace *trace, struct folding *folding, struct error *error)
{
    static const struct partner_exchange about_messages = {"the reduction", sizeof(bool),
                                                           tell_message, hear_message};
    static const struct instance_exchange about_collectives = {
        .purpose = "the reduction",
        .record_size = sizeof(struct collective_part),
        .answer_size = sizeof(struct collective_answer),
        .order = MEMBERS_BY_RANK,
        .send = tell_collective,
        .answer = answer_collective,
        .receive = hear_collective};
    struct folding_agreement agreement = {.own = folding};
    bool ready = make_flags(trace, &agreement.others);
    enum status status = partners_exchange(trace, ready, &about_messages, &agreement, error);
    if (status == STATUS_OK)
        status = instances_exchange(trace, &about_collectives, &agreement, error);
    if (status == STATUS_OK)
        keep_agreed(trace, &agreement);
    folding_clear(&agreement.others);
    return status;
}

enum status folding_find(const struct trace *trace, const struct folding_input *input,
                         struct folding *folding, struct error *error)
{
    assert(trace->matched && input->least_wait >= 0);
    struct layout layout;
    struct needed needed = {NULL, NULL};
    memset(folding, 0, sizeof *folding);
    enum status status = layout_make(trace, &layout, error);
    if (status != STATUS_OK)
        return status;
    bool room = make_flags(trace, folding), comparable = true;
    folding->trace = trace;
    status = processes_agree_memory(trace->processes, room, "the reduction", error);
    if (status == STATUS_OK)
        status = find_needed(trace, input, &layout, folding->calls, &folding->machine, &comparable,
                             &needed, error);
    if (status == STATUS_OK) {
        room = choose_own(trace, input, &layout, &needed, comparable, folding);
        status = processes_agree_memory(trace->processes, room, "the reduction", error);
    }
    if (status == STATUS_OK)
        status = agree(trace, folding, error);
    needed_clear(&needed);
    layout_clear(&layout);
    if (status != STATUS_OK)
        folding_clear(folding);
    return status;
}
