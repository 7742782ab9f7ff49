/* The calls of the ranks as sequences of numbers (doc/methods.md, section 9). Two calls have the
 * same number if they are alike, in one of three senses (enum likeness). */
#ifndef STRUCTURE_CALLS_H
#define STRUCTURE_CALLS_H

#include "structure/metrics.h"

#include "base/map.h"

/* What must be equal besides the call path. The message or operation is the first that the call
 * posts. */
enum likeness {
    ALIKE_IN_SIZE,    /* partner, tag, communicator and direction, and the root and size */
    ALIKE_IN_PARTNER, /* partner, tag, communicator and direction */
    ALIKE_IN_PATH,    /* nothing */
    LIKENESSES,
    ALIKE_BY_VALUE = LIKENESSES, /* for loops: the size, or the tag, grows or falls */
    ALIKE_IN_ORDER,              /* for loops: the calls come in one order (order.h) */
};

#define CALL_NO_VALUE UINT32_MAX

/* What a call can say about the loop around it. */
enum phase_role {
    CALL_OTHER,
    CALL_SEPARATES, /* a barrier, or a call that begins or ends a phase of a program */
    CALL_OUTPUTS,   /* collects results at one rank, or in a file */
};

/* The calls of one rank: regions and MPI calls, without those that only poll. */
struct rank_calls {
    const struct stream *stream;
    size_t made, count;          /* calls, and what is left if some are united (unordered.h) */
    uint32_t *rows;              /* [count]: of the ENTERs */
    uint32_t *shown;             /* [count]: ENTERs that stand for united calls; else the same */
    uint32_t *which[LIKENESSES]; /* [count]: numbers from 0 on */
    uint32_t numbers[LIKENESSES];
    uint32_t *bytes, *tags; /* [count]: of the first message that the call posts, or no value; NULL
                               in a part of a rank's calls */
    const bool *collecting; /* of struct calls */
    struct map comms;       /* numbers of the communicators (communicators.h); empty in a part of a
                               rank's calls */
};

struct calls {
    const struct trace *trace;
    const struct cut_range *parts; /* [owned rank]: calls with begin <= time < end */
    struct rank_calls *ranks;      /* [owned rank] */
    bool *collecting; /* by a hash of tag and communicator: such messages go to one rank, from all
                         others */
};

/* Collective. `parts` must outlive the calls. Free them with calls_clear. Fails if out of memory;
 * then nothing is left to free. */
enum status calls_list(const struct trace *trace, const struct cut_range *parts,
                       struct calls *calls, struct error *error);
void calls_clear(struct calls *calls);

enum phase_role call_phase_role(const struct trace *trace, const struct rank_calls *rank,
                                size_t call);
/* A hash of a call: of its path, and of the message or operation that it posts, with the distance
 * of the partner. Ranks that make the same call have the same hash. */
uint64_t call_content(const struct trace *trace, const struct rank_calls *rank, size_t call);
/* A hash of the path and of the distance of the partner only. */
uint64_t call_direction(const struct trace *trace, const struct rank_calls *rank, size_t call);
/* Counts the calls of n iterations; iteration i has the calls begin[i] <= c < begin[i + 1]. `take`
 * gets how often iteration i makes calls of a number of this sense, once for each number that it
 * makes. False if out of memory. */
bool rank_calls_count(const struct rank_calls *rank, enum likeness sense, const uint32_t *begin,
                      size_t n, void (*take)(void *data, size_t i, uint32_t number, uint32_t count),
                      void *data);
void rank_calls_clear(struct rank_calls *rank);

/* When a rank makes a call, and its call path; of united calls when the first one is made, and the
 * path of the one that stands for them. */
static inline uint64_t call_time(const struct rank_calls *rank, size_t call)
{
    return rank->stream->time[rank->rows[call]];
}

static inline uint32_t call_path(const struct rank_calls *rank, size_t call)
{
    return rank->stream->arg[rank->shown[call]];
}

#endif
