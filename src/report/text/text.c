/* Text, for people. */
#include "report/text/parts.h"

extern const struct report_format report_text;
const struct report_format report_text = {
    .name = "text",
    .description = "sums over all ranks, and where the longest waits are",
    .write_run = text_run_write,
    .write_comparison = text_changes_write,
    .write_replay = text_replay_write,
    .replay_files = {"report.txt"},
};
