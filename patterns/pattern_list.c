/* Every family of patterns; a new one is one line here (and its metrics in severity/metric_list.h).
 */
#include "base/descriptors.h"
#include "patterns/pattern.h"

#include <stdlib.h>

#define PATTERNS(X)      \
    X(volume)            \
    X(late_sender)       \
    X(wrong_order)       \
    X(probe_wait)        \
    X(posix_wait)        \
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
    X(thread_wait)       \
    X(clock_violations)  \
    X(delay_costs)       \
    X(propagation)       \
    X(critical_path)     \
    X(imbalance)         \
    X(folded)

#define X(family) extern const struct pattern family##_pattern;
PATTERNS(X)
#undef X

static const struct pattern *const built_in[] = {
#define X(family) &family##_pattern,
    PATTERNS(X)
#undef X
        NULL};

static const struct pattern **extended; /* NULL: no plug-in has added a family */

const struct pattern *const *pattern_list(void)
{
    return extended ? (const struct pattern *const *)extended : built_in;
}

bool pattern_list_add(const struct pattern *pattern)
{
    const struct pattern **longer = descriptors_with(pattern_list(), pattern, 0);
    if (!longer)
        return false;
    free(extended);
    extended = longer;
    return true;
}
