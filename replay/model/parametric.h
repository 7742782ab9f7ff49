/* The time of a program as a function of its latency: exact and in one pass, because max and plus
 * of piecewise linear functions are such functions again. LLAMP (Shen, Hoefler and others, 2024)
 * finds the same by linear programming. */
#ifndef REPLAY_MODEL_PARAMETRIC_H
#define REPLAY_MODEL_PARAMETRIC_H

#include "base/arena.h"
#include "base/array.h"
#include "base/status.h"
#include "equations/equations.h"

/* The maximum of straight lines with integer values and slopes, over a range of x: a piecewise
 * linear, convex function. It is exact, without rounding. */

struct straight {
    int64_t value; /* at x = 0 */
    int64_t slope;
};

/* The lines are shared between envelopes and never change; `shift` moves an envelope as a whole.
 * They are in order of ascending slope, and each is the largest somewhere in the range. */
struct envelope {
    struct straight shift;
    const struct straight *lines;
    size_t count; /* 0: empty, less than everything */
};

struct envelope_range {
    int64_t low, high; /* low <= high */
};

/* The range of envelopes, and the memory for them, which is freed all at once. */
struct envelopes {
    struct envelope_range range;
    struct arena *arena;
    ARRAY(struct straight) scratch;
};

bool envelopes_open(struct envelopes *envelopes, struct envelope_range range);
void envelopes_close(struct envelopes *envelopes);

/* The constant 0. */
struct envelope envelope_zero(void);

static inline struct envelope envelope_plus(struct envelope envelope, struct straight more)
{
    envelope.shift.value += more.value;
    envelope.shift.slope += more.slope;
    return envelope;
}

/* Line number `i` including the shift. */
static inline struct straight envelope_line(const struct envelope *envelope, size_t i)
{
    return (struct straight){envelope->shift.value + envelope->lines[i].value,
                             envelope->shift.slope + envelope->lines[i].slope};
}

/* The maximum of the two at every x of the range. False if out of memory. */
bool envelope_max(struct envelopes *envelopes, const struct envelope *a, const struct envelope *b,
                  struct envelope *larger);

/* The value at an integer x of the range. */
int64_t envelope_at(const struct envelope *envelope, int64_t x);

/* T in pieces, by ascending latency. Line i holds from starts[i] to starts[i + 1] (x: ticks by
 * which the latency differs from the given one); its slope is the number of latencies on the
 * critical path. */
struct latency_pieces {
    struct envelope_range range;
    struct straight *lines;
    double *starts; /* [count + 1]; the first and the last are the ends of the range */
    size_t count;
};

/* Evaluates a program with growth, in which no rank is stuck, over a range. */
enum status parametric_evaluate(const struct equations *equations, struct envelope_range range,
                                struct latency_pieces *pieces, struct error *error);
void latency_pieces_clear(struct latency_pieces *pieces);

/* The piece that holds at x; at a border the right one. */
size_t latency_piece_at(const struct latency_pieces *pieces, double x);

/* The smallest x >= 0 at which T is at least `time`; INFINITY: none in the range. */
double latency_reaching(const struct latency_pieces *pieces, double time);

/* Chooses the range and evaluates: from latency 0 (`latency` ticks less) up to where T has grown by
 * `share`, but at most to a latency of a thousand times T. */
enum status parametric_tolerance(const struct equations *equations, int64_t latency, double share,
                                 struct latency_pieces *pieces, struct error *error);

#endif
