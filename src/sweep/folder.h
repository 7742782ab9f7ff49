/* The folder of a sweep. It holds the whole state, so a sweep can be killed at any time and goes on
 * from there:
 *
 *   sweep.ini                   the file, with --set and absolute paths
 *   parts.json                  how the work is split into jobs
 *   part-NN.lock                locked while somebody works on the part
 *   part-NN.journal             complete rounds of the part (journal.h)
 *   runs/NAME/config.ini        repeats the run
 *   runs/NAME/model/result.json what the model says of it, if the best runs are to be replayed
 *   runs/NAME/result.json       done or failed (result.h)
 *   runs/NAME/report/           its report
 *   result.json, .csv, .html    the table (table.h)
 *
 * A queue keeps its script and the ids of its jobs there, too (queue/queue.h). */
#ifndef SWEEP_FOLDER_H
#define SWEEP_FOLDER_H

#include "sweep/result.h"
#include "sweep/sweep.h"

#include <stdint.h>

/* A part of a sweep is what one job does: runs with the same base. */
struct sweep_part {
    size_t base;
    bool replays; /* real-time, all runs interleaved; else they are computed */
    size_t *runs; /* numbers of the sweep's runs */
    size_t run_count;
    uint32_t ranks;    /* processes that the job needs; 1 if it computes */
    double expected_s; /* how long it takes: all rounds, start and tuning; 0: unknown */
};

struct sweep_folder {
    struct sweep *sweep;
    char *path;                 /* absolute */
    struct run_result *results; /* [run], as they were when last read */
    struct run_result *models;  /* [run]: what the model says; all zero if it was not asked */
    struct sweep_part *parts;
    size_t part_count;
};

/* Makes the folder with the runs' configurations. Fails with STATUS_INPUT if it exists and
 * `overwrite` is false, or if it is not a sweep's. */
enum status sweep_folder_create(const char *path, const struct sweep *sweep, bool overwrite,
                                struct error *error);

/* Reads it, also its parts if there are any. Free it with sweep_folder_close. */
enum status sweep_folder_open(const char *path, struct sweep_folder **folder, struct error *error);
void sweep_folder_close(struct sweep_folder *folder); /* NULL is allowed */

/* Reads the results again, which other processes may have written meanwhile. */
enum status sweep_folder_refresh(struct sweep_folder *folder, struct error *error);

/* The path of something in the folder; the caller frees it. NULL when memory is out. */
char *sweep_folder_path(const struct sweep_folder *folder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The rounds of replays: as the file says, or as many as significance needs (paired.h). */
size_t sweep_folder_rounds(const struct sweep_folder *folder);

#endif
