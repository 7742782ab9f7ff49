/* The kinds of hypotheses, one per file; hypothesis_list.c has their order. */
#ifndef TRANSFORM_KINDS_H
#define TRANSFORM_KINDS_H

#include "transform/hypothesis.h"

extern const struct hypothesis_kind hypothesis_scale, hypothesis_balance, hypothesis_cut;
extern const struct hypothesis_kind hypothesis_cpu, hypothesis_replace, hypothesis_resize;
extern const struct hypothesis_kind hypothesis_split, hypothesis_nonblocking, hypothesis_remap;
extern const struct hypothesis_kind hypothesis_network, hypothesis_mapping, hypothesis_collectives;
extern const struct hypothesis_kind hypothesis_template; /* not in the list */

#endif
