#include "targets.h"

#include "base/files.h"
#include "job/replay_config.h"
#include "trace/folded/loops.h"
#include "patterns/search.h"
#include "predict/evaluate.h"
#include "predict/hardware.h"
#include "replay/costs/machine.h"
#include "report/format.h"
#include "results/gate.h"
#include "results/report_json.h"
#include "exchange/schedules/read.h"
#include "severity/severity.h"
#include "sweep/result.h"
#include "sweep/predicted/predicted.h"
#include "sweep/sweep.h"
#include "tests/trace/text_trace.h"
#include "trace/deadlock/preflight.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

/* Lines of a text trace that spoil its archive; they are comments there:
 *   # flip FILE OFFSET BITS     XOR of one byte; an offset behind the end starts again at 0
 *   # cut FILE LENGTH
 *   # fold                      reads a file of folded loops in its place */
static void spoil(const char *line, const char *directory)
{
    char name[32], path[128];
    long offset;
    unsigned bits = 0;
    bool flip = sscanf(line, "# flip %31s %ld %u", name, &offset, &bits) == 3;
    bool cut = !flip && sscanf(line, "# cut %31s %ld", name, &offset) == 2;
    if ((!flip && !cut) || strstr(name, "..") || offset < 0)
        return;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (cut && truncate(path, offset < 1 << 20 ? offset : 1 << 20) != 0)
        return;
    FILE *file = flip ? fopen(path, "r+") : NULL;
    if (!file)
        return;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    offset = size > 0 ? offset % size : 0;
    int byte = fseek(file, offset, SEEK_SET) == 0 ? fgetc(file) : EOF;
    if (byte != EOF && fseek(file, offset, SEEK_SET) == 0)
        fputc(byte ^ (int)(bits & 255), file);
    fclose(file);
}

/* Each rank has two files. More ranks take long and show nothing new about damaged records. */
enum { MOST_RANKS = 16 };

/* Returns whether the trace shall be folded. */
static bool spoil_all(const char *spec, const char *directory)
{
    char line[512];
    bool fold = false;
    FILE *file = fopen(spec, "r");
    while (file && fgets(line, sizeof line, file)) {
        spoil(line, directory);
        fold |= strncmp(line, "# fold", 6) == 0;
    }
    if (file)
        fclose(file);
    return fold;
}

static enum status read_whole(const char *path, struct processes *processes, bool search,
                              struct trace **trace, struct error *error)
{
    struct severity *severity = NULL;
    enum status status = trace_load(path, processes, trace, error);
    if (status != STATUS_OK || !search)
        return status;
    status = trace_match(*trace, error);
    if (status == STATUS_OK)
        status = trace_preflight(*trace, error);
    if (status == STATUS_OK)
        status = pattern_search(*trace, &severity, error);
    severity_destroy(severity);
    return status;
}

static enum status archive(const char *path, struct processes *processes, struct error *error)
{
    char directory[96], folded[96];
    struct trace *trace = NULL, *again = NULL;
    FILE *spec = fopen(path, "r");
    snprintf(directory, sizeof directory, "%s/archive", folder);
    snprintf(folded, sizeof folded, "%s/folded", folder);
    bool written = spec && text_trace_write_some(spec, directory, MOST_RANKS);
    if (spec)
        fclose(spec);
    if (!written)
        return STATUS_OK;
    bool fold = spoil_all(path, directory);
    enum status status = read_whole(directory, processes, !fold, &trace, error);
    if (status == STATUS_OK && fold) {
        struct loops_outcome outcome;
        status = loops_write(trace, folded, &(struct loops_options){0}, &outcome, error);
        spoil_all(path, folded);
        if (status == STATUS_OK)
            status = read_whole(folded, processes, true, &again, error);
    }
    trace_destroy(trace);
    trace_destroy(again);
    return status;
}

static enum status loops(const char *path, struct processes *processes, struct error *error)
{
    struct trace *trace = NULL;
    enum status status = read_whole(path, processes, true, &trace, error);
    trace_destroy(trace);
    return status;
}

static enum status config(const char *path, struct processes *processes, struct error *error)
{
    (void)processes;
    struct replay_config *config = NULL;
    enum status status = replay_config_load(path, NULL, NULL, NULL, &config, error);
    replay_config_destroy(config);
    return status;
}

static enum status sweep(const char *path, struct processes *processes, struct error *error)
{
    (void)processes;
    struct sweep_plan *sweep = NULL;
    struct predicted_sweep *predicted = NULL;
    struct ini *ini = NULL;
    enum status status = sweep_read_file(path, NULL, &ini, error);
    if (status == STATUS_OK)
        status = predicted_sweep_is(ini) ? predicted_sweep_load(ini, &predicted, error)
                                         : sweep_load(ini, &sweep, error);
    predicted_sweep_destroy(predicted);
    sweep_destroy(sweep);
    return status;
}

static enum status machine(const char *path, struct processes *processes, struct error *error)
{
    (void)processes;
    struct machine machine;
    return machine_load(path, &machine, error);
}

static enum status hardware(const char *path, struct processes *processes, struct error *error)
{
    (void)processes;
    struct hardware hardware;
    return hardware_load(path, &hardware, error);
}

static enum status severity(const char *path, struct processes *processes, struct error *error)
{
    (void)processes;
    struct severity *severity = NULL;
    enum status status = report_read(path, &severity, error);
    severity_destroy(severity);
    return status;
}

static enum status report(const char *path, struct processes *processes, struct error *error)
{
    (void)processes;
    struct result side = {0};
    enum status status = report_json_read(path, &side, error);
    result_clear(&side);
    return status;
}

