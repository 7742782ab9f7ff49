/* Questions that only silas-model answers, instead of a report. */
#ifndef PROGRAMS_MODEL_QUESTIONS_H
#define PROGRAMS_MODEL_QUESTIONS_H

#include "replay/engine.h"

struct model_questions {
    bool domino;  /* the domino path */
    bool bounds;  /* upper bounds for the waits of each call path and for balanced regions */
    bool latency; /* T as a function of the latency */
};

/* Collective. About the first trace of the configuration, as its hypotheses have changed it.
 * `engine` has equations. Printed to standard output; nothing is written. */
enum status model_questions_run(const char *config_path, const struct engine *engine,
                                const struct model_questions *questions,
                                struct processes *processes, struct error *error);

#endif
