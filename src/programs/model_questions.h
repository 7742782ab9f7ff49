/* Questions that only silas-model answers, instead of a report. */
#ifndef PROGRAMS_MODEL_QUESTIONS_H
#define PROGRAMS_MODEL_QUESTIONS_H

#include "base/mpi/processes.h"

/* Collective. About the first trace of the configuration, as its hypotheses have changed it: the
 * domino path, or upper bounds for the waits of each call path and for balanced regions. Printed to
 * standard output; nothing is written. */
enum status model_questions_run(const char *config_path, bool domino, bool bounds,
                                struct processes *processes, struct error *error);

#endif
