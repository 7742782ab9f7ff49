/* Numbers that all processes share for what ranks wait for: a slot for every message end, an
 * instance for every collective operation, and the slots of prefix reductions (evaluate.c). Where
 * not all wait for all, each awaited rank has an instance of its own: the members of neighbourhood
 * collectives, and calls that synchronise with the group of a window. */
#ifndef REPLAY_COSTS_LAYOUT_H
#define REPLAY_COSTS_LAYOUT_H

#include "trace/trace.h"

struct layout {
    const struct trace *trace;
    uint32_t *first_message;  /* [rank]: slot of its first message */
    uint32_t *first_instance; /* [comm] */
    uint32_t *first_scan;     /* [comm]: slot of the empty prefix of its first prefix reduction */
    uint32_t
        *first_neighbour; /* [comm]: instance of member 0 in its first neighbourhood collective */
    uint32_t *first_sync; /* [rank]: instance of its first one-sided synchronisation */
    uint32_t neighbours;  /* number of neighbourhood collectives of all communicators */
    uint32_t finalize;    /* the instance of MPI_Finalize */
    uint32_t scan_slots;  /* number of the first slot of prefix reductions */
    uint32_t slot_count, instance_count;
};

/* Collective. The trace must be matched. Fails with STATUS_INPUT if there is more than can be
 * numbered. */
enum status layout_make(const struct trace *trace, struct layout *layout, struct error *error);
void layout_clear(struct layout *layout);

/* For whom a member of a collective operation waits, and whether others wait for it. */
struct role {
    bool arrives;    /* others wait for it */
    bool waits;      /* for all that arrive */
    bool scans;      /* ... only for those of the lower ranks and itself: a prefix reduction */
    bool neighbours; /* ... only for its sources */
};

struct role collective_role(const struct trace *trace, uint32_t rank,
                            const struct collective *collective);

static inline uint32_t layout_instance(const struct layout *layout,
                                       const struct collective *collective)
{
    return layout->first_instance[collective->comm] + collective->instance;
}

/* The slot for the arrival of member `member` (rank in the communicator) in the `n`-th prefix
 * reduction on a communicator. Its own prefix follows it; the prefix of the member before precedes
 * it. */
uint32_t layout_scan_slot(const struct layout *layout, uint32_t comm, uint32_t n, uint32_t member);

/* The instance for the arrival of member `member` in the `n`-th neighbourhood collective on a
 * communicator; and that of the `k`-th arrival for which a member waits. */
uint32_t layout_neighbour(const struct layout *layout, uint32_t comm, uint32_t n, uint32_t member);
uint32_t layout_source(const struct layout *layout, const struct collective *collective, uint32_t n,
                       uint32_t k);
uint32_t layout_source_member(const struct layout *layout, const struct collective *collective,
                              uint32_t k); /* that member's rank in the communicator */
uint32_t layout_source_count(const struct layout *layout, uint32_t rank,
                             const struct collective *collective);

/* The same for the `k`-th member of the group for which a synchronisation on a window waits
 * (sync_awaited). */
uint32_t layout_partner(const struct layout *layout, const struct stream *stream,
                        const struct rma_sync *sync, uint32_t k);
uint32_t layout_partner_count(const struct layout *layout, const struct rma_sync *sync);

/* Whether layout_number has anything to number. */
bool layout_has_numbers(const struct layout *layout);

/* numbers[collective]: the number of each prefix reduction or neighbourhood collective of a stream
 * on its communicator (`n` above); other elements are not changed. False when memory is out. */
bool layout_number(const struct layout *layout, const struct stream *stream, uint32_t *numbers);

#endif
