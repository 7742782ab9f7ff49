/* How much later a moment of a program comes under an assumption than in the recording, before the
 * assumption is known (doc/methods.md, section 10). What assumptions change directly is a variable;
 * what follows from it is a maximum of variables and constants. Two moments with the same
 * difference keep their distance under every assumption.
 *
 * Source: F. Ino and others on trace reduction, section IV (F. Ino, Y. Kanbe, M. Okita, K.
 * Hagihara: Trace Reduction for Performance Improvement Assessment of Message Passing Parallel
 * Programs); the bounds of variables are ours.
 *
 * All times are ticks. Differences are plain values of fixed size, which can be sent as bytes. No
 * function allocates memory or fails. */
#ifndef REDUCTION_DIFFERENCE_H
#define REDUCTION_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIFFERENCE_UNBOUNDED (INT64_MAX / 4)
#define VARIABLE_NONE        UINT64_MAX

/* Under every assumption, its value is between `low` and `high` above that of `parent`. */
struct variable {
    uint64_t name;     /* 0: the constant 0 */
    uint64_t parent;   /* the name of another one; VARIABLE_NONE: nothing is known of the value */
    int64_t low, high; /* -DIFFERENCE_UNBOUNDED, DIFFERENCE_UNBOUNDED: no bound */
};

struct difference_term {
    struct variable variable;
    int64_t offset;
};

/* At most so many terms: the paper's m. A maximum of more becomes a variable of its own. */
enum { DIFFERENCE_TERMS = 3 };

/* The maximum of the terms, variable + offset each. They are in ascending order of names; none is
 * known to be less than another one under all assumptions. */
struct difference {
    struct difference_term terms[DIFFERENCE_TERMS];
    uint32_t count; /* >= 1 */
};

/* Where the names of new variables come from. No two namings may have the same owner. */
struct naming {
    uint64_t next;
};

/* `owner`: up to 2^24 - 1, for example the rank. Each owner can name 2^40 variables. */
struct naming naming_of(uint32_t owner);

/* The difference of the first moment: 0. */
struct difference difference_zero(void);

/* True if both are equal under every assumption; false if they are not, or if that is not known. */
bool difference_equal(const struct difference *a, const struct difference *b);

/* True if a <= b + slack under every assumption; false if not, or if that is not known. */
bool difference_within(const struct difference *a, const struct difference *b, int64_t slack);

/* A new variable, of which nothing is known. */
struct difference difference_unknown(struct naming *naming);

/* A new variable, of which is known only that it is at least `low` + below and at most `high` +
 * above. Use it for what one assumption changes, and nothing else in the program has in common. */
struct difference difference_between(const struct difference *low, int64_t below,
                                     const struct difference *high, int64_t above,
                                     struct naming *naming);

/* What a call waits for. */
struct arrival {
    struct difference difference;
    int64_t time;   /* when it comes in the recording */
    uint32_t index; /* the caller's */
    bool needless;  /* result: the call ends at the same time without it, under every assumption, as
                       long as all arrivals that are not needless stay */
};

/* True if arrival or enter `a` is never later, under any assumption, than `b` is, plus `slack`,
 * each counted from its moment in the recording; false if not, or if that is not known. */
typedef bool arrival_within(const void *context, const struct arrival *a, const struct arrival *b,
                            int64_t slack);

/* The rule for a call alone, for any description of differences: sets `needless` of the arrivals
 * and sorts them as difference_after does. False: all are needless. */
bool arrivals_bind(const struct arrival *entered, struct arrival *arrivals, size_t count,
                   arrival_within *within, const void *context);

/* The end of a call that is entered at `time` with difference `entered` and waits for `count`
 * arrivals: its difference, if the call takes a fixed time after the last of them (section 4 of
 * doc/methods.md). Sorts the arrivals, latest first, and sets `needless`. If all arrivals are
 * needless, the result is equal to `entered`: the call is as good as a computation. */
struct difference difference_after(const struct difference *entered, int64_t time,
                                   struct arrival *arrivals, size_t count, struct naming *naming);

/* The latest of several moments (at least one). Sorts them, latest first: then it is the moment of
 * moments[0] in the recording. Sets `needless` of those that can never be the latest. */
struct difference difference_latest(struct arrival *moments, size_t count, struct naming *naming);

#endif
