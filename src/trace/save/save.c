#include "config.h"

#include "trace/save/save.h"

#include "base/files.h"
#include "base/interrupt.h"
#include "trace/otf2_error.h"
#include "trace/save/save_private.h"
#include "trace/threads.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* OTF2 clears a chunk for each location. For many locations small chunks save time. */
enum {
    EVENT_CHUNK = 1024 * 1024,
    SMALL_EVENT_CHUNK = 256 * 1024, /* OTF2's least */
    MANY_LOCATIONS = 1000,
    DEFINITION_CHUNK = 4 * 1024 * 1024
};

static OTF2_FlushType on_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                               void *caller, bool final)
{
    (void)data;
    (void)type;
    (void)location;
    (void)caller;
    (void) final;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = on_flush};

/* Fails unless `code` is OTF2_SUCCESS and the disk has not failed so far. */
static enum status check_written(struct error *error, const char *directory, OTF2_ErrorCode code)
{
    if (code == OTF2_SUCCESS)
        code = otf2_error_of_disk();
    if (code == OTF2_SUCCESS)
        return STATUS_OK;
    return error_set(error, STATUS_ENVIRONMENT, "%s: the archive cannot be written (%s)", directory,
                     otf2_error_text(code));
}

static OTF2_ErrorCode save_location(OTF2_Archive *archive, const struct trace *trace,
                                    const struct stream *stream, const uint64_t *time,
                                    int64_t *event_count)
{
    uint64_t id = trace->definitions->locations[stream->location].id, count = 0;
    OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(archive, id);
    if (!events)
        return OTF2_ERROR_FILE_INTERACTION;
    OTF2_ErrorCode code = save_events(events, trace, stream, time);
    OTF2_EvtWriter_GetNumberOfEvents(events, &count);
    *event_count = (int64_t)count;
    OTF2_ErrorCode closed = OTF2_Archive_CloseEvtWriter(archive, events);
    return code != OTF2_SUCCESS ? code : closed;
}

/* The times of a location that is not replayed change along with those of its rank. */
static OTF2_ErrorCode save_carried(OTF2_Archive *archive, const struct trace *trace,
                                   const struct stream *stream, int64_t *event_count)
{
    if (!trace->origin)
        return save_location(archive, trace, stream, stream->time, event_count);
    uint64_t *time = trace_carried_times(trace, stream);
    if (!time)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    OTF2_ErrorCode code = save_location(archive, trace, stream, time, event_count);
    free(time);
    return code;
}

static OTF2_ErrorCode save_all_events(OTF2_Archive *archive, const struct trace *trace,
                                      int64_t *event_counts)
{
    OTF2_ErrorCode code = OTF2_Archive_OpenEvtFiles(archive);
    for (uint32_t i = 0; i < trace->owned_count && code == OTF2_SUCCESS; i++)
        if (trace->streams[i].location != INDEX_NONE)
            code = save_location(archive, trace, &trace->streams[i], trace->streams[i].time,
                                 &event_counts[trace->streams[i].location]);
    for (uint32_t i = 0; i < trace->carried_count && code == OTF2_SUCCESS; i++)
        code = save_carried(archive, trace, &trace->carried[i],
                            &event_counts[trace->carried[i].location]);
    return code;
}

/* Readers expect a file of local definitions for every location, even if it is empty. */
static OTF2_ErrorCode save_local_definitions(OTF2_Archive *archive, const struct trace *trace)
{
    OTF2_ErrorCode code = OTF2_Archive_OpenDefFiles(archive);
    for (uint32_t i = 0; i < trace->owned_count + trace->carried_count && code == OTF2_SUCCESS;
         i++) {
        uint32_t location = trace_any_stream(trace, i)->location;
        if (location == INDEX_NONE)
            continue;
        OTF2_DefWriter *writer =
            OTF2_Archive_GetDefWriter(archive, trace->definitions->locations[location].id);
        code = writer ? OTF2_Archive_CloseDefWriter(archive, writer) : OTF2_ERROR_FILE_INTERACTION;
    }
    return code;
}

/* Writes SILAS::THREADS. False if out of memory. */
static bool save_threads(OTF2_Archive *archive, const struct definitions *d)
{
    char *value = NULL;
    size_t size;
    FILE *text = open_memstream(&value, &size);
    if (!text)
        return false;
    fputs("apart", text);
    for (uint32_t rank = 0; rank < d->rank_count; rank++)
        if (thread_of_rank(d, rank) > 0)
            fprintf(text, " %llu", (unsigned long long)d->locations[d->rank_location[rank]].id);
    const bool written = fclose(text) == 0;
    if (written)
        OTF2_Archive_SetProperty(archive, SILAS_PROPERTY_THREADS, value, true);
    free(value);
    return written;
}

/* False if out of memory. */
static bool save_properties(OTF2_Archive *archive, const struct trace *trace)
{
    const struct definitions *d = trace->definitions;
    OTF2_Archive_SetCreator(archive, "SILAS " PACKAGE_VERSION);
    if (*d->machine)
        OTF2_Archive_SetMachineName(archive, d->machine);
    for (uint32_t i = 0; i < d->property_count; i++)
        OTF2_Archive_SetProperty(archive, d->properties[i].name, d->properties[i].value, true);
    return !d->threads || save_threads(archive, d);
}

