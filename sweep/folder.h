/* The folder of a sweep, which holds its whole state, so any run or job can be killed at any time
 * and the sweep goes on from there:
 *
 *   sweep.ini             the file as it was given, with paths made absolute and braces
 *   parts.json            how the work is split into jobs
 *   part-NN.lock          locked while somebody works on the part
 *   part-NN.journal       complete rounds of the part (rounds.h)
 *   runs/NAME/model.json  what the model says of a run, if the best are to be replayed
 *   runs/NAME/config.ini  repeats the run
 *   runs/NAME/report/     its report
 *   runs/NAME/result.json done or failed (result.h)
 *   sweep.sbatch, job     the script and the ids of jobs, if a queue runs it (queue/queue.h)
 *   result.{json,csv,html}
 */
#ifndef SWEEP_FOLDER_H
#define SWEEP_FOLDER_H

#include "sweep/result.h"
#include "sweep/sweep.h"

/* A part of a sweep is what one job does: runs with the same base, which are interleaved. */
struct sweep_part {
    size_t base;
    bool replays; /* else it computes */
    size_t *runs; /* in order of the sweep's runs */
    size_t run_count;
    uint32_t ranks;    /* processes that the job needs; 1 if it computes */
    double expected_s; /* how long, from T, the rounds, and the model's savings where known */
};

struct sweep_folder {
    struct sweep *sweep;
    char *path;                 /* absolute */
    struct run_result *results; /* [run], as found when the folder was read */
    struct sweep_part *parts;   /* as last split; one for each base if never */
    size_t part_count;
};

/* Makes the folder with the runs' configurations. Fails with STATUS_INPUT if it exists and
 * `overwrite` is false, or is not a sweep's. */
enum status sweep_folder_create(const char *path, struct sweep *sweep, bool overwrite,
                                struct error *error);
/* Reads it. Free it with sweep_folder_close. */
enum status sweep_folder_open(const char *path, struct sweep_folder **folder, struct error *error);
void sweep_folder_close(struct sweep_folder *folder); /* NULL is allowed */

/* Splits the open runs into parts none of which is expected to take longer than `longest_s` (0: no
 * limit), and writes parts.json. A run that alone takes longer is a part of its own. */
enum status sweep_folder_split(struct sweep_folder *folder, double longest_s, struct error *error);

/* The path of a run's own folder; the caller frees it. NULL when memory is out. */
char *sweep_folder_of_run(const struct sweep_folder *folder, size_t run);

#endif
