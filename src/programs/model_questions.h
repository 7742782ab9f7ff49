/* Questions that silas-model answers instead of writing a report. */
#ifndef PROGRAMS_MODEL_QUESTIONS_H
#define PROGRAMS_MODEL_QUESTIONS_H

#include "job/question.h"
#include "replay/engine.h"
#include "replay/model/model.h"

struct model_questions {
    bool domino;         /* the domino path */
    double least_wait_s; /* its shortest waits; < 0: all waits that the trace has exactly */
    bool bounds;         /* upper bounds for the waits of each call path and for balanced regions */
    bool latency;        /* T as a function of the latency */
};

/* Collective. Prints the answers for the first trace of the configuration, changed by its
 * hypotheses, and by `question`. `engine` has equations. The only file that it
 * writes is the time line, if the configuration has `timeline = yes` and `domino` is set. */
enum status model_questions_run(const char *config_path, const struct question *question,
                                const struct engine *engine,
                                const struct model_questions *questions,
                                struct processes *processes, struct error *error);

/* Prints how T depends on the latency (latency_question.c). On process 0 alone; the model was
 * prepared with options.parametric. */
enum status latency_question_answer(const struct model *model, struct error *error);

#endif
