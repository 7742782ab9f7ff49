/* Every kind of hypothesis, by the name of its section. To add one: copy hypothesis_template.c,
 * declare it in kinds.h and name it here. */
#include "transform/kinds.h"

const struct hypothesis_kind *const hypothesis_list[] = {
    &hypothesis_scale,
    &hypothesis_balance,
    &hypothesis_cut,
    &hypothesis_replace,
    &hypothesis_resize,
    &hypothesis_split,
    &hypothesis_nonblocking,
    &hypothesis_cpu,
    &hypothesis_remap,
    &hypothesis_network,
    &hypothesis_mapping,
    &hypothesis_collectives,
    NULL,
};
