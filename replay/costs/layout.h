/* Numbers for everything that ranks wait for, the same on all processes: a slot for every message
 * end, an instance for every collective operation, and the slots of prefix reductions
 * (equations/walk_template.h). In neighbourhood collectives, and in calls that synchronise with the
 * group of a window, not all members wait for all others, so each awaited rank has a separate
 * instance. */
#ifndef REPLAY_COSTS_LAYOUT_H
#define REPLAY_COSTS_LAYOUT_H

#include "trace/calls/walk.h"

struct layout {
    const struct trace *trace;
    /* One block, which begins with the first: */
    uint32_t *first_message;   /* [rank]: slot of its first message */
    uint32_t *first_sync;      /* [rank]: instance of its first one-sided synchronisation */
    uint32_t *first_scan;      /* [comm]: slot of the empty prefix of its first prefix reduction */
    uint32_t *first_neighbour; /* [comm]: instance of member 0 in its first neighbourhood
                                  collective */
    uint32_t *first_instance;  /* [comm] */

    uint32_t neighbours; /* number of neighbourhood collectives of all communicators */
    uint32_t
        finalize; /* the instance of MPI_Finalize of world 0 (trace/spawned.h); others follow */
    uint32_t scan_slots;  /* number of the first slot of prefix reductions */
    uint32_t first_start; /* [rank], with several ranks of a process, or ranks that were spawned:
                             slot of the rank's start */
    uint32_t slot_count, instance_count;
};

/* Collective. The trace must be matched. Fails with STATUS_INPUT if there is more than can be
 * numbered. */
enum status layout_make(const struct trace *trace, struct layout *layout, struct error *error);
void layout_clear(struct layout *layout);

/* The number of members for which a member of a neighbourhood collective waits. */
uint32_t layout_source_count(const struct layout *layout, uint32_t rank,
                             const struct collective *collective);

enum place_kind { PLACE_NONE, PLACE_INSTANCE, PLACE_SCAN };

struct wait_place {
    enum place_kind kind;
    uint32_t number; /* the instance. In a prefix reduction: the slot of the member's arrival; its
                        prefix follows it, and the prefix of the member before precedes it */
    uint32_t owner;  /* a rank, the same for all members, whose owner combines the arrivals; it
                        rotates from instance to instance, to divide the work */
    uint32_t member; /* PLACE_SCAN: rank in the communicator */
};

/* The places of one owned rank. */
struct places {
    const struct layout *layout;
    const struct stream *stream;
    uint32_t *numbers; /* [collective]: of prefix reductions and neighbourhood collectives, on their
                          communicator */
};

/* False if out of memory; nothing is left to free then. */
bool places_open(struct places *places, const struct layout *layout, const struct stream *stream);
void places_close(struct places *places);

struct wait_place place_of_post(const struct places *places, const struct post *post);

/* The number of places that a wait waits for, and place number `k` < that number. */
uint32_t places_of_wait(const struct places *places, struct wait wait);
struct wait_place place_of_wait(const struct places *places, struct wait wait, uint32_t k);

#endif
