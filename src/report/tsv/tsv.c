/* Tab-separated values, for scripts and spreadsheets. */
#include "report/tsv/parts.h"

extern const struct report_format report_tsv;
const struct report_format report_tsv = {
    .name = "tsv",
    .description = "metric, call path, rank.thread, value; a line each",
    .write_run = tsv_run_write,
    .write_replay = tsv_difference_write,
    .replay_files = {"difference.tsv"},
    .recognises = tsv_run_recognises,
    .read = tsv_run_read,
};
