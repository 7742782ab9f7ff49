/* Every family of patterns; a new one is one line here (and its metrics in severity/metric_list.h).
 */
#include "patterns/pattern.h"

#define PATTERNS(X)      \
    X(volume)            \
    X(late_sender)       \
    X(wrong_order)       \
    X(late_receiver)     \
    X(barrier)           \
    X(all_to_all)        \
    X(late_broadcast)    \
    X(early_reduce)      \
    X(early_scan)        \
    X(begin_and_end)     \
    X(one_sided_volume)  \
    X(wait_at_create)    \
    X(wait_at_free)      \
    X(wait_at_fence)     \
    X(late_post)         \
    X(early_wait)        \
    X(lock_competition)  \
    X(wait_for_progress) \
    X(clock_violations)  \
    X(delay_costs)       \
    X(propagation)       \
    X(critical_path)     \
    X(imbalance)         \
    X(folded)

#define X(family) extern const struct pattern family##_pattern;
PATTERNS(X)
#undef X

const struct pattern *const pattern_list[] = {
#define X(family) &family##_pattern,
    PATTERNS(X)
#undef X
        NULL};
