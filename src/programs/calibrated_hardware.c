#include "programs/calibrated_hardware.h"

#include "base/log.h"

#include <assert.h>

enum { REMARK_SIZE = 100 };

struct remark_texts {
    char operation[OPERATION_COUNT][REMARK_SIZE], chain[OPERATION_COUNT][REMARK_SIZE];
    char file_latency[REMARK_SIZE], file_per_byte[REMARK_SIZE], call_overhead[REMARK_SIZE];
};

/* "384 KiB" */
static void format_bytes(size_t bytes, char *text, size_t size)
{
    if (bytes >= (size_t)1 << 20)
        snprintf(text, size, "%zu MiB", bytes >> 20);
    else
        snprintf(text, size, "%zu KiB", bytes >> 10);
}

static void format_interval(const struct estimate *estimate, size_t buffer, char *text)
{
    int length =
        snprintf(text, REMARK_SIZE, "%.4g .. %.4g", 1e9 * estimate->low, 1e9 * estimate->high);
    char bytes[32];
    if (buffer == 0 || length < 0)
        return;
    format_bytes(buffer, bytes, sizeof bytes);
    snprintf(text + length, REMARK_SIZE - (size_t)length, ", in %s", bytes);
}

/* Replaces costs by the measured ones. `buffers`: bytes that each was measured in; NULL: none. */
static void take_estimates(const bool *known, const struct estimate *estimates,
                           const size_t *buffers, bool *has, double *seconds,
                           char (*texts)[REMARK_SIZE], const char **remarks)
{
    for (int i = 0; i < OPERATION_COUNT; i++) {
        if (!known[i])
            continue;
        has[i] = true;
        seconds[i] = estimates[i].median;
        format_interval(&estimates[i], buffers ? buffers[i] : 0, texts[i]);
        remarks[i] = texts[i];
    }
}

static void take_footprints(const struct operation_costs *costs, struct hardware *hardware)
{
    hardware->footprint_count = 0;
    for (uint32_t i = 0; i < costs->footprint_count; i++)
        hardware_add_footprint(hardware,
                               &(struct footprint_cost){(double)costs->footprints[i].bytes,
                                                        costs->footprints[i].byte.median,
                                                        costs->footprints[i].load.median});
}

/* Replaces costs of `hardware` by the measured ones. */
static void take_measured(const struct operation_costs *costs, struct hardware *hardware,
                          struct hardware_remarks *remarks, struct remark_texts *texts)
{
    take_estimates(costs->known, costs->operations, costs->buffer, hardware->has_operation,
                   hardware->operation, texts->operation, remarks->operation);
    take_estimates(costs->chains_known, costs->chains, NULL, hardware->has_chain, hardware->chain,
                   texts->chain, remarks->chain);
    take_footprints(costs, hardware);
    if (costs->file_known) {
        hardware->has_file = true;
        hardware->file_latency = costs->file_latency.median;
        hardware->file_per_byte = costs->file_per_byte.median;
        format_interval(&costs->file_latency, 0, texts->file_latency);
        format_interval(&costs->file_per_byte, 0, texts->file_per_byte);
        remarks->file_latency = texts->file_latency;
        remarks->file_per_byte = texts->file_per_byte;
    }
    hardware->has_call_overhead = true;
    hardware->call_overhead = costs->call_overhead.median;
    format_interval(&costs->call_overhead, 0, texts->call_overhead);
    remarks->call_overhead = texts->call_overhead;
}

void calibrated_hardware_print(const struct operation_costs *costs, const struct hardware *added,
                               FILE *file)
{
    assert(costs && added);
    struct hardware hardware = *added;
    struct hardware_remarks remarks = {0};
    struct remark_texts texts = {0};
    if (costs->rounds > 0) {
        take_measured(costs, &hardware, &remarks, &texts);
        fprintf(file,
                "\n; Medians and %.0f %% intervals of %d rounds, for one process alone. The "
                "operations of\n; [operations] are independent of each other; those of [chain] "
                "wait for each other. Loads from\n; L2 and beyond have random addresses. Writes "
                "do not wait for the disk.\n",
                100 * costs->call_overhead.level, costs->rounds);
    }
    hardware_print(&hardware, &remarks, file);
}

static void print_row(const char *name, const struct estimate *estimate, const char *what)
{
    printf("  %-20s %10.4g ns  (%.4g .. %.4g)  %s\n", name, 1e9 * estimate->median,
           1e9 * estimate->low, 1e9 * estimate->high, what);
}

void calibrated_hardware_summary(const struct operation_costs *costs)
{
    static const char *const what[OPERATION_COUNT] = {
#define X(identifier, name, text) text,
        OPERATIONS(X)
#undef X
    };
    printf("operations: %d rounds, intervals of %.0f %%\n", costs->rounds,
           100 * costs->call_overhead.level);
    for (int i = 0; i < OPERATION_COUNT; i++)
        if (costs->known[i])
            print_row(operation_names[i], &costs->operations[i], what[i]);
    for (int i = 0; i < OPERATION_COUNT; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s in a chain", operation_names[i]);
        if (costs->chains_known[i])
            print_row(name, &costs->chains[i], "each waits for the one before");
    }
    for (uint32_t i = 0; i < costs->footprint_count; i++) {
        const struct measured_footprint *footprint = &costs->footprints[i];
        char bytes[32];
        format_bytes(footprint->bytes, bytes, sizeof bytes);
        print_row(bytes, &footprint->byte,
                  "byte in order, in a loop that works on this many bytes");
        print_row("", &footprint->load, "load with an unpredictable address in them");
    }
    if (costs->file_known) {
        print_row("file: latency", &costs->file_latency, "write to the system's memory");
        print_row("file: per_byte", &costs->file_per_byte, "byte of it");
    }
    print_row("call: overhead", &costs->call_overhead, "MPI call without a message");
}

void calibrated_hardware_warn(const struct operation_costs *costs, const char *directory)
{
    assert(costs && directory);
    char buffer[32], cache[32];
#ifndef __OPTIMIZE__
    log_warning(
        "this silas-calibrate was compiled without optimisation, so the costs of operations "
        "are too high");
#endif
    for (int i = 0; i < OPERATION_COUNT; i++) {
        const struct estimate *estimate = &costs->operations[i];
        if (costs->known[i] && estimate->high - estimate->low > estimate->median / 2) {
            log_warning(
                "the rounds of %s differ by more than half (%.3g .. %.3g ns): other programs may "
                "be running",
                operation_names[i], 1e9 * estimate->low, 1e9 * estimate->high);
            break;
        }
    }
    if (costs->buffer[OPERATION_LOAD_MEMORY] < 2 * costs->largest_cache) {
        format_bytes(costs->buffer[OPERATION_LOAD_MEMORY], buffer, sizeof buffer);
        format_bytes(costs->largest_cache, cache, sizeof cache);
        log_warning(
            "load_memory and byte were measured in a buffer of %s, of which the cache of %s "
            "holds a part: memory may be slower",
            buffer, cache);
    }
    if (!costs->file_known)
        log_warning("the costs of files were not measured, because no file can be written in %s",
                    directory);
}
