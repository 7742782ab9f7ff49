/* The domino path (PerWiz F1, doc/methods.md, section 4): calls whose waits, if removed, shorten
 * the run. A path starts at the last event of a rank. Of all calls of that rank, it takes the one
 * without whose wait T is smallest; then it continues at the step of the other rank for which this
 * call waited, as long as T does not grow. So it may begin with waits that have no effect alone
 * (with a least wait it does not, because a reduced archive does not have them).
 * The domino paths are those with the smallest T over all ranks, if that is less than T with all
 * waits.
 */
#ifndef REPLAY_MODEL_DOMINO_H
#define REPLAY_MODEL_DOMINO_H

#include "replay/model/critical.h"

struct domino_call {
    struct waiting_call call;
    int64_t last_time; /* of the last event, if only this call did not wait */
};

struct domino {
    /* The calls of all domino paths, each once: first those of the one with most waits that
     * have an effect alone (of several, the shortest), last call first. */
    ARRAY(struct domino_call) calls;
    size_t first_count; /* calls of this path */
    size_t path_count;  /* ranks at whose last events such paths start */
};

/* critical_update must have been called. With `naive` every call is tried, otherwise only those
 * that can have an effect; the result is the same. Free calls.items. */
enum status domino_find(struct critical *critical, struct evaluator *evaluator, bool naive,
                        struct domino *domino, struct error *error);

/* T without the waits of some calls, and T without the same number of waits, the longest ones. */
struct domino_effect {
    int64_t without_path, without_longest; /* ticks */
    size_t longest_count;
};

/* The program is unchanged afterwards. */
enum status domino_weigh(struct critical *critical, struct evaluator *evaluator,
                         const struct domino_call *calls, size_t count,
                         struct domino_effect *effect, struct error *error);

struct domino_step {
    size_t count;      /* calls of the domino paths of this step */
    int64_t last_time; /* predicted time of the last event without their waits and all before */
};

struct domino_steps {
    ARRAY(struct domino_step) list;
    ARRAY(struct domino_call) calls; /* those of the first step, and so on */
};

/* Removes the waits of the domino paths, finds those of the result, and so on, until a step reduces
 * T by less than `least_gain` of the T with all waits; that step is not listed. The program is
 * unchanged afterwards. Free the two arrays. */
enum status domino_repeat(struct critical *critical, struct evaluator *evaluator, double least_gain,
                          struct domino_steps *steps, struct error *error);

/* The `count` longest waits of the program, longest first: ends[count]. Returns their number. */
size_t longest_waits(const struct critical *critical, size_t *ends, size_t count);

struct bound {
    uint32_t path;     /* call path */
    size_t calls;      /* number of those that wait */
    int64_t wait;      /* their total wait, ticks */
    int64_t last_time; /* predicted time of the last event without these waits */
};

struct bounds {
    ARRAY(struct bound) list; /* smallest T first */
};

/* For each call path: T without its waits. paths[end]: the call path of each STEP_END.
 * critical_update must have been called. Free list.items. */
enum status bounds_of_waits(struct critical *critical, struct evaluator *evaluator,
                            const uint32_t *paths, struct bounds *bounds, struct error *error);

#endif
