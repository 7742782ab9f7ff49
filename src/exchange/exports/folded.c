/* Folded stacks: one line for each call path, its regions from the outermost to the innermost with
 * semicolons between them, then a blank and a number. flamegraph.pl (github.com/brendangregg/
 * FlameGraph), inferno, speedscope and Perfetto draw flame graphs of them.
 *
 * The number is the path's own time in nanoseconds. Waiting in a call for other ranks is a frame of
 * its own below the call: "rank 3;main;MPI_Recv;[Late Sender] 1200". */
#include "base/mpi/job_text.h"
#include "exchange/exports/format.h"
#include "exchange/exports/locations.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

extern const struct export_format export_folded;

struct stack_folding {
    const struct trace *trace;
    const struct metric_waits *waits;
    size_t next_wait;
    char **paths;
    size_t path_count;
    /* Ticks by call path, [kind * path_count + path]: those of waits by their kinds; those of
     * WAIT_STATE_NONE are the path's own time, with its waits. */
    int64_t *ticks;
    bool together;
    FILE *file;
};

static int64_t *cell(const struct stack_folding *folding, enum wait_state kind, uint32_t path)
{
    return &folding->ticks[(size_t)kind * folding->path_count + path];
}

static size_t cell_count(const struct stack_folding *folding)
{
    return WAIT_STATE_COUNT * folding->path_count;
}

/* Adds the times of a stream. */
static void add_stream(struct stack_folding *folding, const struct stream *stream)
{
    const struct trace *trace = folding->trace;
    const struct metric_waits *waits = folding->waits;
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row < stream->count; row++) {
        if (path != CALLPATH_NONE)
            *cell(folding, WAIT_STATE_NONE, path) +=
                (int64_t)(stream->time[row] - stream->time[row - 1]);
        path = callpath_after(&trace->calltree, stream, row, path);
    }
    if (stream->location != trace->definitions->rank_location[stream->rank])
        return;
    for (; folding->next_wait < waits->all.count &&
           waits->all.items[folding->next_wait].rank == stream->rank;
         folding->next_wait++) {
        const struct metric_wait *wait = &waits->all.items[folding->next_wait];
        if (event_opens(stream->kind[wait->enter_row]))
            *cell(folding, wait_state_of(wait->metric), stream->arg[wait->enter_row]) +=
                wait->ticks;
    }
}

static void write_line(const struct stack_folding *folding, const char *root, const char *path,
                       const char *wait, int64_t ticks)
{
    if (ticks > 0)
        fprintf(folding->file, "%s%s%s%s%s %" PRIu64 "\n", root, path, wait ? ";[" : "",
                wait ? wait : "", wait ? "]" : "",
                export_nanoseconds(folding->trace, (uint64_t)ticks));
}

/* Writes the sums; `root` is the first frame with its semicolon, or "". */
static void write_stacks(const struct stack_folding *folding, const char *root)
{
    for (uint32_t path = 0; path < folding->path_count; path++) {
        int64_t waiting = 0;
        for (enum wait_state kind = WAIT_STATE_NONE + 1; kind < WAIT_STATE_COUNT; kind++)
            waiting += *cell(folding, kind, path);
        write_line(folding, root, folding->paths[path], NULL,
                   *cell(folding, WAIT_STATE_NONE, path) - waiting);
        for (enum wait_state kind = WAIT_STATE_NONE + 1; kind < WAIT_STATE_COUNT; kind++)
            write_line(folding, root, folding->paths[path], wait_state_name(kind),
                       *cell(folding, kind, path));
    }
}

static bool fold_stream(void *data, const struct stream *stream, uint32_t thread)
{
    struct stack_folding *folding = data;
    char root[64];
    if (stream->rank == INDEX_NONE) /* nothing of a rank */
        return true;
    if (!folding->together)
        memset(folding->ticks, 0, cell_count(folding) * sizeof *folding->ticks);
    add_stream(folding, stream);
    if (folding->together)
        return true;
    if (thread == 0)
        snprintf(root, sizeof root, "rank %" PRIu32 ";", stream->rank);
    else
        snprintf(root, sizeof root, "rank %" PRIu32 ";thread %" PRIu32 ";", stream->rank, thread);
    write_stacks(folding, root);
    return !ferror(folding->file);
}

/* Collective. Adds up all ranks before the file is opened: nothing collective may happen then. */
static void add_all(struct stack_folding *folding)
{
    enum { CHUNK = 1 << 20 };
    const size_t count = cell_count(folding);
    export_streams(folding->trace, fold_stream, folding);
    for (size_t first = 0; first < count; first += CHUNK)
        processes_sum(folding->trace->processes, folding->ticks + first,
                      count - first < CHUNK ? count - first : CHUNK);
}

static enum status write_folded(const struct trace *trace, const struct export_options *options,
                                struct error *error)
{
    assert(trace->matched);
    struct metric_waits waits;
    struct job_text *text;
    struct stack_folding folding = {
        .trace = trace,
        .waits = &waits,
        .path_count = trace->calltree.paths.count,
        .together = options->together,
    };
    enum status status = pattern_search_waits(trace, &waits, error);
    folding.paths = export_paths(trace, ';');
    folding.ticks = calloc(cell_count(&folding) + 1, sizeof *folding.ticks);
    if (status == STATUS_OK)
        status = processes_agree_memory(trace->processes, folding.paths && folding.ticks,
                                        "the stacks", error);
    if (status == STATUS_OK) {
        if (folding.together)
            add_all(&folding);
        status = job_text_open(trace->processes, options->path, &text, error);
    }
    if (status == STATUS_OK) {
        folding.file = job_text_stream(text);
        if (!folding.together)
            export_streams(trace, fold_stream, &folding);
        else if (trace->processes->rank == 0)
            write_stacks(&folding, "");
        status = job_text_close(text, STATUS_OK, error);
    }
    free(folding.ticks);
    export_paths_free(trace, folding.paths);
    free(waits.all.items);
    return status;
}

const struct export_format export_folded = {
    .name = "folded",
    .description = "folded stacks for flame graphs",
    .sums = true,
    .write = write_folded,
};
