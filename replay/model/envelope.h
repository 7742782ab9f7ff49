/* The maximum of straight lines with integer values and slopes, over a range of x: a piecewise
 * linear, convex function. Exact: there is no rounding. */
#ifndef REPLAY_MODEL_ENVELOPE_H
#define REPLAY_MODEL_ENVELOPE_H

#include "base/arena.h"
#include "base/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* The maximum of both at every x of the range. False when memory is out. */
bool envelope_max(struct envelopes *envelopes, const struct envelope *a, const struct envelope *b,
                  struct envelope *larger);

/* The value at an integer x of the range. */
int64_t envelope_at(const struct envelope *envelope, int64_t x);

#endif
