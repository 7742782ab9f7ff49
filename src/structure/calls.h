/* The calls of the ranks as sequences of numbers (doc/methods.md, section 9): the ENTERs of a part
 * of the trace. Two calls have the same number if they have the same call path and the first
 * message or operation that they post has the same partner, tag and direction; optionally also the
 * same size. */
#ifndef STRUCTURE_CALLS_H
#define STRUCTURE_CALLS_H

#include "trace/trace.h"

/* The calls of one rank. */
struct rank_calls {
    size_t count;
    uint32_t *rows;       /* [count]: of the ENTERs */
    uint32_t *which[2];   /* [count]: the call's number; in the second array it depends on the size
                             of the message or operation */
    uint32_t *to_barrier; /* [count]: how many calls further the next barrier is; 0: this is one */
};

struct calls {
    const struct trace *trace;
    uint64_t begin, end;      /* ticks: calls with begin <= time < end */
    struct rank_calls *ranks; /* [owned rank] */
};

/* Collective. Free the calls with calls_clear. Fails if out of memory; then nothing is left to
 * free. */
enum status calls_list(const struct trace *trace, uint64_t begin, uint64_t end, struct calls *calls,
                       struct error *error);
void calls_clear(struct calls *calls);

/* Collective. Sets `part` to the calls with from <= time < to, as views of `calls`: free them with
 * calls_clear_part. Fails if out of memory; then nothing is left to free. */
enum status calls_part(const struct calls *calls, uint64_t from, uint64_t to, struct calls *part,
                       struct error *error);
void calls_clear_part(struct calls *part);

/* When owned rank s makes a call, and its call path. */
static inline uint64_t call_time(const struct calls *calls, uint32_t s, size_t call)
{
    return calls->trace->streams[s].time[calls->ranks[s].rows[call]];
}

static inline uint32_t call_path(const struct calls *calls, uint32_t s, size_t call)
{
    return calls->trace->streams[s].arg[calls->ranks[s].rows[call]];
}

/* A call of the first rank. */
struct first_call {
    uint64_t time; /* when it begins */
    uint32_t which;
};

/* Collective: the first calls of rank 0, at most `most`, on all processes. The caller frees
 * `*first`. Fails if out of memory; `*first` is NULL then. */
enum status calls_of_first_rank(const struct calls *calls, bool sizes, size_t most,
                                struct first_call **first, size_t *count, struct error *error);

#endif
