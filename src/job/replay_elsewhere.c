#include "job/replay_summary.h"

#include "base/log.h"
#include "base/otf2_attributes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Collective. Counts the ranks that were recorded on another host than this one. */
static int64_t count_moved_ranks(const struct trace *trace)
{
    char here[256] = "";
    int64_t moved = 0;
    gethostname(here, sizeof here - 1);
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        const char *there = rank_host(trace->definitions, trace->first_rank + i);
        moved += *there && strcmp(here, there) != 0;
    }
    processes_sum(trace->processes, &moved, 1);
    return moved;
}

static void warn_of_hosts(const struct trace *trace)
{
    if (definitions_property(trace->definitions, SILAS_PROPERTY_PREDICTED))
        return; /* it was never recorded on a host */
    int64_t moved = count_moved_ranks(trace);
    if (moved > 0)
        log_warning("%lld of %u rank%s recorded on another host (rank 0 on %s): the prediction "
                    "combines that host's computation times with this machine's messages",
                    (long long)moved, trace->rank_count, trace->rank_count == 1 ? " was" : "s were",
                    rank_host(trace->definitions, 0));
}

static void warn_of_library(const struct trace *trace)
{
    const char *there = definitions_property(trace->definitions, SILAS_PROPERTY_MPI_LIBRARY);
    char here[256];
    processes_mpi_library(here, sizeof here);
    if (there && strcmp(here, there) != 0)
        log_warning("the trace was recorded with another MPI library: %s; the replay uses %s",
                    there, here);
}

/* Warns if a variable that sets MPI's eager limits differs from the recording. */
static void warn_of_limits(const struct trace *trace)
{
    const char *limits = definitions_property(trace->definitions, SILAS_PROPERTY_EAGER_LIMITS);
    char *copy = limits ? strdup(limits) : NULL, *rest = copy;
    for (char *word; rest && (word = strsep(&rest, " "));) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value++ = '\0';
        const char *here = getenv(word);
        if (!here || strcmp(here, value) != 0)
            log_warning("the trace was recorded with %s=%s, but here it is %s: messages may use "
                        "another protocol",
                        word, value, here ? here : "not set");
    }
    free(copy);
}

void replay_warn_if_elsewhere(const struct trace *trace, bool replayed)
{
    warn_of_hosts(trace);
    if (replayed)
        warn_of_library(trace);
    if (replayed)
        warn_of_limits(trace);
}
