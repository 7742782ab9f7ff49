/* Packs the equations of a trace for a page (program.h). */
#ifndef LIVE_PACK_H
#define LIVE_PACK_H

#include "replay/model/model.h"

/* Collective. Packs the trace that a model was prepared for, without the model of another trace
 * (engine_setup.original). `*data` has `*size` bytes on process 0, which frees them. If a page
 * cannot compute the trace, `*why` is the reason on all processes, and there are no data; else
 * NULL. */
enum status live_pack(const struct model *model, char **data, size_t *size, const char **why,
                      struct error *error);

#endif
