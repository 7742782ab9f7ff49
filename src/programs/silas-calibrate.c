/* silas-calibrate: measures the costs of messages and, if asked, of operations on this machine, and
 * writes them into a machine file for silas-model and silas-predict. */
#include "base/files.h"
#include "base/log.h"
#include "programs/calibrated_hardware.h"
#include "programs/program_main.h"
#include "replay/calibrate/calibrate.h"
#include "replay/calibrate/doubts.h"
#include "replay/calibrate/sharing.h"
#include "report/report_file.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *output_path, *added_path;
static bool with_operations;

static const struct option_spec options[] = {
    {'o', "output", "FILE", "write the machine file to FILE instead of standard output",
     &output_path, NULL},
    {'a', "add", "FILE", "copy the costs that are not measured from the machine file FILE",
     &added_path, NULL},
    {0, "operations", NULL,
     "also measure the costs of operations, files and MPI calls, for silas-predict", NULL,
     &with_operations},
    {0},
};

static const struct program program = {
    .name = "silas-calibrate",
    .summary = "Measures the costs of messages and operations on this machine, for silas-model and "
               "silas-predict.",
    .usage = "mpirun -np 2 silas-calibrate [--operations] [-o machine.ini]\n"
             "mpirun -np 2M silas-calibrate [--operations] [-o machine.ini]",
    .details =
        "On one host it measures each kind of distance between two cores (shared cache, same\n"
        "socket, same node). With the two processes on two hosts, it measures the network. With\n"
        "M pairs of processes it also measures how messages share the links of a node (half of\n"
        "the processes on each of two hosts) or its memory (all on one host). It takes a few\n"
        "seconds, or about ten with --operations. Run nothing else meanwhile.",
    .options = options,
    .least = 0,
    .most = 0,
};

struct machine_file {
    const struct calibration *calibration;
    const struct link_sharing *sharing;
    const struct operation_costs *costs;
    struct machine machine; /* with the distances of --add */
    struct hardware added;  /* the other costs of --add */
};

/* "96 % intervals of 9 rounds in ns: latency 20 .. 25, ...". A ';' would begin a comment. */
static void print_confidence(const struct calibration *calibration, int distance, FILE *file)
{
    const struct estimate *estimates = calibration->estimates[distance];
    fprintf(file, "confidence = %.0f %% intervals of %d rounds in ns: ", 100 * estimates->level,
            calibration->rounds);
    for (int p = 0; p < LOGGPS_PARAMETERS; p++)
        fprintf(file, "%s%s %.4g .. %.4g", p > 0 ? ", " : "", loggps_parameters[p].key,
                1e9 * estimates[p].low, 1e9 * estimates[p].high);
    fprintf(file, ", the fitted model reproduces ping-pongs within %.0f %% (median)\n",
            100 * calibration->misfit[distance]);
}

/* "4 pairs at the same time: 25.1 GB/s (24.9 .. 25.2), one alone: 12.4 GB/s (12.3 .. 12.5)" */
static void print_sharing(const struct link_sharing *sharing, const char *before, FILE *file)
{
    const struct estimate *together = &sharing->together, *alone = &sharing->alone;
    fprintf(file,
            "%s%d pairs of processes %s, at the same time: %.4g GB/s (%.4g .. %.4g), one alone: "
            "%.4g GB/s (%.4g .. %.4g)\n",
            before, sharing->pairs,
            sharing->distance == DISTANCE_NETWORK ? "on two hosts" : "on one host",
            1e-9 * together->median, 1e-9 * together->low, 1e-9 * together->high,
            1e-9 * alone->median, 1e-9 * alone->low, 1e-9 * alone->high);
    if (!sharing_is_limited(sharing))
        fprintf(file, "%sso they do not share a limit; with more pairs they may\n", before);
}

static bool write_machine_file(const void *what, FILE *file)
{
    const struct machine_file *machine_file = what;
    const struct calibration *calibration = machine_file->calibration;
    char host[256] = "", date[64] = "", library[256] = "";
    time_t now = time(NULL);
    gethostname(host, sizeof host - 1);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", localtime(&now));
    processes_mpi_library(library, sizeof library);
    library[strcspn(library, ";")] = '\0'; /* it would begin a comment */
    fprintf(file, "[machine]\nhost = %s\ndate = %s\nmpi = %.200s\n", host, date, library);
    for (int d = 0; d < DISTANCE_COUNT; d++) {
        if (!machine_file->machine.distances[d].known)
            continue;
        machine_print_distance(&machine_file->machine, (enum distance)d, file);
        if (!calibration->machine.distances[d].known)
            continue;
        print_confidence(calibration, d, file);
        char doubts[DOUBTS_MAX][DOUBT_SIZE];
        int count = calibration_doubts(calibration, (enum distance)d, doubts);
        for (int i = 0; i < count; i++)
            fprintf(file, "; doubtful: %s\n", doubts[i]);
    }
    calibrated_hardware_print(machine_file->costs, &machine_file->added, file);
    machine_print_links(&machine_file->machine.links, file);
    if (machine_file->sharing->pairs > 0)
        print_sharing(machine_file->sharing, "; ", file);
    return !ferror(file);
}

