#ifndef PATTERNS_EPOCH_PARTNERS_H
#define PATTERNS_EPOCH_PARTNERS_H

#include "patterns/epochs.h"

/* Collective. Fills `partners` and `last_access` of the swept ranks' epochs. */
enum status epoch_partners_exchange(const struct trace *trace, const struct search_rank *ranks,
                                    struct error *error);

#endif
