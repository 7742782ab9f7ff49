/* A configuration to begin with: what the recording is, where its time goes, and hypotheses that
 * are switched off, each with what it would bring. */
#ifndef ADVICE_START_H
#define ADVICE_START_H

#include "job/replay_session.h"

#include <stdio.h>

enum { START_REGIONS = 5 }; /* of each table */

struct start;

/* Collective. Finds what start_write writes. `base` is open, without hypotheses, and its engine is
 * the model. The result does not depend on the number of processes. Free it with start_destroy. */
enum status start_find(const struct replay_session *base, struct start **start,
                       struct error *error);
void start_destroy(struct start *start); /* NULL is allowed */

/* Not collective, for process 0. False when memory is out; errors of writing are found by ferror.
 */
bool start_write(const struct start *start, FILE *stream);

#endif
