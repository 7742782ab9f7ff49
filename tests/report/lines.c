/* A run that several processes write together: the same bytes as of one store, and an end of all
 * processes where it cannot be written. */
#include "base/mpi/handles.h"
#include "report/format.h"

#include "tests/mpi_check.h"

#include <string.h>
#include <unistd.h>

enum { PATHS = 5, LOCATIONS = 6000, LONG_NAME = 150000 };

static char long_name[LONG_NAME + 1];

static const struct severity_path paths[PATHS] = {{.parent = SEVERITY_NONE, .name = "main"},
                                                  {.parent = 0, .name = "a\tb\nc"},
                                                  {.parent = 0, .name = "MPI_Recv", .mpi = true},
                                                  {.parent = 1, .name = long_name},
                                                  {.parent = 1, .name = "never"}};

static void add(struct severity *part, enum metric metric, uint32_t path, uint32_t location,
                double value)
{
    if (!severity_add(part, metric, path, location, value))
        abort();
}

/* A process's part: many values or few in a row, none on the last of three processes; a line longer
 * than a piece, zeros that are kept, a metric for which only process 1 has values. */
static struct severity *make_part(const struct processes *processes)
{
    static struct severity_location locations[LOCATIONS];
    static const struct metric_info energy = {
        .name = "energy", .unit = UNIT_OTHER, .unit_name = "J", .parent = METRIC_NONE};
    const uint32_t rank = (uint32_t)processes->rank, count = rank == 2 ? 0 : LOCATIONS - rank;
    for (uint32_t i = 0; i < count; i++)
        locations[i] = (struct severity_location){rank * LOCATIONS + i, i % 2, "node"};
    memset(long_name, 'x', LONG_NAME);
    struct severity *part = severity_create(paths, PATHS, locations, count);
    const enum metric own = part ? severity_metric_add(part, &energy) : METRIC_NONE;
    if (own == METRIC_NONE)
        abort();
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t path = 0; path < 3; path++)
            add(part, METRIC_TIME, path, i, (i + 1) / (3.0 + path + rank));
        add(part, METRIC_VISITS, 2, i, i % 100 == 7 ? i : 0);
        if (i % 1000 == 3)
            add(part, METRIC_VISITS, 3, i, i);
        if (rank == 1)
            add(part, own, 1, i, -1e-300 * i);
    }
    return part;
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        abort();
    *size = (size_t)ftell(file);
    char *content = malloc(*size + 1);
    rewind(file);
    if (!content || fread(content, 1, *size, file) != *size)
        abort();
    fclose(file);
    return content;
}

static bool same_files(const char *a, const char *b)
{
    size_t a_size, b_size;
    char *a_content = read_file(a, &a_size), *b_content = read_file(b, &b_size);
    const bool same = a_size > 0 && a_size == b_size && memcmp(a_content, b_content, a_size) == 0;
    free(a_content);
    free(b_content);
    unlink(a);
    unlink(b);
    return same;
}

static void check_same(const struct processes *processes, const char *name, const char *directory)
{
    const struct report_format *format = report_format_find(name);
    char together[512], alone[512], text[64];
    struct severity *part = make_part(processes), *whole;
    struct error error;
    snprintf(together, sizeof together, "%s/together.%s", directory, name);
    snprintf(alone, sizeof alone, "%s/alone.%s", directory, name);
    enum status status = report_write_together(&part, processes, NULL, format, together, &error);
    snprintf(text, sizeof text, "%s: written together", name);
    mpi_check(status == STATUS_OK && !part, text);
    part = make_part(processes);
    status = severity_gather(&part, processes, &whole, &error);
    if (status == STATUS_OK && whole)
        status = report_write(&(struct report){.run = whole}, format, alone, &error);
    severity_destroy(whole);
    snprintf(text, sizeof text, "%s: the same file as of one store", name);
    mpi_check(status == STATUS_OK && (processes->rank > 0 || same_files(together, alone)), text);
}

/* All processes end with the message of process 0. */
static void check_failure(const struct processes *processes, const char *path, const char *text)
{
    struct severity *part = make_part(processes);
    struct error error = {.text = ""};
    const enum status status =
        report_write_together(&part, processes, NULL, report_format_find("tsv"), path, &error);
    mpi_check(status == STATUS_ENVIRONMENT && !part && strcmp(error.text, text) == 0, text);
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    char directory[] = "/tmp/silas-lines.XXXXXX";
    mpi_check_begin(&argc, &argv);
    mpi_check(processes_open(&processes, MPI_COMM_WORLD, &error) == STATUS_OK, "processes");
    mpi_check(processes.rank > 0 || mkdtemp(directory), "a directory");
    check_same(&processes, "tsv", directory);
    check_same(&processes, "json", directory);
    check_failure(&processes, "/dev/full", "cannot write /dev/full: No space left on device");
    check_failure(&processes, "/none/x.tsv", "cannot write /none/x.tsv: No such file or directory");
    mpi_check(processes.rank > 0 || rmdir(directory) == 0, "nothing is left behind");
    processes_close(&processes);
    return mpi_check_end();
}
