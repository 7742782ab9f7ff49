/* Time-independent traces, the input of SimGrid's `smpirun -replay`: an index file with the names
 * of files, one for each rank, with an action per line, "RANK ACTION ARGUMENTS" (doc/schedules.md
 * has them). Without a datatype, sizes are in bytes. Computation is in floating-point operations,
 * at SIMGRID_RATE.
 *
 * The replay finds a request by sender, receiver and tag, so tags are unique. A receive of no bytes
 * would poll, so messages of no bytes get one. */
#include "base/mpi/job_output.h"
#include "base/mpi/job_text.h"
#include "exchange/exports/format.h"
#include "exchange/schedules/schedule.h"
#include "exchange/schedules/ti_actions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

extern const struct export_format export_simgrid;

#define SIMGRID_RATE   1000000000 /* operations per second: one takes a nanosecond */
#define SIMGRID_DOUBLE 0          /* the number of MPI_DOUBLE among SimGrid's datatypes */

struct simgrid_writer {
    FILE *stream;
    uint32_t rank, ranks;
    bool messages;  /* no collective actions */
    bool too_large; /* a message that SimGrid's counts cannot express */
};

static bool write_compute(void *context, uint64_t nanoseconds)
{
    struct simgrid_writer *writer = context;
    fprintf(writer->stream, "%u compute %" PRIu64 "\n", writer->rank, nanoseconds);
    return !ferror(writer->stream);
}

static bool write_message(void *context, const struct schedule_message *message, bool blocking)
{
    struct simgrid_writer *writer = context;
    uint64_t bytes = message->bytes > 0 ? message->bytes : 1;
    fprintf(writer->stream, "%u %s%s %u %u ", writer->rank, blocking ? "" : "i",
            message->sends ? "send" : "recv", message->peer, message->tag);
    if (bytes <= INT32_MAX)
        fprintf(writer->stream, "%" PRIu64 "\n", bytes);
    else
        fprintf(writer->stream, "%" PRIu64 " %d\n", (bytes + 7) / 8, SIMGRID_DOUBLE);
    writer->too_large |= bytes > (uint64_t)INT32_MAX * 8;
    return !ferror(writer->stream) && !writer->too_large;
}

static bool write_wait(void *context, const struct schedule_message *messages, size_t count)
{
    struct simgrid_writer *writer = context;
    for (size_t i = 0; i < count; i++) {
        uint32_t from = messages[i].sends ? writer->rank : messages[i].peer;
        uint32_t to = messages[i].sends ? messages[i].peer : writer->rank;
        fprintf(writer->stream, "%u wait %u %u %u\n", writer->rank, from, to, messages[i].tag);
    }
    return !ferror(writer->stream);
}

static uint64_t count_for(const uint64_t *counts, uint32_t rank, uint64_t block)
{
    return counts ? counts[rank] : block;
}

/* Writes a vector; `block` for each if there is none. */
static void write_counts(const struct simgrid_writer *writer, const uint64_t *counts,
                         uint64_t block)
{
    for (uint32_t i = 0; i < writer->ranks; i++)
        fprintf(writer->stream, " %" PRIu64, count_for(counts, i, block));
}

static uint64_t sum_of(const struct simgrid_writer *writer, const uint64_t *counts, uint64_t block)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < writer->ranks; i++)
        sum += count_for(counts, i, block);
    return sum;
}

static bool fits(const struct simgrid_writer *writer, const struct schedule_collective *collective)
{
    return collective->block <= INT32_MAX / (writer->ranks + 1) &&
           sum_of(writer, collective->sends, collective->block) <= INT32_MAX &&
           sum_of(writer, collective->receives, collective->block) <= INT32_MAX;
}

/* Where only the root has a vector, the others pass zeros. */
static void write_arguments(const struct simgrid_writer *writer,
                            const struct schedule_collective *collective, bool has_vector)
{
    uint64_t block = collective->block, filler = has_vector ? block : 0;
    const uint64_t *sends = collective->sends, *receives = collective->receives;
    bool rooted = collective_op_is_rooted(collective->op);
    switch (ti_action_arguments(collective->op)) {
    case TI_SIZE:
        fprintf(writer->stream, " %" PRIu64, block);
        break;
    case TI_REDUCTION:
        fprintf(writer->stream, " %" PRIu64 " 0", block);
        break;
    case TI_BLOCKS:
        fprintf(writer->stream, " %" PRIu64 " %" PRIu64, block, block);
        break;
    case TI_RECEIVE_VECTOR:
        fprintf(writer->stream, " %" PRIu64, count_for(receives, writer->rank, block));
        write_counts(writer, receives, rooted ? filler : block);
        break;
    case TI_SEND_VECTOR:
        write_counts(writer, sends, filler);
        fprintf(writer->stream, " %" PRIu64, count_for(sends, writer->rank, block));
        break;
    case TI_BOTH_VECTORS:
        fprintf(writer->stream, " %" PRIu64, sum_of(writer, sends, block));
        write_counts(writer, sends, block);
        fprintf(writer->stream, " %" PRIu64, sum_of(writer, receives, block));
        write_counts(writer, receives, block);
        break;
    case TI_NOTHING:
    case TI_PARTS:
        break;
    }
}

