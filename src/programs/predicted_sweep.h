/* Sweeps of predictions in silas-sweep. */
#ifndef PROGRAMS_PREDICTED_SWEEP_H
#define PROGRAMS_PREDICTED_SWEEP_H

#include "sweep/predicted/predicted.h"

struct prediction_output {
    const char *format; /* of standard output: text, json, csv, html */
    const char *folder; /* for result.html, result.json and result.csv */
    bool overwrite;     /* the folder may exist */
    bool dry_run;       /* only print how many predictions there are */
};

/* Collective. Predicts, prints the results, and writes them to the folder. Process 0 has read `ini`
 * from `path` and `sets`, with the result `status`; the others read it again. Takes over `ini`. */
enum status predicted_sweep_main(struct ini *ini, const char *path, const char *const *sets,
                                 enum status status, const struct prediction_output *output,
                                 struct processes *processes, struct error *error);

#endif
