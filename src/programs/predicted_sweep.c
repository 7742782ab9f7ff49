#include "programs/predicted_sweep.h"

#include "base/files.h"
#include "report/report_file.h"
#include "sweep/sweep.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *name;
    report_writer *write;
    bool kept; /* in the folder */
} formats[] = {{"text", predicted_write_text, false},
               {"json", predicted_write_json, true},
               {"csv", predicted_write_csv, true},
               {"html", predicted_write_page, true}};

enum { FORMATS = sizeof formats / sizeof *formats };

/* Process 0, before the predictions. */
static enum status check_folder(const struct prediction_output *output, struct error *error)
{
    if (output->dry_run || output->overwrite || access(output->folder, F_OK) != 0)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s exists: name another folder with --output, or replace its results with "
                     "--overwrite",
                     output->folder);
}

/* Process 0. */
static enum status write_results(const struct predicted_sweep *sweep,
                                 const struct prediction_output *output, struct error *error)
{
    bool made = mkdir(output->folder, 0777) == 0;
    enum status status = STATUS_OK;
    if (!made && errno != EEXIST)
        return error_set(error, STATUS_ENVIRONMENT, "%s cannot be made: %s", output->folder,
                         strerror(errno));
    for (size_t f = 0; f < FORMATS && status == STATUS_OK; f++) {
        char path[PATH_MAX + 16];
        snprintf(path, sizeof path, "%s/result.%s", output->folder, formats[f].name);
        if (formats[f].kept)
            status = report_file_write(path, formats[f].write, sweep, error);
    }
    if (status != STATUS_OK && made)
        files_remove_tree(output->folder);
    for (size_t f = 0; f < FORMATS && status == STATUS_OK; f++)
        if (strcmp(formats[f].name, output->format) == 0)
            status = report_file_write(NULL, formats[f].write, sweep, error);
    return status;
}

/* Process 0. */
static void print_plan(const struct predicted_sweep *sweep)
{
    printf("%zu predictions\n", sweep->point_count);
    for (size_t a = 0; a < sweep->axis_count; a++)
        printf("  %-12s %zu\n", sweep->axes[a].name, sweep->axes[a].count);
}

enum status predicted_sweep_main(struct ini *ini, const char *path, const char *const *sets,
                                 enum status status, const struct prediction_output *output,
                                 struct processes *processes, struct error *error)
{
    struct predicted_sweep *sweep = NULL;
    if (processes->rank == 0)
        status = status ?: check_folder(output, error);
    else if (strcmp(path, "-") == 0)
        status = error_set(error, STATUS_USAGE,
                           "standard input is read by one process only: name a file");
    else
        status = status ?: sweep_read_file(path, sets, &ini, error);
    if (status == STATUS_OK)
        status = predicted_sweep_load(ini, &sweep, error);
    else
        ini_destroy(ini);
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK && output->dry_run && processes->rank == 0)
        print_plan(sweep);
    if (status == STATUS_OK && !output->dry_run) {
        status = predicted_sweep_run(sweep, processes, error);
        if (status == STATUS_OK && processes->rank == 0)
            status = write_results(sweep, output, error);
        status = processes_agree(processes, status, error);
    }
    predicted_sweep_destroy(sweep);
    return status;
}
