/* The steps of trace_load, and the data that they share. */
#ifndef TRACE_LOAD_PRIVATE_H
#define TRACE_LOAD_PRIVATE_H

#include "trace/load/definition_ids.h"
#include "trace/trace.h"

#include <otf2/otf2.h>

/* Finds the anchor file: `given` itself, or the only anchor file in that directory. Checks that the
 * file has as many texts as it announces, because the OTF2 library would loop for minutes over a
 * damaged count. The caller frees `*path`, which is NULL after a failure. */
enum status anchor_find(const char *given, char **path, struct error *error);

/* Reads all global definitions. The caller clears `ids` with definition_ids_clear; after a failure
 * nothing is left to free. */
enum status load_definitions(OTF2_Reader *reader, const char *path,
                             struct definitions **definitions, struct definition_ids *ids,
                             struct error *error);

/* A ProgramBegin opens a region named after the program. If the archive does not define such a
 * region, it is added when all processes have read all events; until then the region of its call
 * path is this bit and the index of the string with the name. */
#define REGION_PROGRAM_BIT 0x80000000u

/* The region of the archive that stands for a program, with or without its arguments in the name;
 * ranks started with different arguments share it. INDEX_NONE: there is none. */
uint32_t load_program_region(const struct definitions *definitions, const char *program);

/* Records that do not fit the records before them, because recording began late or ended early, or
 * the tracer missed some. */
enum irregular_kind {
    IRREGULAR_LEAVE,            /* of a region that is not open; left out */
    IRREGULAR_COLLECTIVE_BEGIN, /* without an end; left out */
    IRREGULAR_COLLECTIVE_END,   /* without a begin; begins at the event before */
    IRREGULAR_COMPLETION,       /* of a request that was not posted; posted by the event before */
    IRREGULAR_SEND_COMPLETION,  /* of a send that was not posted; left out */
    IRREGULAR_REGION,           /* communication outside of MPI calls */
    IRREGULAR_KIND_COUNT
};

struct irregular_records {
    int64_t count;
    char first[256];   /* where the first one is, for the user */
    uint32_t location; /* of the first one */
};

/* The archive, shared by all locations of a process. */
struct event_source {
    OTF2_Reader *reader;
    struct event_files *files; /* NULL: only OTF2 can read the event files */
    const char *path;          /* of the anchor file, for messages */
    const struct definitions *definitions;
    const struct definition_ids *ids;
    struct calltree
        *calltree; /* grows; call paths have numbers of this process until the trees are unified */
    struct arena *arena;                  /* owns the completed columns */
    bool has_mappings, has_clock_offsets; /* ids or times of a location must be translated */
    struct irregular_records irregular[IRREGULAR_KIND_COUNT];
    uint64_t dropped; /* number of records of kinds that are not kept (metrics, I/O) */
};

/* Fills `stream`, whose rank and location the caller has set, with all events of the location and
 * applies clock offsets. Closes open regions at the last time stamp; `*closed` is their number. */
enum status load_events(struct event_source *source, struct stream *stream, uint32_t *closed,
                        struct error *error);
/* Does the same without OTF2, faster (event_files.h). If the location's files are unusual, sets
 * `*usual` to false and leaves the stream as it was; load_events has to read it. */
enum status load_event_file(struct event_source *source, struct stream *stream, uint32_t *closed,
                            bool *usual, struct error *error);

/* Reads the events of a location in several steps. */
struct event_reader {
    struct event_source *source;
    struct stream_builder *builder; /* the stream as read so far */
    OTF2_EvtReader *reader;
    char who[96]; /* in messages */
};

/* Opens the location of a stream and allocates memory for `rows`. After a failure nothing is left
 * to close. */
enum status event_reader_open(struct event_source *source, struct stream *stream, uint64_t rows,
                              struct event_reader *reader, struct error *error);
/* Reads up to `records` further records; UINT64_MAX: all. `*ended`: there are no more. */
enum status event_reader_read(struct event_reader *reader, uint64_t records, bool *ended);
void event_reader_close(struct event_reader *reader);

/* Collective. Creates an empty trace. */
enum status load_create(struct processes *processes, struct trace **trace, struct error *error);
/* Reads the definitions of the archive trace->path, and opens the events of this process's ranks.
 * The caller closes the source with load_close and clears `ids`; after a failure nothing is left to
 * free. */
enum status load_open(struct trace *trace, struct definition_ids *ids, struct event_source *source,
                      struct error *error);
void load_close(struct event_source *source);
/* trace_load, which also counts the locations that this process has read without OTF2 in `*direct`.
 * If `direct` is NULL, OTF2 reads all locations. Tests compare both readers. */
enum status trace_load_by(const char *path, struct processes *processes, uint32_t *direct,
                          struct trace **trace, struct error *error);
/* Collective. Warns of the irregular records that the processes have read. */
void load_warn_of_irregular(const struct trace *trace, struct event_source *source);
/* Fails if time stamps are so far apart that sums over the ranks would overflow. */
enum status load_check_span(const struct trace *trace, struct error *error);
/* Replaces the call paths in the rows of a stream by remap[call path]. */
void load_renumber(const struct stream *stream, const uint32_t *remap);
/* Adds regions for the programs at the roots of the call tree. */
enum status load_name_programs(struct trace *trace, const struct definition_ids *ids,
                               struct error *error);

/* True if the window is one of MPI's. Those of other paradigms (copies to and from an accelerator)
 * are kept for saving only. */
static inline bool window_is_mpi(const struct definitions *d, uint32_t window)
{
    return window < d->window_count && window_takes_part(d, window);
}

/* One end of an operation that one thread of a rank begins and another ends: a request posted by
 * one thread and completed by another, or a message matched by the probe of one thread and received
 * by another. The reader of a location sees only one end and records it here. merge_threads joins
 * the two ends by their ids, which are unique in the process. */
struct thread_end {
    uint64_t id;
    /* Begin of a request: its message, or COLLECTIVE_BIT | collective. End of a request: a
     * placeholder message or collective, which has the data of the completion and no post. Matched
     * probe: the row of the MATCHED event. Receive of its message: the message. */
    uint32_t index;
    bool probe;
};

/* The unjoined ends in one stream, in the arena of its trace. */
struct thread_ends {
    struct thread_end *begun, *ended;
    uint32_t begun_count, ended_count;
};

/* True if the stream has records of MPI communication. */
bool stream_communicates(const struct trace *trace, const struct stream *stream);

/* Collective. Finds out whether MPI calls of two threads of a rank overlap in time
 * (MPI_THREAD_MULTIPLE). Call it after all streams have been read and before call paths are
 * unified, and then one of the next two functions. */
enum status threads_overlap(struct trace *trace, bool *at_once, struct error *error);

/* Collective. For ranks whose threads communicate one at a time (MPI_THREAD_SERIALIZED): moves the
 * MPI calls that communicate from the carried streams of owned ranks into the ranks' own streams,
 * below the region in which the main thread is at that time. Events of the main thread during such
 * a call (none communicates) are moved to the end of the call. One thread may begin a request or a
 * matched probe and another may end it. `*ranks` is the number of ranks with moved calls. */
enum status merge_threads(struct trace *trace, int64_t *ranks, struct error *error);

/* Collective. For threads that communicate at the same time: makes each communicating thread of
 * each MPI process a rank (trace/threads.h). Communicators, windows and groups of epochs get these
 * ranks as members, and messages get the ranks of their partners. A request that one thread begins
 * and another completes belongs to the rank of the latter. */
enum status split_threads(struct trace *trace, struct error *error);

#endif
