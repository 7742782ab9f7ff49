/* JSON, for scripts: everything there is. */
#include "report/json/parts.h"

extern const struct report_format report_json;
const struct report_format report_json = {
    .name = "json",
    .description = "all there is, for scripts (doc/severity-files.md)",
    .write_run = json_run_write,
    .write_replay = json_replay_write,
    .replay_files = {"report.json"},
    .recognises = json_run_recognises,
    .read = json_run_read,
};