/* OTF2 3.0.2 does not report it if the anchor file, which it writes last, cannot be opened. */
static enum status check_anchor(const char *directory, struct error *error)
{
    char path[4200];
    struct stat info;
    snprintf(path, sizeof path, "%s/traces.otf2", directory);
    if (stat(path, &info) == 0 && info.st_size > 0)
        return STATUS_OK;
    return error_set(
        error, STATUS_ENVIRONMENT,
        "%s: the archive's anchor file cannot be written: is the disk full, or are too "
        "many files open?",
        directory);
}

static enum status write_archive(OTF2_Archive *archive, const struct trace *trace,
                                 const char *directory, struct error *error)
{
    const struct processes *processes = trace->processes;
    int64_t *event_counts = calloc(trace->definitions->location_count + 1, sizeof *event_counts);
    enum status status = processes_agree_memory(processes, event_counts, "the archive", error);
    if (status != STATUS_OK) {
        free(event_counts);
        return status;
    }
    status = check_written(error, directory, save_all_events(archive, trace, event_counts));
    status = processes_agree(processes, status, error);
    OTF2_Archive_CloseEvtFiles(archive);
    if (status == STATUS_OK) {
        status = check_written(error, directory, save_local_definitions(archive, trace));
        status = processes_agree(processes, status, error);
        OTF2_Archive_CloseDefFiles(archive);
    }
    if (status == STATUS_OK) {
        processes_sum(processes, event_counts, trace->definitions->location_count);
        if (processes->rank == 0) {
            status =
                save_properties(archive, trace) ? STATUS_OK : error_memory(error, "the archive");
            if (status == STATUS_OK)
                status = save_definitions(archive, trace, event_counts, error);
        }
        status = processes_agree(processes, status, error);
    }
    free(event_counts);
    return status;
}

static enum status open_and_write(const struct trace *trace, const char *directory,
                                  struct error *error)
{
    OTF2_CollectiveContext context = {trace->processes};
    otf2_error_capture();
    bool many = trace->definitions->location_count > MANY_LOCATIONS;
    OTF2_Archive *archive = OTF2_Archive_Open(
        directory, "traces", OTF2_FILEMODE_WRITE, many ? SMALL_EVENT_CHUNK : EVENT_CHUNK,
        DEFINITION_CHUNK, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    enum status status =
        check_written(error, directory, archive ? OTF2_SUCCESS : OTF2_ERROR_FILE_INTERACTION);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK) {
        OTF2_Archive_SetFlushCallbacks(archive, &flush_callbacks, NULL);
        status = check_written(error, directory, save_set_processes(archive, &context));
        if (processes_agree(trace->processes, status, error) != STATUS_OK)
            return error->status; /* do not close the archive: OTF2 has freed its memory */
        status = write_archive(archive, trace, directory, error);
    }
    OTF2_ErrorCode closed = archive ? OTF2_Archive_Close(archive) : OTF2_SUCCESS;
    if (status == STATUS_OK)
        status = check_written(error, directory, closed);
    if (status == STATUS_OK && trace->processes->rank == 0)
        status = check_anchor(directory, error);
    return processes_agree(trace->processes, status, error);
}

/* Prepares the directory of the archive. It must not exist or be empty, and its parent must be
 * writable. */
static enum status make_target(const char *directory, const char *partial, bool removes,
                               struct error *error)
{
    struct stat info;
    if (stat(directory, &info) == 0 && rmdir(directory) != 0)
        return error_set(error, STATUS_INPUT, "%s: exists already", directory);
    files_remove_tree(partial); /* left by a run that was killed */
    enum status status = STATUS_OK;
    interrupt_hold();
    if (mkdir(partial, 0777) != 0)
        status = error_set(error, STATUS_ENVIRONMENT, "%s: the archive cannot be written here (%s)",
                           directory, strerror(errno));
    else if (removes)
        interrupt_remove(partial);
    interrupt_release();
    return status;
}

enum status trace_save(const struct trace *trace, const char *directory, struct error *error)
{
    assert(*directory);
    const struct processes *processes = trace->processes;
    char *partial;
    enum status status = STATUS_OK;
    if (asprintf(&partial, "%s.partial", directory) < 0) {
        partial = NULL;
        status = error_memory(error, "a path");
    }
    bool removes =
        partial &&
        !interrupt_removes(); /* otherwise the output of which it is a part is removed as a whole */
    if (status == STATUS_OK && processes->rank == 0)
        status = make_target(directory, partial, removes, error);
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK && removes)
        interrupt_remove(partial);
    if (status == STATUS_OK)
        status = open_and_write(trace, partial, error);
    if (status == STATUS_OK && processes->rank == 0 && rename(partial, directory) != 0)
        status = error_set(error, STATUS_ENVIRONMENT, "%s: %s", directory, strerror(errno));
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK && partial && processes->rank == 0)
        files_remove_tree(partial);
    if (removes)
        interrupt_remove(NULL);
    free(partial);
    return status;
}
