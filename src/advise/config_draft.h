/* A first configuration for a trace (silas-init): it names the trace, lists where the time goes,
 * and proposes hypotheses, each with the T that the model predicts for it. The hypotheses are
 * commented out. */
#ifndef ADVICE_CONFIG_DRAFT_H
#define ADVICE_CONFIG_DRAFT_H

#include "job/replay_session.h"

#include <stdio.h>

enum { DRAFT_REGIONS = 5 }; /* at most, in each table */

struct config_draft;

/* Collective. Gathers what config_draft_write writes. `base` is open, without hypotheses, and its
 * engine is the model. The result does not depend on the number of processes. The caller frees the
 * draft with config_draft_destroy; after a failure there is nothing to free. */
enum status config_draft_make(const struct replay_session *base, struct config_draft **draft,
                              struct error *error);
void config_draft_destroy(struct config_draft *draft); /* NULL is allowed */

/* The number of hypotheses that config_draft_write writes. */
size_t config_draft_count(const struct config_draft *draft);

/* Returns the change that saves most time by the model ("solve twice as fast"), and writes its
 * saving, a fraction of T, to `saving`. NULL if no hypothesis saves time, or the model cannot
 * predict the program. The draft owns the text. */
const char *config_draft_best(const struct config_draft *draft, double *saving);

/* Not collective, for process 0. Returns false when out of memory; the caller checks the stream for
 * errors of writing. */
bool config_draft_write(const struct config_draft *draft, FILE *stream);

#endif
