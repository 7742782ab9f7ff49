/* [cpu LABEL]: ranks on other processors. All computation of the chosen ranks (by number or by the
 * host of the recording; default: all) is divided by `speed`. With noise, every `noise_period` of
 * computation is interrupted for `noise_length`. Each rank's first interruption is at a random
 * moment, which `noise_seed` determines. While a rank waits, noise costs nothing and is not added.
 * Time inside MPI stays as it is. */
#include "trace/environment.h"
#include "transform/callpath_marks.h"
#include "transform/kinds.h"
#include "base/names.h"
#include "transform/section.h"
#include "transform/rewrite.h"

#include <math.h>
#include <stdlib.h>

struct cpu {
    const struct ini_section *section;
    struct ranges ranks;
    const char *node; /* name patterns, NULL: any */
    double speed;
    double noise_period_s, noise_length_s; /* 0: none */
    int64_t noise_seed;
};

static const char *const cpu_keys[] = {"rank",         "node",       "speed", "noise_period",
                                       "noise_length", "noise_seed", NULL};

static void cpu_clear(void *state)
{
    ranges_clear(&((struct cpu *)state)->ranks);
}

static enum status check(const struct cpu *cpu, struct error *error)
{
    bool period = cpu->noise_period_s > 0, length = cpu->noise_length_s > 0;
    if (period != length)
        return section_error(error, cpu->section, period ? "noise_period" : "noise_length",
                             "noise needs both noise_period and noise_length, above 0");
    if (isnan(cpu->speed) && !period)
        return section_error(error, cpu->section, NULL,
                             "\"speed\", or \"noise_period\" and \"noise_length\", are missing");
    return STATUS_OK;
}

static enum status cpu_parse(const struct ini_section *section, void *state, struct error *error)
{
    struct cpu *cpu = state;
    cpu->section = section;
    cpu->speed = NAN;
    enum status status = ranges_read(section, "rank", &cpu->ranks, error);
    if (status == STATUS_OK)
        status = ini_get_string(section, "node", &cpu->node, error);
    if (status == STATUS_OK)
        status = ini_get_number(section, "speed", 1e-6, 1e6, &cpu->speed, error);
    if (status == STATUS_OK)
        status = ini_get_duration(section, "noise_period", &cpu->noise_period_s, error);
    if (status == STATUS_OK)
        status = ini_get_duration(section, "noise_length", &cpu->noise_length_s, error);
    if (status == STATUS_OK)
        status = ini_get_integer(section, "noise_seed", 0, INT64_MAX, &cpu->noise_seed, error);
    return status == STATUS_OK ? check(cpu, error) : status;
}

/* --- which ranks ------------------------------------------------------------------------------ */

static enum status is_chosen(const struct cpu *cpu, const struct trace *trace, uint32_t rank,
                             bool *chosen, struct error *error)
{
    const char *list = cpu->node;
    bool no_memory = false;
    char *item;
    *chosen = ranges_contain(&cpu->ranks, rank);
    if (!*chosen || !cpu->node)
        return STATUS_OK;
    *chosen = false;
    while (!*chosen && (item = names_next(&list, &no_memory))) {
        *chosen = name_matches(item, environment_host(trace, rank));
        free(item);
    }
    return no_memory ? error_memory(error, "the choice of ranks") : STATUS_OK;
}

/* --- new times -------------------------------------------------------------------------------- */

/* A random number from 0 to 1 for each rank and seed (splitmix64: Steele, Lea, Flood, 2014). */
static long double random_share(uint64_t seed, uint32_t rank)
{
    uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15u + ((uint64_t)rank + 1) * 0xd1b54a32d192ed03u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (long double)z / 18446744073709551616.0L;
}

/* How long a rank computes for `measured` recorded ticks from its start: ticks, not rounded. */
struct pace {
    long double factor, period, length, phase; /* period 0: no noise */
};

static long double paced(const struct pace *pace, uint64_t measured)
{
    long double time = pace->factor * (long double)measured;
    if (pace->period > 0)
        time += floorl(time / pace->period + pace->phase) * pace->length;
    return time;
}

/* False if the times would not fit into 63 bits. */
static bool pace_stream(const struct pace *pace, const struct callpath_marks *marks,
                        const struct stream *stream, uint64_t *times)
{
    const long double most = (long double)(UINT64_MAX / 4);
    uint64_t measured = 0, given = 0; /* computation so far: recorded, new */
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row < stream->count; row++) {
        uint64_t length = row == 0 ? 0 : stream->time[row] - stream->time[row - 1];
        if (row > 0 && !(marks_of(marks, path) & CALLPATH_COMMUNICATES)) {
            measured += length;
            long double target = roundl(paced(pace, measured));
            if (target > most)
                return false;
            length = (uint64_t)target - given;
            given += length;
        }
        times[row] = row == 0 ? stream->time[0] : times[row - 1] + length;
        path = callpath_after(marks->calltree, stream, row, path);
    }
    return true;
}

static enum status change_stream(const struct cpu *cpu, const struct callpath_marks *marks,
                                 struct trace *trace, struct stream *stream, struct error *error)
{
    long double second = (long double)trace->definitions->ticks_per_second;
    struct pace pace = {.factor = isnan(cpu->speed) ? 1 : 1 / (long double)cpu->speed,
                        .period = cpu->noise_period_s * second,
                        .length = cpu->noise_length_s * second,
                        .phase = random_share((uint64_t)cpu->noise_seed, stream->rank)};
    uint64_t *times = malloc(((size_t)stream->count + 1) * sizeof *times);
    enum status status = STATUS_OK;
    if (!times)
        return error_memory(error, "new event times");
    if (pace_stream(&pace, marks, stream, times))
        rewrite_times(trace, stream, times);
    else
        status = section_error(error, cpu->section, NULL,
                               "rank %u would run longer than its clock can count", stream->rank);
    free(times);
    return status;
}

static enum status cpu_apply(const void *state, struct trace *trace,
                             struct hypothesis_outcome *outcome, struct error *error)
{
    (void)outcome;
    const struct cpu *cpu = state;
    struct callpath_marks marks;
    int64_t count = 0;
    enum status status = callpath_marks_create(cpu->section, trace, &marks, error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        struct stream *stream = &trace->streams[s];
        bool chosen;
        status = is_chosen(cpu, trace, stream->rank, &chosen, error);
        if (status != STATUS_OK || !chosen)
            continue;
        status = change_stream(cpu, &marks, trace, stream, error);
        count++;
    }
    callpath_marks_clear(&marks);
    status = processes_agree(trace->processes, status, error);
    if (status != STATUS_OK)
        return status;
    processes_sum(trace->processes, &count, 1);
    if (count == 0)
        return section_error(error, cpu->section, cpu->node ? "node" : "rank",
                             "no rank is chosen: the trace has ranks 0 to %u, rank 0 on \"%s\"",
                             trace->rank_count - 1, rank_host(trace->definitions, 0));
    return STATUS_OK;
}

const struct hypothesis_kind hypothesis_cpu = {
    .name = "cpu",
    .description = "faster or slower processors for some ranks, or noise on them",
    .state_size = sizeof(struct cpu),
    .keys = cpu_keys,
    .parse = cpu_parse,
    .apply = cpu_apply,
    .clear = cpu_clear,
};
