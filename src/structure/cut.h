/* Cuts a part, such as a representative period, out of a trace and makes it a separate trace
 * (doc/methods.md, section 9). Each rank has its own range of time, because iterations do not begin
 * at the same time on all ranks. */
#ifndef STRUCTURE_CUT_H
#define STRUCTURE_CUT_H

#include "base/array.h"
#include "trace/trace.h"

/* The time of a rank that a cut keeps: events with begin <= time < end, in ticks. Nothing if
 * begin >= end. */
struct cut_range {
    uint64_t begin, end;
};

/* Messages and operations that cross the edges of the ranges and are therefore not in the cut, over
 * all ranks. Those outside all ranges are not counted. */
struct cut_losses {
    int64_t messages;    /* with an end in a range; each counts once */
    int64_t collectives; /* operations; each counts once, however many members it has */
    int64_t requests;    /* of these, and of these only: open at the beginning or end of a range */
    int64_t one_sided;   /* records of one-sided operations and synchronisations */
    int64_t kept_messages, kept_collectives; /* in the cut, counted in the same way */
};

/* X(identifier, name): kinds of crossings, and the call path at which each is counted. */
#define CUT_CROSSINGS(X)                                               \
    X(MESSAGE, "message")       /* by its send */                      \
    X(COLLECTIVE, "collective") /* by the member of the lowest rank */ \
    X(REQUEST, "request")       /* by the call that made it */         \
    X(ONE_SIDED, "one-sided")

enum cut_crossing_kind {
#define X(identifier, name) CUT_CROSSING_##identifier,
    CUT_CROSSINGS(X)
#undef X
        CUT_CROSSING_KIND_COUNT
};

extern const char *const cut_crossing_names[CUT_CROSSING_KIND_COUNT];

/* The losses of one kind at one call path. */
struct cut_crossing {
    enum cut_crossing_kind kind;
    uint32_t path; /* CALLPATH_NONE: outside of all regions */
    int64_t count; /* of all ranks */
};

/* By kind and call path; their counts add up to struct cut_losses. free(items). */
typedef ARRAY(struct cut_crossing) cut_crossing_list;

/* Collective. Makes a trace `*cut` of the parts of `trace`, which must be matched and outlive it.
 * `ranges` [rank_count] is the same on all processes. The result is matched, does not depend on the
 * number of processes, and can be saved; its archive has the property SILAS::CUT. It deadlocks only
 * if `trace` does. Free it with trace_destroy.
 *
 * Time stamps stay as recorded, so that the cut can be found in the whole trace. Regions that are
 * open at the beginning of a range are entered there, and those open at its end are left there:
 * call paths stay.
 *
 * A message stays if, on both ranks, the MPI calls that post and complete it lie in the range as a
 * whole; a collective operation if they do on all members. The records of others are removed on all
 * ranks. Their calls stay, as calls that do nothing, and engines treat their time as computation;
 * but probes and tests are removed, because they would be taken for those of other messages.
 * MPI_Init and MPI_Finalize are removed from all ranks unless all that call them do so within
 * their ranges. Of one-sided communication whole epochs stay: from a lock to its release, from a
 * fence that stays to the next, and epochs of MPI_Win_start and MPI_Win_post with all their
 * partners. Communicators and windows that were made before the cut are in the definitions. Buffer
 * flushes, events that are not interpreted and other locations of a rank are cut to the same range;
 * locations without a rank to the time from the first beginning to the last end.
 *
 * `crossings`, which must be all zero, gets the list of the losses, the same on all processes;
 * NULL: not wanted. Fails with STATUS_INPUT if no rank has any events in its range. */
enum status structure_cut(const struct trace *trace, const struct cut_range *ranges,
                          struct trace **cut, struct cut_losses *losses,
                          cut_crossing_list *crossings, struct error *error);

#endif
