/* How many processes a program forks that no launcher has started. */
#ifndef PROGRAMS_LOCAL_JOBS_H
#define PROGRAMS_LOCAL_JOBS_H

#include "base/options.h"

/* The row for --jobs in a program's table, and its argument. */
extern const char *local_jobs_text;
#define JOBS_OPTION                                                              \
    {                                                                            \
        'j', "jobs", "N",                                                        \
            "without a launcher: use N processes (default: one per core, fewer " \
            "for small traces)",                                                 \
            &local_jobs_text, NULL                                               \
    }

/* Checks the argument of --jobs. Returns 0, or the exit code of a usage error. */
int local_jobs_check(const struct program *program);

/* N of --jobs or of the environment variable SILAS_JOBS; otherwise one process for each core, but
 * not more than one for each 4 MB of the traces that are named. */
int local_jobs(char **operands);

/* The same for programs that predict: operands may be configurations, and one process takes 1 MB.
 */
int local_jobs_of_question(char **operands);

#endif
