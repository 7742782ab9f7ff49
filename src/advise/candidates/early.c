/* Messages that are sent late, because the sender first computes something that the message does
 * not need. Candidates are calls that send, and regions that only send, if a visit of the same
 * other region directly precedes nearly all of them in the same caller. A trace does not show what
 * a message contains. So the rank must also have computed something else since its last
 * communication, which stays before the send; otherwise all programs that compute and then send
 * would be late.
 *
 * One-sided communication: MPI_Win_complete after computation that follows the last access of the
 * epoch (kind late-completion). The data have been sent already, so nothing else has to hold.
 */
#include "advise/candidates/families.h"

#include <stdlib.h>

enum {
    SENDERS_MOST = 64, /* call paths that are examined */
    DEPTH = 2,         /* preceding regions that are examined */
};
static const double USUAL_PART = 0.9; /* of the visits that the region must precede */

/* A call path that could be moved before other regions. */
struct late_sender {
    uint32_t path;
    bool completes; /* it completes an epoch */
    int64_t visits;
    int64_t
        *preceded; /* [depth * regions + region]: visits that this region precedes at this depth */
};

/* An open region of a rank, with the visits of the program's regions in it since the last
 * communication. */
struct sender_visit {
    uint32_t last[DEPTH]; /* the last regions, latest first; INDEX_NONE: there are no more */
    uint32_t count;       /* of visits */
    bool communicates;
};

struct sender_scan {
    const struct trace *trace;
    struct late_sender *senders;
    uint32_t sender_count;
    uint32_t *sender_of; /* [call path], INDEX_NONE: none */
    ARRAY(struct sender_visit) open;
};

static bool only_sends(enum mpi_call call)
{
    switch (mpi_call_infos[call].class) {
    case MPI_CLASS_SEND:
    case MPI_CLASS_ISEND:
        return true;
    default:
        return !mpi_class_communicates(mpi_call_infos[call].class);
    }
}

/* [call path]: true if it and its callees send, and do not communicate otherwise. NULL when out of
 * memory. */
static bool *find_sending_paths(const struct facts *facts)
{
    const struct trace *trace = facts->trace;
    const size_t count = trace->calltree.paths.count;
    const struct callpath *items = trace->calltree.paths.items;
    bool *sends = calloc(2 * count + 1, sizeof *sends), *others = sends ? sends + count : NULL;
    for (size_t path = count; sends && path-- > 0;) { /* callees come after their callers */
        if (facts->paths[path].visits == 0)
            continue;
        enum mpi_call call = callpath_call(trace, (uint32_t)path);
        if (!only_sends(call))
            others[path] = true;
        else if (mpi_class_communicates(mpi_call_infos[call].class))
            sends[path] = true;
        if (items[path].parent != CALLPATH_NONE) {
            sends[items[path].parent] |= sends[path];
            others[items[path].parent] |= others[path];
        }
    }
    for (size_t path = 0; sends && path < count; path++)
        sends[path] = sends[path] && !others[path];
    return sends;
}

/* Lists the call paths to examine. False when out of memory. */
static bool open_senders(const struct facts *facts, struct sender_scan *scan)
{
    const struct trace *trace = facts->trace;
    const size_t regions = trace->definitions->region_count;
    bool *sends = find_sending_paths(facts);
    bool complete = sends != NULL;
    scan->sender_of = malloc((trace->calltree.paths.count + 1) * sizeof *scan->sender_of);
    scan->senders = calloc(SENDERS_MOST, sizeof *scan->senders);
    complete = complete && scan->sender_of && scan->senders;
    for (uint32_t path = 0; complete && path < trace->calltree.paths.count; path++) {
        const bool completes = callpath_call(trace, path) == MPI_CALL_WIN_COMPLETE;
        scan->sender_of[path] = INDEX_NONE;
        if ((!sends[path] && !completes) || facts->paths[path].visits == 0 ||
            trace->calltree.paths.items[path].parent == CALLPATH_NONE ||
            scan->sender_count == SENDERS_MOST)
            continue;
        struct late_sender *sender = &scan->senders[scan->sender_count];
        sender->path = path;
        sender->completes = completes;
        sender->preceded = calloc(DEPTH * regions + 1, sizeof *sender->preceded);
        complete = sender->preceded != NULL;
        scan->sender_of[path] = scan->sender_count++;
    }
    free(sends);
    return complete;
}

static void close_senders(struct sender_scan *scan)
{
    for (uint32_t i = 0; i < scan->sender_count; i++)
        free(scan->senders[i].preceded);
    free(scan->senders);
    free(scan->sender_of);
    free(scan->open.items);
}

static const struct sender_visit no_visits = {.last = {INDEX_NONE, INDEX_NONE}};

/* The call path is entered: counts the regions that precede it. */
static void count_preceding(struct sender_scan *scan, struct late_sender *sender)
{
    const struct sender_visit *inner = &scan->open.items[scan->open.count - 1];
    const size_t regions = scan->trace->definitions->region_count;
    uint32_t others = 0;
    sender->visits++;
    for (size_t i = 0; i + 1 < scan->open.count; i++)
        others += scan->open.items[i].count;
    for (uint32_t depth = 0; depth < DEPTH && depth < inner->count; depth++)
        if (sender->completes || inner->count - depth - 1 + others > 0)
            sender->preceded[depth * regions + inner->last[depth]]++;
}

