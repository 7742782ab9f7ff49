/* By how much a moment of a program may be later under an assumption than in the recording,
 * computed without a particular assumption (doc/methods.md, section 10). A quantity that
 * assumptions change directly is a variable; the differences that follow from it are maxima of
 * variables and constants. Two moments with the same difference keep their distance under every
 * assumption.
 *
 * Source: F. Ino, Y. Kanbe, M. Okita, K. Hagihara, Trace Reduction for Performance Improvement
 * Assessment of Message Passing Parallel Programs, section IV. The bounds of variables are ours.
 *
 * All times are ticks. Differences are plain values of fixed size. No function allocates memory or
 * fails. */
#ifndef REDUCTION_RULES_DIFFERENCE_H
#define REDUCTION_RULES_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIFFERENCE_UNBOUNDED (INT64_MAX / 4)
#define VARIABLE_NONE        UINT64_MAX

/* Under every assumption, its value is between `low` and `high` above that of `parent`. */
struct variable {
    uint64_t name;     /* 0: the constant 0 */
    uint64_t parent;   /* the name of another variable; VARIABLE_NONE: the value has no bounds */
    int64_t low, high; /* -DIFFERENCE_UNBOUNDED, DIFFERENCE_UNBOUNDED: no bound */
};

struct difference_term {
    struct variable variable;
    int64_t offset;
};

/* The largest number of terms, the paper's m. A maximum of more terms becomes a new variable. */
enum { DIFFERENCE_TERMS = 3 };

/* The maximum of the terms, each of which is variable + offset. They are in ascending order of
 * names. No term can be left out because another one is at least as large under every assumption.
 */
struct difference {
    struct difference_term terms[DIFFERENCE_TERMS];
    uint32_t count; /* >= 1 */
};

/* Gives names to new variables. Two namings must not have the same owner. */
struct naming {
    uint64_t next;
};

/* `owner` is less than 2^24 - 1, for example the rank. Each owner can name 2^40 variables. */
struct naming naming_of(uint32_t owner);

/* The difference of the first moment: 0. */
struct difference difference_zero(void);

/* True if both are certainly equal under every assumption. */
bool difference_equal(const struct difference *a, const struct difference *b);

/* True if certainly a <= b + slack under every assumption. */
bool difference_within(const struct difference *a, const struct difference *b, int64_t slack);

/* A new variable without bounds. */
struct difference difference_unknown(struct naming *naming);

/* A new variable that is at least `low` + below and at most `high` + above. Use it for a quantity
 * that an assumption changes independently of all others. */
struct difference difference_between(const struct difference *low, int64_t below,
                                     const struct difference *high, int64_t above,
                                     struct naming *naming);

/* When something arrives that a call waits for. */
struct arrival {
    struct difference difference;
    int64_t time;   /* in the recording */
    uint32_t index; /* for the caller */
    bool needless;  /* result: the call ends at the same time without it, under every assumption, as
                       long as all arrivals that are not needless stay */
};

/* True if certainly the difference of arrival or enter `a` is at most that of `b` plus `slack`
 * under every assumption. */
typedef bool arrival_within(const void *context, const struct arrival *a, const struct arrival *b,
                            int64_t slack);

/* The condition under which a call does not need an arrival, for any description of differences.
 * Sets `needless` of the arrivals and sorts them, latest first. Returns false if all are needless.
 */
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
