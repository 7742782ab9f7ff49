/* The solver of the equations (equations.h; doc/methods.md, section 4), for any arithmetic.
 *
 * It walks over the steps of a rank until the rank needs a value that is not known yet; then it
 * walks over the steps of another rank. Filling the value lets the waiting rank continue. Every
 * step is done once, and a maximum does not depend on the order of its terms, so the outcome does
 * not depend on the order of the ranks. The cost is one operation of the arithmetic per step, plus
 * one visit of a rank per wait. It needs no event queue.
 *
 * What differs between solvers is the arithmetic: what a moment is, how a time is added to it, and
 * what the maximum of two moments is. It is
 *
 *   a time                        in replay/model/evaluate.c
 *   a time for each latency       in replay/model/parametric.c
 *   a time; processes share work  in replay/correction/solve.c
 *   a difference                  in reduce/solve.c and measure/reduce/evaluate.c
 *
 * A file that solves equations defines
 *
 *   WALK(name)  the name of a function of its arithmetic
 *   WALK_STATE  the type of the solver's state
 *   WALK_RANK   the type of the state of a rank that runs, S among it
 *   WALK_VALUE  the type of a moment
 *   WALK_STEPS  the kinds of steps that do something in this arithmetic: a sum of constants of
 *               walk.h. All other steps do nothing.
 *   WALK_TOGETHER  if all waits of a call are looked at together at the call's end: then this file
 *               makes a function `raise` that does nothing
 *   WALK_TIMES  if moments are times: then this file makes the functions `sum` and `raise`, and
 *               WALK_RANK is struct running_rank
 *
 * and, for these kinds of steps, the functions
 *
 *   WALK_VALUE WALK(sum)(state, rank, step)                S + time
 *   void WALK(raise)(state, rank, step, value)             S <- max(S, *value + time)
 *   void WALK(end)(state, rank, step)                      S <- S + time, an outcome
 *  WALK_SLOTS:
 *   void WALK(post)(state, step, value)                    fills the step's slot; the rank that
 *                                                          waits for it can continue
 *   const WALK_VALUE *WALK(slot)(state, slot)              its value, NULL: not filled yet
 *   void WALK(wait_for_slot)(state, rank, slot)            the rank stops here
 *  WALK_STARTS, if S of a rank can begin with the value of a slot:
 *   void WALK(set)(state, rank, step, value)               S <- *value + time
 *  WALK_PREFIXES:
 *   void WALK(fill)(state, slot, value)                    as WALK(post)
 *   WALK_VALUE WALK(maximum)(state, a, b)                  max(*a, *b)
 *  WALK_INSTANCES:
 *   void WALK(arrive)(state, rank, instance, value)        a member arrives; the last one lets the
 *                                                          waiting ranks continue
 *   const WALK_VALUE *WALK(instance)(state, instance)      the latest arrival, NULL: some are
 *                                                          missing
 *   void WALK(wait_for_instance)(state, rank, instance)    the rank stops here
 *  WALK_ASSUMPTIONS:
 *   void WALK(assume)(state, rank, step)                   an assumption may change S
 *  WALK_SHARING:
 *   bool WALK(share)(state, rank, step)                    false: the rank stops at this piece
 *
 * Then it includes this file, which makes
 *
 *   bool WALK(step)(WALK_STATE *state, WALK_RANK *rank, const struct step *step)
 *
 * This does one step. False: the rank has to wait; do the step again when it can continue.
 *
 * A prefix reduction of n members has 2 n + 2 slots in a row: an empty prefix, which the first
 * member posts, then for each member its arrival and the maximum of the arrivals up to it, then an
 * arrival that never comes. A member's STEP_POST_SCAN names its arrival. A rank that needs the
 * prefix of a member waits for its slot as for a message. */
#include "equations/walk.h"

#ifdef WALK
#ifdef WALK_TIMES
static inline int64_t WALK(sum)(const WALK_STATE *state, const struct running_rank *rank,
                                const struct step *step)
{
    (void)state;
    return rank->shift + step->time;
}

static inline void WALK(raise)(const WALK_STATE *state, struct running_rank *rank,
                               const struct step *step, const int64_t *value)
{
    (void)state;
    rank->shift = time_max(rank->shift, *value + step->time);
}
#endif

#ifdef WALK_TOGETHER
static inline void WALK(raise)(WALK_STATE *state, const WALK_RANK *rank, const struct step *step,
                               const WALK_VALUE *value)
{
    (void)state, (void)rank, (void)step, (void)value;
}
#endif

#if WALK_STEPS & WALK_PREFIXES
/* A member arrives: posts the prefixes that are complete now. */
static inline void WALK(post_scan)(WALK_STATE *state, uint32_t slot, WALK_VALUE arrival)
{
    WALK(fill)(state, slot, arrival);
    for (;; slot += 2) {
        const WALK_VALUE *own = WALK(slot)(state, slot), *before = WALK(slot)(state, slot - 1);
        if (!own || !before)
            return;
        WALK(fill)(state, slot + 1, WALK(maximum)(state, before, own));
    }
}
#endif

static inline bool WALK(step)(WALK_STATE *state, WALK_RANK *rank, const struct step *step)
{
    const WALK_VALUE *value;
    switch ((enum step_code)step->code) {
#if WALK_STEPS & WALK_SLOTS
    case STEP_POST:
        WALK(post)(state, step, WALK(sum)(state, rank, step));
        return true;
    case STEP_WAIT:
        value = WALK(slot)(state, step->slot);
        if (!value) {
            WALK(wait_for_slot)(state, rank, step->slot);
            return false;
        }
#if WALK_STEPS & WALK_STARTS
        if (step->sets) {
            WALK(set)(state, rank, step, value);
            return true;
        }
#endif
        WALK(raise)(state, rank, step, value);
        return true;
#endif
#if WALK_STEPS & WALK_PREFIXES
    case STEP_POST_SCAN:
        WALK(post_scan)(state, step->slot, WALK(sum)(state, rank, step));
        return true;
#endif
#if WALK_STEPS & WALK_INSTANCES
    case STEP_ARRIVE:
        WALK(arrive)(state, rank, step->slot, WALK(sum)(state, rank, step));
        return true;
    case STEP_AWAIT:
        value = WALK(instance)(state, step->slot);
        if (!value) {
            WALK(wait_for_instance)(state, rank, step->slot);
            return false;
        }
        WALK(raise)(state, rank, step, value);
        return true;
#endif
#if WALK_STEPS & WALK_ASSUMPTIONS
    case STEP_FREE:
        WALK(assume)(state, rank, step);
        return true;
#endif
#if WALK_STEPS & WALK_SHARING
    case STEP_SHARED:
        return WALK(share)(state, rank, step);
#endif
    case STEP_END:
        WALK(end)(state, rank, step);
        return true;
    default:
        return true;
    }
}

#undef WALK
#undef WALK_STATE
#undef WALK_RANK
#undef WALK_VALUE
#undef WALK_STEPS
#undef WALK_TIMES
#undef WALK_TOGETHER
#endif