static void print_calibration(const struct calibration *calibration)
{
    for (int d = 0; d < DISTANCE_COUNT; d++) {
        const struct estimate *estimates = calibration->estimates[d];
        if (!calibration->machine.distances[d].known)
            continue;
        printf("%s: %d rounds, intervals of %.0f %%\n", distance_names[d], calibration->rounds,
               100 * estimates->level);
        for (int p = 0; p < LOGGPS_PARAMETERS; p++)
            printf("  %-20s %10.4g ns  (%.4g .. %.4g)\n", loggps_parameters[p].key,
                   1e9 * estimates[p].median, 1e9 * estimates[p].low, 1e9 * estimates[p].high);
        uint64_t limit = calibration->machine.distances[d].synchronous_from;
        if (limit == UINT64_MAX)
            printf("  no message was synchronous\n");
        else
            printf("  synchronous from       %8llu bytes\n", (unsigned long long)limit);
        printf("  the fitted model reproduces ping-pongs within %.0f %% (median)\n",
               100 * calibration->misfit[d]);
    }
}

/* Doubtful figures are not an error, but deserve a warning. */
static void warn_of_doubts(const struct calibration *calibration)
{
    char doubts[DOUBTS_MAX][DOUBT_SIZE];
    for (int d = 0; d < DISTANCE_COUNT; d++) {
        int count = calibration->machine.distances[d].known
                        ? calibration_doubts(calibration, (enum distance)d, doubts)
                        : 0;
        for (int i = 0; i < count; i++)
            log_warning("at the distance \"%s\" %s", distance_names[d], doubts[i]);
    }
}

/* The directory of the output, in which the costs of files are measured. */
static void output_folder(char *path, size_t size)
{
    const char *slash = output_path ? strrchr(output_path, '/') : NULL;
    if (!slash)
        snprintf(path, size, ".");
    else
        snprintf(path, size, "%.*s", slash == output_path ? 1 : (int)(slash - output_path),
                 output_path);
}

/* What the options name, before anything is measured: the file of --add, and whether the output can
 * be written into its folder. */
static enum status check_calibration_files(const char *folder, struct hardware *added,
                                           struct error *error)
{
    const enum status status =
        added_path ? hardware_load_known(added_path, added, error) : STATUS_OK;
    if (status == STATUS_OK && output_path && !files_is_special(output_path) &&
        access(folder, W_OK | X_OK) != 0)
        return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", output_path,
                         strerror(errno));
    return status;
}

/* The distances that were not measured, and the links. */
static void add_unmeasured_costs(struct machine_file *machine_file)
{
    const struct machine *added = &machine_file->added.machine;
    for (int d = 0; d < DISTANCE_COUNT; d++)
        if (!machine_file->machine.distances[d].known)
            machine_file->machine.distances[d] = added->distances[d];
    machine_file->machine.links = added->links;
}

/* On process 0. */
static enum status conclude_calibration(const struct calibration *calibration,
                                        const struct link_sharing *sharing,
                                        const struct operation_costs *costs,
                                        const struct hardware *added, const char *folder,
                                        struct error *error)
{
    struct machine_file machine_file = {calibration, sharing, costs, calibration->machine, *added};
    if (added_path)
        add_unmeasured_costs(&machine_file);
    sharing_apply(sharing, &machine_file.machine.links);
    const enum status status =
        report_file_write(output_path, write_machine_file, &machine_file, error);
    if (status != STATUS_OK)
        return status;
    if (output_path) {
        print_calibration(calibration);
        if (sharing->pairs > 0)
            print_sharing(sharing, "", stdout);
        if (with_operations)
            calibrated_hardware_summary(costs);
        printf("written: %s\n", output_path);
    }
    warn_of_doubts(calibration);
    if (with_operations)
        calibrated_hardware_warn(costs, folder);
    return STATUS_OK;
}

/* Collective. The costs of messages, between process 0 and another one; the others wait. */
static enum status calibrate_pair(const struct processes *processes,
                                  struct calibration *calibration, struct error *error)
{
    const int partner = sharing_partner(processes);
    const bool measures = processes->rank == 0 || processes->rank == partner;
    struct processes pair;
    enum status status = processes_open_part(processes, measures ? 0 : -1, &pair, error);
    if (measures && status == STATUS_OK) {
        status = calibrate(&pair, calibration, error);
        processes_close(&pair);
    }
    return processes_agree(processes, status, error);
}

static enum status run_calibrate(char **operands, struct processes *processes, struct error *error)
{
    (void)operands;
    static struct calibration calibration;
    static struct operation_costs costs;
    struct link_sharing sharing = {0};
    struct hardware added = {.ranks_per_node = UINT32_MAX};
    char folder[PATH_MAX];
    enum status status = STATUS_OK;
    if (processes->size % 2 != 0)
        return error_set(error, STATUS_USAGE,
                         "a calibration needs two processes, or more pairs of them, not %d: mpirun "
                         "-np 2 silas-calibrate",
                         processes->size);
    output_folder(folder, sizeof folder);
    if (processes->rank == 0)
        status = check_calibration_files(folder, &added, error);
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK && processes->size > 2)
        status = sharing_measure(processes, &sharing, error);
    status = status ?: calibrate_pair(processes, &calibration, error);
    if (status == STATUS_OK && with_operations)
        status = measure_operations(processes, folder, &costs, error);
    if (status == STATUS_OK && processes->rank == 0)
        status = conclude_calibration(&calibration, &sharing, &costs, &added, folder, error);
    return processes_agree(processes, status, error);
}

int main(int argc, char **argv)
{
    return program_main_parallel(
        &(struct program_main){
            .program = &program, .run = run_calibrate, .measures = true, .needs_mpi = true},
        argc, argv);
}
