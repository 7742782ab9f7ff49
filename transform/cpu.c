/* [cpu LABEL]: ranks on other processors. All computation of the chosen ranks (by number or by the
 * host of the recording; default: all) is divided by `speed`. With noise, every `noise_period` of
 * computation is interrupted for `noise_length`. Each rank's first interruption is at a random
 * moment, which `noise_seed` determines. Noise is not added while a rank waits, where it costs no
 * time. Time inside MPI stays as it is. */
#include "transform/choose.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <stdlib.h>

struct cpu {
    const struct ini_section *section;
    struct ranges rank;
    const char *node;                  /* name patterns, NULL: any */
    double speed;                      /* 0: not given */
    double noise_period, noise_length; /* seconds; 0: none */
    int64_t noise_seed;
};

static const struct ini_key cpu_keys[] = {
    INI_KEY(cpu, rank, RANGES),
    INI_KEY(cpu, node, STRING),
    INI_KEY(cpu, speed, NUMBER, .lowest = 1e-6, .highest = 1e6),
    INI_KEY(cpu, noise_period, DURATION),
    INI_KEY(cpu, noise_length, DURATION),
    INI_KEY(cpu, noise_seed, INTEGER, .most = INT64_MAX),
    INI_KEYS_END,
};

static enum status cpu_check(void *state, struct error *error)
{
    const struct cpu *cpu = state;
    bool period = cpu->noise_period > 0, length = cpu->noise_length > 0;
    if (period != length)
        return section_error(error, cpu->section, period ? "noise_period" : "noise_length",
                             "noise needs both noise_period and noise_length, above 0");
    if (cpu->speed == 0 && !period)
        return section_error(error, cpu->section, NULL,
                             "\"speed\", or \"noise_period\" and \"noise_length\", are missing");
    return STATUS_OK;
}

/* A random number from 0 to 1 for each rank and seed (splitmix64: Steele, Lea, Flood, 2014). */
static long double random_share(uint64_t seed, uint32_t rank)
{
    uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15u + ((uint64_t)rank + 1) * 0xd1b54a32d192ed03u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (long double)z / 18446744073709551616.0L;
}

static enum status change_pace(const struct cpu *cpu, const struct callpath_marks *marks,
                               struct trace *trace, struct stream *stream, struct error *error)
{
    long double second = (long double)trace->definitions->ticks_per_second;
    struct pace pace = {.factor = cpu->speed == 0 ? factor_of(1) : factor_inverse(cpu->speed),
                        .period = cpu->noise_period * second,
                        .length = cpu->noise_length * second,
                        .phase = random_share((uint64_t)cpu->noise_seed, stream->rank),
                        .marks = marks,
                        .section = cpu->section};
    return rewrite_pace(trace, stream, &pace, error);
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
        status = choose_rank(&cpu->rank, cpu->node, trace, stream->rank, &chosen, error);
        if (status != STATUS_OK || !chosen)
            continue;
        status = change_pace(cpu, &marks, trace, stream, error);
        count++;
    }
    callpath_marks_clear(&marks);
    status = processes_agree(trace->processes, status, error);
    if (status != STATUS_OK)
        return status;
    processes_sum(trace->processes, &count, 1);
    return count > 0 ? STATUS_OK : refuse_ranks(cpu->section, cpu->node, trace, error);
}

const struct hypothesis_kind hypothesis_cpu = {
    .name = "cpu",
    .description = "make processors of some ranks faster, slower or noisy",
    .state_size = sizeof(struct cpu),
    .keys = cpu_keys,
    .check = cpu_check,
    .apply = cpu_apply,
};