static enum status run_result(const char *path, struct processes *processes, struct error *error)
{
    (void)processes;
    struct run_result result = {0};
    enum status status = run_result_read(path, &result, error);
    run_result_clear(&result);
    return status;
}

static enum status gate(const char *path, struct processes *processes, struct error *error)
{
    (void)processes;
    struct bytes text = {0};
    struct gate_condition *conditions = NULL;
    size_t count = 0;
    enum status status = files_read(path, 1 << 20, &text, error);
    if (status == STATUS_OK && bytes_put(&text, "", 1))
        status = gate_parse(text.data, &conditions, &count, error);
    gate_free(conditions, count);
    bytes_clear(&text);
    return status;
}

static const struct hardware some_hardware = {.ranks_per_node = 2};

static enum status script(const char *path, struct processes *processes, struct error *error)
{
    struct model_script *script = NULL;
    struct trace *trace = NULL;
    enum status status = script_read(path, &script, error);
    struct evaluation evaluation = {
        .script = script, .hardware = &some_hardware, .ranks = 3, .most_events = 20000};
    if (status == STATUS_OK)
        status = script_evaluate(&evaluation, processes, &trace, error);
    trace_destroy(trace);
    script_destroy(script);
    return status;
}

/* The input is split at lines "=====" into the files of up to four ranks; SimGrid's index names
 * them. */
static enum status simgrid(const char *path, struct processes *processes, struct error *error)
{
    enum { MOST_FILES = 4 };
    char index_path[96], rank_path[96], line[512];
    struct trace *trace = NULL;
    snprintf(index_path, sizeof index_path, "%s/index.txt", folder);
    FILE *input = fopen(path, "r"), *index = fopen(index_path, "w"), *rank = NULL;
    for (int ranks = 0; input && index && fgets(line, sizeof line, input);) {
        bool end = strcmp(line, "=====\n") == 0;
        if (!rank && ranks < MOST_FILES) {
            snprintf(rank_path, sizeof rank_path, "%s/rank%d.txt", folder, ranks++);
            fprintf(index, "%s\n", strrchr(rank_path, '/') + 1);
            rank = fopen(rank_path, "w");
        }
        if (rank && !end)
            fputs(line, rank);
        if (rank && end) {
            fclose(rank);
            rank = NULL;
        }
    }
    if (rank)
        fclose(rank);
    if (index)
        fclose(index);
    if (input)
        fclose(input);
    enum status status = schedule_read(index_path, processes, &some_hardware, &trace, error);
    trace_destroy(trace);
    return status;
}

static enum status schedule(const char *path, struct processes *processes, struct error *error)
{
    struct trace *trace = NULL;
    enum status status = schedule_read(path, processes, &some_hardware, &trace, error);
    trace_destroy(trace);
    return status;
}

enum { MIB = 1 << 20 };

/* OTF2 reads in chunks of the size that an archive names, up to 16 MiB. */
const struct fuzz_target fuzz_targets[] = {
    {"archive", "trace.txt", 17 * MIB, "tests/trace/corpus tests/fuzz/corpus/archive", archive},
    {"loops", "traces.loops", MIB, "tests/fuzz/corpus/loops", loops},
    {"config", "config.ini", MIB, "examples tests/fuzz/corpus/config", config},
    {"sweep", "sweep.ini", MIB, "tests/fuzz/corpus/sweep", sweep},
    {"machine", "machine.ini", MIB, "tests/fuzz/corpus/machine", machine},
    {"hardware", "hardware.ini", MIB, "examples/hardware tests/fuzz/corpus/hardware", hardware},
    {"cubex", "profile.cubex", 2 * MIB, "tests/fuzz/corpus/cubex", severity},
    {"json", "severity.json", 2 * MIB, "tests/fuzz/corpus/json", severity},
    {"tsv", "severity.tsv", 2 * MIB, "tests/fuzz/corpus/tsv", severity},
    {"report", "report.json", MIB, "tests/fuzz/corpus/report", report},
    {"result", "result.json", MIB, "tests/fuzz/corpus/result", run_result},
    {"gate", "gate.txt", MIB, "tests/fuzz/corpus/gate", gate},
    {"script", "model.silas", 4 * MIB, "examples tests/fuzz/corpus/script", script},
    {"goal", "schedule.goal", 4 * MIB, "tests/fuzz/corpus/goal", schedule},
    {"simgrid", "schedule.txt", 4 * MIB, "tests/fuzz/corpus/simgrid", simgrid},
    {0},
};

const struct fuzz_target *fuzz_target_find(const char *name)
{
    const struct fuzz_target *target = fuzz_targets;
    while (target->name && strcmp(target->name, name) != 0)
        target++;
    return target->name ? target : NULL;
}

bool fuzz_folder_make(void)
{
    snprintf(folder, sizeof folder, "%s/silas-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(folder))
        return true;
    perror("silas-fuzz: no folder for inputs");
    return false;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind;
    return where->level > 0 ? remove(path) : 0;
}

static void empty_folder(void)
{
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

void fuzz_folder_remove(void)
{
    empty_folder();
    rmdir(folder);
}

void fuzz_run(const struct fuzz_target *target, struct processes *processes, const void *data,
              size_t size)
{
    char path[96];
    struct error error = {STATUS_OK, ""};
    snprintf(path, sizeof path, "%s/%s", folder, target->file);
    FILE *file = fopen(path, "w");
    if (!file || (size > 0 && fwrite(data, 1, size, file) != size) || fclose(file) != 0) {
        perror(path);
        abort();
    }
    enum status status = target->run(path, processes, &error);
    if (status != STATUS_OK && error.text[0] == '\0') {
        fprintf(stderr, "%s: status %d without a text\n", target->name, (int)status);
        abort();
    }
    empty_folder();
}
