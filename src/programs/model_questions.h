/* Questions that silas-model answers instead of writing a report. */
#ifndef PROGRAMS_MODEL_QUESTIONS_H
#define PROGRAMS_MODEL_QUESTIONS_H

#include "job/question.h"
#include "job/replay_config.h"
#include "job/timeline_output.h"
#include "replay/engine.h"
#include "replay/model/model.h"

struct model_questions {
    bool domino;         /* the domino paths */
    bool repeats;        /* ... and, after these are removed, the next ones, and so on */
    bool json;           /* ... as a JSON document, which is all that is printed */
    const char *saved;   /* file for the configuration with their waits removed; NULL: none */
    double least_wait_s; /* its shortest waits; < 0: all waits that the trace has exactly */
    bool bounds;         /* upper bounds for the waits of each call path and for balanced regions */
    bool latency;        /* T as a function of the latency */
    bool stragglers;     /* T without differences between ranks and iterations, and without noise */
};

/* Collective. Prints the answers for the first trace of the configuration, changed by its
 * hypotheses, and by `question`. `engine` has equations. The only file that it
 * writes is the time line, if the configuration has `timeline = yes` and `domino` is set. */
enum status model_questions_run(const char *config_path, const struct question *question,
                                const struct engine *engine,
                                const struct model_questions *questions,
                                struct processes *processes, struct error *error);

/* Collective. Prints the domino paths (domino_question.c), and saves their waits. */
enum status domino_question_answer(struct modelled_trace *modelled,
                                   const struct replay_config *config,
                                   const struct model_questions *questions, struct error *error);

/* Print on process 0: "   12.34 %", by how much of the T with all waits `after` is smaller than
 * `before`; and a time. */
void question_print_gain(const struct modelled_trace *modelled, int64_t before, int64_t after);
void question_print_ticks(const struct modelled_trace *modelled, int64_t ticks);

/* Prints how T depends on the latency (latency_question.c). On process 0 alone; the model was
 * prepared with options.parametric. */
enum status latency_question_answer(const struct model *model, struct error *error);

#endif
