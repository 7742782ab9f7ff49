#include "replay/realtime/stream_fill.h"

#include "base/log.h"

#include <sys/mman.h>

static const size_t SMALLEST = 32u << 20, LARGEST = 256u << 20; /* bytes of a half */
static const double TRIAL_S = 10e-3, MOST_OWED_S = 1e-3;

/* Bytes per second, read and written, while all processes stream. */
static double measure(struct stream_fill *fill, const struct processes *processes,
                      const struct clock *clock)
{
    processes_barrier(processes);
    uint64_t begin = clock_now(clock), now = begin;
    uint64_t end = begin + (uint64_t)(TRIAL_S * clock->ticks_per_second);
    double steps = 0;
    for (; now < end; steps++) {
        stream_fill_step(fill, 1);
        now = clock_now(clock);
    }
    return steps * 2 * STREAM_STEP / ((double)(now - begin) / clock->ticks_per_second);
}

enum status stream_fill_open(struct stream_fill *fill, const struct processes *processes,
                             const struct clock *clock, size_t cache_bytes, uint64_t rate,
                             struct error *error)
{
    memset(fill, 0, sizeof *fill);
    size_t half = cache_bytes < SMALLEST ? SMALLEST : cache_bytes > LARGEST ? LARGEST : cache_bytes;
    fill->half = half - half % STREAM_STEP;
    void *memory =
        mmap(NULL, 2 * fill->half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    enum status status =
        memory == MAP_FAILED ? error_memory(error, "streaming through memory") : STATUS_OK;
    if (status == STATUS_OK) {
        memset(memory, 1, 2 * fill->half);
        fill->memory = memory;
    }
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK)
        return status;
    int64_t slowest = (int64_t)measure(fill, processes, clock);
    processes_min(processes, &slowest, 1);
    if (rate > (uint64_t)slowest)
        log_warning("stream_rate = %.3g GB/s: the ranks reach %.3g GB/s each when all stream, so "
                    "they stream at that rate",
                    (double)rate * 1e-9, (double)slowest * 1e-9);
    fill->ticks_per_step = rate > 0 ? 2 * STREAM_STEP * clock->ticks_per_second / (double)rate : 0;
    fill->most_owed = MOST_OWED_S * clock->ticks_per_second;
    fill->ahead = 0;
    return STATUS_OK;
}

void stream_fill_close(struct stream_fill *fill)
{
    if (fill->memory)
        munmap(fill->memory, 2 * fill->half);
    memset(fill, 0, sizeof *fill);
}