/* False when out of memory. */
static bool enter_visit(struct sender_scan *scan, uint32_t path)
{
    if (scan->sender_of[path] != INDEX_NONE)
        count_preceding(scan, &scan->senders[scan->sender_of[path]]);
    return array_push(&scan->open, no_visits);
}

static void leave_open_visit(struct sender_scan *scan, uint32_t path)
{
    const uint32_t region = scan->trace->calltree.paths.items[path].region;
    const bool communicates = scan->open.items[scan->open.count - 1].communicates ||
                              callpath_communicates(scan->trace, path);
    if (scan->open.count < 2)
        return;
    struct sender_visit *caller = &scan->open.items[--scan->open.count - 1];
    if (communicates) {
        for (size_t i = 0; i < scan->open.count; i++)
            scan->open.items[i] = no_visits;
        caller->communicates = true;
    } else if (region_is_program(scan->trace, region)) {
        for (uint32_t depth = DEPTH - 1; depth > 0; depth--)
            caller->last[depth] = caller->last[depth - 1];
        caller->last[0] = region;
        caller->count++;
    }
}

/* False when out of memory. */
static bool scan_senders_of_rank(struct sender_scan *scan, const struct stream *stream)
{
    scan->open.count = 0;
    if (!array_push(&scan->open, no_visits))
        return false;
    for (uint32_t row = 0; row < stream->count; row++) {
        if (event_opens(stream->kind[row]) && !enter_visit(scan, stream->arg[row]))
            return false;
        if (event_closes(stream->kind[row]))
            leave_open_visit(scan, stream->arg[stream->arg[row]]);
    }
    return true;
}

/* The region that precedes nearly all visits at this depth; INDEX_NONE: there is none. */
static uint32_t usual_predecessor(const struct facts *facts, const struct late_sender *sender,
                                  uint32_t depth)
{
    const uint32_t regions = facts->trace->definitions->region_count;
    for (uint32_t r = 0; r < regions; r++)
        if ((double)sender->preceded[depth * (size_t)regions + r] >=
                USUAL_PART * (double)sender->visits &&
            facts_matters(facts, facts->regions[r].computation))
            return r;
    return INDEX_NONE;
}

static void add_early_candidate(const struct facts *facts, struct candidate_list *list,
                                const struct late_sender *sender, const char *regions,
                                const char *values)
{
    const struct trace *trace = facts->trace;
    const char *pattern = candidate_callpath(list, trace, sender->path);
    const char *text = candidate_path_text(list, trace, sender->path);
    candidate_add_path(
        list, facts, sender->path,
        (struct advice_candidate){
            .kind = sender->completes ? "late-completion" : "late-send",
            .effort = EFFORT_SMALL,
            .cause = candidate_text(list, "earlier %u", sender->path),
            .sections = candidate_text(list, "[earlier calls]\ncallpath = %s\nbefore = %s\n",
                                       pattern, values),
            .change =
                candidate_text(list, "Move %s before %s: other ranks wait for it.", text, regions),
            .check = sender->completes
                         ? "Make sure that nothing after it accesses the window in the same "
                           "epoch."
                         : candidate_text(list,
                                          "Make sure that %s neither computes nor "
                                          "modifies the data that are sent.",
                                          regions),
        });
}

static void add_late_sender(const struct facts *facts, struct candidate_list *list,
                            const struct late_sender *sender)
{
    const uint32_t last = usual_predecessor(facts, sender, 0),
                   other = usual_predecessor(facts, sender, 1);
    if (last == INDEX_NONE)
        return;
    const char *name = candidate_region(list, facts->trace, last);
    const char *value = candidate_region_pattern(list, facts->trace, last);
    add_early_candidate(facts, list, sender, name, value);
    if (other == INDEX_NONE || other == last)
        return;
    const char *further = candidate_region(list, facts->trace, other);
    const char *further_value = candidate_region_pattern(list, facts->trace, other);
    add_early_candidate(facts, list, sender, candidate_text(list, "%s, %s", further, name),
                        candidate_text(list, "%s, %s", further_value, value));
}

/* Collective. Adds up the counts of all processes. */
static void reduce_senders(struct sender_scan *scan)
{
    const struct trace *trace = scan->trace;
    for (uint32_t i = 0; i < scan->sender_count; i++) {
        processes_sum(trace->processes, &scan->senders[i].visits, 1);
        processes_sum(trace->processes, scan->senders[i].preceded,
                      DEPTH * (size_t)trace->definitions->region_count);
    }
}

static enum status propose_early(const struct facts *facts, struct candidate_list *list,
                                 struct error *error)
{
    const struct trace *trace = facts->trace;
    struct sender_scan scan = {.trace = trace};
    bool complete = open_senders(facts, &scan);
    for (uint32_t i = 0; i < trace->owned_count && complete; i++)
        complete = scan_senders_of_rank(&scan, &trace->streams[i]);
    enum status status = processes_agree_memory(trace->processes, complete, "the advice", error);
    if (status == STATUS_OK)
        reduce_senders(&scan);
    for (uint32_t i = 0; i < scan.sender_count && status == STATUS_OK; i++)
        add_late_sender(facts, list, &scan.senders[i]);
    close_senders(&scan);
    return status;
}

const struct candidate_family candidates_early = {
    .name = "early",
    .description = "messages and completed epochs that come later than necessary",
    .propose = propose_early,
};
