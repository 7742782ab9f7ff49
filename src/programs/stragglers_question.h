/* What slow ranks, slow iterations and noise cost (doc/model.md). */
#ifndef PROGRAMS_STRAGGLERS_QUESTION_H
#define PROGRAMS_STRAGGLERS_QUESTION_H

#include "programs/asked_trace.h"

/* Collective. Prints T without variation of computation times, and what explains the
 * differences. */
enum status stragglers_question_answer(const struct asked_trace *asked, struct error *error);

#endif
