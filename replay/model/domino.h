/* The domino path (PerWiz F1, doc/methods.md, section 4): calls whose waits, taken away, make
 * everything behind them earlier. From the last event of each rank: of all calls of that rank, the
 * one without whose wait T would be smallest; from there to the call that it waited for, on the
 * other rank; and so on, as long as T falls. The path that reaches the smallest T is taken. */
#ifndef REPLAY_MODEL_DOMINO_H
#define REPLAY_MODEL_DOMINO_H

#include "replay/model/critical.h"

struct domino_call {
    struct waiting_call call;
    int64_t last_time; /* of the last event, if this call alone did not wait */
};

struct domino {
    ARRAY(struct domino_call) path; /* last call first */
};

/* `critical` must be up to date. With `naive` every call is tried, otherwise only those that can
 * have an effect; the outcome is the same. Free path.items. */
enum status domino_find(struct critical *critical, struct evaluator *evaluator, bool naive,
                        struct domino *domino, struct error *error);

/* T without all waits of a path, and without as many longest waits (or all, if they are fewer). */
struct domino_effect {
    int64_t without_path, without_longest; /* ticks */
    size_t longest_count;
};

/* The program is left as it was. */
enum status domino_weigh(struct critical *critical, struct evaluator *evaluator,
                         const struct domino *domino, struct domino_effect *effect,
                         struct error *error);

/* The `count` calls of the program that wait longest, longest first: ends[count]. Returns how many
 * there are. */
size_t longest_waits(const struct critical *critical, size_t *ends, size_t count);

#endif
