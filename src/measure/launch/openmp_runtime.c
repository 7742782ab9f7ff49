#include "measure/launch/openmp_runtime.h"

#include "base/cpus.h"
#include "base/estimate.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ROUNDS = 15,
    MOST_THREADS = 256,
    INSIDE_NS = 20000,
    LIMIT_S = 5,
};

/* Between two teams. A program computes there; the longer it does, the deeper its workers sleep. */
enum { GAPS = 3 };
static const int64_t gaps_ns[GAPS] = {10000, 100000, 1000000};

/* The runtime's functions, as GCC's programs call them. */
struct runtime {
    void (*parallel)(void (*body)(void *), void *data, unsigned threads, unsigned flags);
    int (*thread_num)(void);
    int (*max_threads)(void);
};

/* A team that does next to nothing. All times are ns. */
struct test_team {
    const struct runtime *runtime;
    int64_t begin[MOST_THREADS], end[MOST_THREADS]; /* [thread]: of its part; 0: not in the team */
};

struct costs {
    int64_t wake;  /* from the fork until the master begins its part */
    int64_t start; /* from the fork until the last worker begins */
    int64_t join;  /* from the last end of a part until the master continues */
};

enum status openmp_runtime_check(struct error *error)
{
    void *runtime = dlopen(OPENMP_RUNTIME, RTLD_LAZY | RTLD_LOCAL);
    if (!runtime)
        return error_set(error, STATUS_ENVIRONMENT,
                         "--openmp needs LLVM's OpenMP runtime, which tells tools about parallel "
                         "regions: install it (Debian: libomp5-14 or newer), or add the folder "
                         "of " OPENMP_RUNTIME " to LD_LIBRARY_PATH");
    dlclose(runtime);
    return STATUS_OK;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void spin_until(int64_t end)
{
    while (now_ns() < end)
        ;
}

static void execute_part(void *data)
{
    struct test_team *team = data;
    const int thread = team->runtime->thread_num();
    if (thread < 0 || thread >= MOST_THREADS)
        return;
    team->begin[thread] = now_ns();
    spin_until(team->begin[thread] + INSIDE_NS);
    team->end[thread] = now_ns();
}

/* False if the runtime has not made a team of this size. */
static bool try_team(const struct runtime *runtime, unsigned threads, int64_t gap_ns,
                     struct costs *costs)
{
    struct test_team team = {.runtime = runtime};
    spin_until(now_ns() + gap_ns);
    const int64_t fork = now_ns();
    runtime->parallel(execute_part, &team, threads, 0);
    const int64_t end = now_ns();
    int64_t last_begin = fork, last_end = 0;
    for (unsigned t = 0; t < threads; t++) {
        if (team.begin[t] == 0)
            return false;
        last_begin = team.begin[t] > last_begin ? team.begin[t] : last_begin;
        last_end = team.end[t] > last_end ? team.end[t] : last_end;
    }
    *costs = (struct costs){team.begin[0] - fork, last_begin - fork, end - last_end};
    return true;
}

static bool measure_teams(const struct runtime *runtime, unsigned threads, int64_t gap_ns,
                          struct costs *medians)
{
    double wake[ROUNDS], start[ROUNDS], join[ROUNDS];
    struct costs costs;
    for (int i = -1; i < ROUNDS; i++) { /* the first one creates the threads */
        if (!try_team(runtime, threads, gap_ns, &costs))
            return false;
        const int at = i < 0 ? 0 : i;
        wake[at] = (double)costs.wake;
        start[at] = (double)costs.start;
        join[at] = (double)costs.join;
    }
    *medians = (struct costs){(int64_t)estimate_of(wake, ROUNDS).median,
                              (int64_t)estimate_of(start, ROUNDS).median,
                              (int64_t)estimate_of(join, ROUNDS).median};
    return true;
}

static int64_t beyond(int64_t cost, int64_t of_one_thread)
{
    return cost > of_one_thread ? cost - of_one_thread : 0;
}

/* Prints the usual number of threads and, in a second line, the costs in the child process. */
static void print_measurement(FILE *out)
{
    void *library = dlopen(OPENMP_RUNTIME, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    const struct runtime runtime = {
        (void (*)(void (*)(void *), void *, unsigned, unsigned))(uintptr_t)dlsym(library,
                                                                                 "GOMP_parallel"),
        (int (*)(void))(uintptr_t)dlsym(library, "omp_get_thread_num"),
        (int (*)(void))(uintptr_t)dlsym(library, "omp_get_max_threads")};
    struct cpu_mask processors;
    unsigned count = 0;
    cpus_of_process(&processors);
    for (int cpu = 0; cpu < CPUS_MAX; cpu++)
        count += cpus_has(&processors, cpu);
    struct costs one, costs;
    if (runtime.max_threads)
        fprintf(out, "%d", runtime.max_threads());
    fputc('\n', out);
    fflush(out);
    if (!runtime.parallel || !runtime.thread_num || !measure_teams(&runtime, 1, gaps_ns[0], &one))
        return;
    for (int g = 0; g < GAPS; g++)
        fprintf(out, "%s%lld", g > 0 ? ":" : "", (long long)gaps_ns[g]);
    for (unsigned threads = 2; threads <= MOST_THREADS; threads *= 2) {
        if (threads > 2 && threads > count)
            return;
        fprintf(out, " %u", threads);
        for (int g = 0; g < GAPS; g++) {
            if (!measure_teams(&runtime, threads, gaps_ns[g], &costs))
                return;
            fprintf(out, ":%lld:%lld:%lld", (long long)beyond(costs.wake, one.wake),
                    (long long)beyond(costs.start, one.wake),
                    (long long)beyond(costs.join, one.join));
        }
        fflush(out);
    }
}

struct openmp_measurement openmp_runtime_measure(void)
{
    struct openmp_measurement measured = {0};
    char text[sizeof measured.threads + sizeof measured.costs];
    int ends[2];
    if (pipe(ends) != 0)
        return measured;
    const pid_t child = fork();
    if (child == 0) {
        alarm(LIMIT_S);
        setenv("OMP_TOOL", "disabled", 1); /* other tools */
        unsetenv("OMP_DISPLAY_ENV");
        FILE *out = fdopen(ends[1], "w");
        if (out)
            print_measurement(out);
        _exit(0);
    }
    close(ends[1]);
    FILE *in = child > 0 ? fdopen(ends[0], "r") : NULL;
    if (in) {
        text[fread(text, 1, sizeof text - 1, in)] = '\0';
        fclose(in);
        const char *costs = strchr(text, '\n');
        if (costs) {
            snprintf(measured.threads, sizeof measured.threads, "%.*s", (int)(costs - text), text);
            snprintf(measured.costs, sizeof measured.costs, "%s", costs + 1);
        }
    } else {
        close(ends[0]);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    return measured;
}