/* SimGrid's reducescatter is left out: the replay of SimGrid 3.32 takes all its counts as zero. */
static bool write_collective(void *context, const struct schedule_collective *collective,
                             bool *taken)
{
    struct simgrid_writer *writer = context;
    const char *name = ti_action_of(collective->op).name;
    if (writer->messages || !name || ti_action_arguments(collective->op) == TI_PARTS ||
        !fits(writer, collective))
        return true;
    fprintf(writer->stream, "%u %s", writer->rank, name);
    write_arguments(writer, collective, writer->rank == collective->root);
    if (collective_op_is_rooted(collective->op))
        fprintf(writer->stream, " %u", collective->root);
    fputc('\n', writer->stream);
    *taken = true;
    return !ferror(writer->stream);
}

static enum status write_actions(const struct schedule *schedule, const struct stream *stream,
                                 struct simgrid_writer *writer, struct schedule_losses *losses,
                                 struct error *error)
{
    const struct schedule_sink sink = {
        .context = writer,
        .compute = write_compute,
        .message = write_message,
        .wait = write_wait,
        .collective = write_collective,
    };
    fprintf(writer->stream, "# flops per second: %d; sizes in bytes\n%u init\n", SIMGRID_RATE,
            stream->rank);
    bool written = schedule_walk(schedule, stream, &sink, losses);
    fprintf(writer->stream, "%u finalize\n", stream->rank);
    if (writer->too_large)
        return error_set(error, STATUS_INPUT,
                         "rank %u has a message of more than 16 GiB, which the counts of SimGrid's "
                         "traces cannot express",
                         stream->rank);
    if (written || ferror(writer->stream))
        return STATUS_OK;
    return error_memory(error, "the schedule");
}

static enum status write_rank(const struct schedule *schedule, const struct stream *stream,
                              const struct export_options *options, const char *directory,
                              struct schedule_losses *losses, struct error *error)
{
    char name[32], path[PATH_MAX];
    snprintf(name, sizeof name, "rank-%u.txt", stream->rank);
    enum status status = output_path(directory, name, path, error);
    if (status != STATUS_OK)
        return status;
    struct simgrid_writer writer = {.stream = fopen(path, "w"),
                                    .rank = stream->rank,
                                    .ranks = schedule->trace->rank_count,
                                    .messages = options->messages};
    if (!writer.stream)
        return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", path, strerror(errno));
    status = write_actions(schedule, stream, &writer, losses, error);
    errno = 0;
    bool failed = ferror(writer.stream);
    if ((fclose(writer.stream) != 0 || failed) && status == STATUS_OK)
        status = error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", path,
                           strerror(errno ? errno : EIO));
    return status;
}

/* Collective. The index: "DIRECTORY/rank-0.txt", ... */
static enum status write_index(const struct trace *trace, const char *path, const char *directory,
                               struct error *error)
{
    struct job_text *text;
    enum status status = job_text_open(trace->processes, path, &text, error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        fprintf(job_text_stream(text), "%s/rank-%u.txt\n", directory, trace->streams[s].rank);
    return job_text_close(text, STATUS_OK, error);
}

/* Collective. */
static enum status write_files(const struct schedule *schedule,
                               const struct export_options *options, const char *directory,
                               struct schedule_losses *losses, struct error *error)
{
    static const char *const own[] = {"rank-*.txt", NULL};
    const struct trace *trace = schedule->trace;
    struct job_output output;
    enum status status = job_output_open(trace->processes, directory, options->overwrite,
                                         ", or say --overwrite", own, &output, error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        status = write_rank(schedule, &trace->streams[s], options, output.directory, losses, error);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        return job_output_commit(&output, error);
    job_output_discard(&output);
    return status;
}

static enum status write_simgrid(const struct trace *trace, const struct export_options *options,
                                 struct error *error)
{
    struct schedule schedule;
    struct schedule_losses losses = {0};
    char *directory = NULL;
    enum status status = schedule_open(trace, true, &schedule, error);
    if (status != STATUS_OK)
        return status;
    if (asprintf(&directory, "%s.d", options->path) < 0)
        directory = NULL;
    status = processes_agree_memory(trace->processes, directory != NULL, "a name", error);
    if (status == STATUS_OK)
        status = write_files(&schedule, options, directory, &losses, error);
    if (status == STATUS_OK)
        status = write_index(trace, options->path, directory, error);
    if (status == STATUS_OK)
        schedule_tell_losses(trace, &losses, "the replay of SimGrid");
    free(directory);
    schedule_close(&schedule);
    return status;
}

const struct export_format export_simgrid = {
    .name = "simgrid",
    .description = "time-independent traces for smpirun -replay",
    .several_files = true,
    .runs = true,
    .write = write_simgrid,
};
