/* silas-model --latency: how T depends on the latency. */
#ifndef PROGRAMS_LATENCY_QUESTION_H
#define PROGRAMS_LATENCY_QUESTION_H

#include "replay/model/model.h"

/* Prints the answer. On process 0 alone; the model was prepared with options.parametric. */
enum status latency_question_answer(const struct model *model, struct error *error);

#endif
