/* The script of all jobs of a sweep. Users may read it, change it, and submit it by hand. */
#ifndef SWEEP_QUEUE_SCRIPT_H
#define SWEEP_QUEUE_SCRIPT_H

#include "base/array.h"
#include "sweep/queue/shape.h"

#include <stdio.h>

/* One submission: parts of one shape. Element i of an array works on the part with number
 * `offset` + i. */
struct submission {
    const struct shape *shape;
    size_t *parts; /* ascending */
    size_t part_count;
    size_t offset; /* 0, unless the numbers of the parts are too large for an array */
    bool array;
};

struct submissions {
    struct submission *items;
    size_t count;
};

/* Groups parts by shape, and into arrays whose indices are below `array_size`. For an array size
 * below 2, or a sweep of one part, each part is submitted alone. `wanted`: [part]; NULL: all parts.
 * After a failure there is nothing to free. */
enum status submissions_plan(const struct shapes *shapes, const bool *wanted, size_t array_size,
                             struct submissions *submissions, struct error *error);
void submissions_clear(struct submissions *submissions);

/* Writes the script; `plan` has all parts. Options of sbatch that are the same for all parts are in
 * its head, the others are given on the command line. `options`: as in queue.h. */
enum status script_write(const struct sweep_folder *folder, const struct queue_launcher *launcher,
                         const struct shapes *shapes, const struct submissions *plan,
                         const char *const *options, FILE *stream, struct error *error);

/* Appends the options of sbatch for one submission that are not in the head, each after a blank.
 * `after`: the job that must end first; NULL: none. */
enum status script_options(const struct queue_launcher *launcher, const struct shapes *shapes,
                           const struct submission *submission, const char *after,
                           struct bytes *line, struct error *error);

/* Options of sbatch that the sweep sets. */
enum script_option {
    OPTION_TIME,
    OPTION_NODES,
    OPTION_NTASKS,
    OPTION_PER_NODE,
    OPTION_REQUEUE,
    SCRIPT_OPTIONS
};
const char *script_option_name(enum script_option option);
/* The value for parts of this shape, "" for an option without one. [slurm] takes precedence. False
 * if the option is not given. */
bool script_option_value(const struct queue_launcher *launcher, const struct shape *shape,
                         enum script_option option, char *value, size_t size);
/* Appends "--name=value", or "--name", as words of a shell. False when out of memory. */
bool script_put_option(struct bytes *line, const char *name, const char *value);

/* How many jobs of one array may run at a time; 0: any number. */
size_t script_throttle(const struct queue_launcher *launcher, const struct shape *shape);

#endif
