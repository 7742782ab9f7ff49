/* The critical path of an evaluated program, and T without some of its waits. */
#ifndef REPLAY_MODEL_CRITICAL_H
#define REPLAY_MODEL_CRITICAL_H

#include "base/array.h"
#include "replay/model/evaluate.h"

/* A call that waits: its STEP_END, by number among all of the program. */
struct waiting_call {
    size_t end;
    uint32_t rank;
    int64_t wait;        /* predicted, ticks */
    uint32_t other_rank; /* of the step that it waited for longest */
    size_t other_end;    /* the first STEP_END after that step */
};

struct critical {
    const struct equations *equations;
    size_t *step_of_end;    /* [end]: its step */
    int64_t *ends;          /* [end]: S, of the last critical_update */
    size_t *post_of_slot;   /* [slot]: the step that fills it, or SIZE_MAX */
    size_t *last_to_arrive; /* [instance]: the step of the latest arrival */
    int64_t *values;        /* [slot], then [instance] */
    int64_t last_time;      /* predicted time of the last event */
    int64_t least_wait;     /* shorter waits are not considered; 1 unless the caller sets it */
};

/* Fails only if out of memory; nothing is left to free then. */
enum status critical_create(const struct equations *equations, struct critical **critical,
                            struct error *error);
void critical_destroy(struct critical *critical); /* NULL is allowed */

/* Evaluates the program and finds what each call waits for. */
void critical_update(struct critical *critical, struct evaluator *evaluator);

/* The rank and the wait of one call; `wait` is 0 if it does not wait. */
struct waiting_call critical_call(const struct critical *critical, size_t end);

/* True if the call waits long enough to be considered. */
static inline bool waits_enough(const struct critical *critical, const struct waiting_call *call)
{
    return call->wait >= critical->least_wait;
}

/* The calls that wait on a critical path from the last event back to a first one, last first.
 * Without the wait of a single other call, T does not change, because this path stays. */
struct waiting_calls {
    ARRAY(struct waiting_call) list;
};
bool critical_path(const struct critical *critical, struct waiting_calls *calls);

/* Leaves out the waits of a call, or restores them. */
void critical_skip(const struct critical *critical, size_t end, bool skip);

/* The predicted time of the last event if these calls do not wait: they end as if all that they
 * wait for had arrived before. The program is unchanged afterwards. */
int64_t critical_without(const struct critical *critical, struct evaluator *evaluator,
                         const size_t *ends, size_t count);

#endif
