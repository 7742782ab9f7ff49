/* The folder of a sweep. It holds the whole state, so a sweep that was killed is resumed from
 * there:
 *
 *   sweep.ini                   the file, changed by --set, with absolute paths
 *   parts.json                  how the runs are split into jobs (split.h)
 *   part-NN.lock                locked while a process works on the part
 *   part-NN.journal             complete rounds of the part (journal.h)
 *   runs/NAME/config.ini        the configuration that repeats the run
 *   runs/NAME/model/result.json the model's result, if only the best runs are to be replayed
 *   runs/NAME/result.json       the result, once the run is done or has failed (result.h)
 *   runs/NAME/report/           its report
 *   result.json, .csv, .html    the table (table.h)
 *   replaced/                   the former sweep that --overwrite replaces, until this one has a
 *                               result or jobs in a queue
 *
 * A queue keeps its script and the ids of its jobs there, too (queue/queue.h). */
#ifndef SWEEP_FOLDER_H
#define SWEEP_FOLDER_H

#include "sweep/result.h"
#include "sweep/sweep.h"

#include <limits.h>
#include <stdint.h>

/* A part of a sweep is the work of one job: runs with the same base. */
struct sweep_part {
    size_t base;
    bool replays; /* by real-time replays in common rounds; otherwise by the model */
    size_t *runs; /* numbers of the sweep's runs */
    size_t run_count;
    uint32_t ranks;    /* processes that the job needs; 1 by the model */
    double expected_s; /* expected duration: start, trials and all rounds; 0: unknown */
};

struct sweep_folder {
    struct sweep_plan *sweep;
    char *path;                 /* absolute */
    struct run_result *results; /* [run], as they were when last read */
    struct run_result *models;  /* [run]: the model's results; all zero if it was not asked */
    struct sweep_part *parts;
    size_t part_count;
};

/* Makes the folder with the runs' configurations. Fails with STATUS_INPUT if it exists and
 * `overwrite` is false, or if it is not the folder of a sweep. A former sweep that is overwritten
 * is kept inside the new folder until sweep_folder_settle. */
enum status sweep_folder_create(const char *path, const struct sweep_plan *sweep, bool overwrite,
                                struct error *error);

/* Decides what becomes of a former sweep that this one was to replace. It is removed if this sweep
 * has a result or has submitted jobs (`submitted`). Otherwise this sweep has failed before it did
 * anything: the former sweep gets its place back, and true is returned. Without a former sweep
 * nothing happens. */
bool sweep_folder_settle(const struct sweep_folder *folder, bool submitted);

/* Whether there is something that "resume" would not do again: a run has ended, at least by the
 * model, or the runs are split into parts. */
bool sweep_folder_has_begun(const struct sweep_folder *folder);

/* Reads the folder, with its parts if there are any. The caller frees it with sweep_folder_close.
 */
enum status sweep_folder_open(const char *path, struct sweep_folder **folder, struct error *error);
void sweep_folder_close(struct sweep_folder *folder); /* NULL is allowed */

/* Reads the results again, which other processes may have written meanwhile. */
enum status sweep_folder_refresh(struct sweep_folder *folder, struct error *error);

struct folder_path {
    char text[PATH_MAX];
};

/* The path of something in the folder. sweep_folder_create and sweep_folder_open have checked that
 * all of them fit. */
struct folder_path sweep_folder_path(const struct sweep_folder *folder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* True if the folder holds a file or folder of this name. */
bool sweep_folder_has(const struct sweep_folder *folder, const char *name);

/* The number of rounds of replays: as the file says, or as many as significance needs (paired.h).
 */
size_t sweep_folder_rounds(const struct sweep_folder *folder);

/* True if runs whose savings are precise enough get fewer rounds (rounds.h): the file does not say
 * how many. */
bool sweep_folder_may_stop(const struct sweep_folder *folder);

#endif
