/* The parts of loading, called one after the other by trace_load, and what they share. */
#ifndef TRACE_LOAD_PARTS_H
#define TRACE_LOAD_PARTS_H

#include "trace/load/definition_ids.h"
#include "trace/trace.h"

#include <otf2/otf2.h>

/* Finds the anchor file: `given` itself, or the only one in that directory. Compares the announced
 * number of properties with the file's length, because the library loops over a damaged count for
 * minutes. The caller frees `*path`, which is NULL after a failure. */
enum status anchor_find(const char *given, char **path, struct error *error);

/* Reads all global definitions. The caller clears `ids` with definition_ids_clear; after a failure
 * nothing is left to free. */
enum status load_definitions(OTF2_Reader *reader, const char *path,
                             struct definitions **definitions, struct definition_ids *ids,
                             struct error *error);

/* A ProgramBegin has a region of its own in the call tree. Unless the archive has it, the region is
 * made when all processes have read all programs; until then its path has this bit and the string
 * index of the name. */
#define REGION_PROGRAM_BIT 0x80000000u

/* The region that stands for a program already, whatever its arguments are: ranks that have others
 * share it. INDEX_NONE: there is none. */
uint32_t load_program_region(const struct definitions *definitions, const char *program);

/* The data shared by all locations whose events a process reads. */
struct event_source {
    OTF2_Reader *reader;
    struct event_files *files; /* NULL: their files are of a kind that only OTF2 reads */
    const char *path;          /* of the anchor file, for messages */
    const struct definitions *definitions;
    const struct definition_ids *ids;
    struct calltree *calltree; /* grows; call path numbers are this process's until unified */
    struct arena *arena;       /* owns the finished columns */
    bool has_mappings, has_clock_offsets; /* ids or times of some location must be translated */
    uint64_t dropped;                     /* records of kinds that are not kept (metrics, I/O) */
};

/* Fills `stream` (the caller sets rank and location) with all events of that location and applies
 * clock offsets. Open regions are closed at the last time stamp; `*closed` counts them. */
enum status load_events(struct event_source *source, struct stream *stream, uint32_t *closed,
                        struct error *error);
/* The same faster and without OTF2 (event_files.h). If the location's files are unusual, `*usual`
 * is false and the stream is as it was: load_events has to read it. */
enum status load_event_file(struct event_source *source, struct stream *stream, uint32_t *closed,
                            bool *usual, struct error *error);

/* Reads the events of a location little by little. */
struct event_reader {
    struct builder *builder; /* has what was read */
    OTF2_EvtReader *reader;
    char who[96]; /* in messages */
};

/* Opens the location of a stream; `rows` are made room for. Close the reader also after a
 * failure. */
enum status event_reader_open(struct event_source *source, struct stream *stream, uint64_t rows,
                              struct event_reader *reader, struct error *error);
/* Reads `records` further ones, or all (UINT64_MAX). `*ended`: there are no more. */
enum status event_reader_read(struct event_reader *reader, uint64_t records, bool *ended);
void event_reader_close(struct event_reader *reader);

/* The steps of trace_load. Collective: an empty trace. */
enum status load_create(struct processes *processes, struct trace **trace, struct error *error);
/* Reads the definitions and opens the events of this process's ranks, the path of trace->path. The
 * caller closes the source with load_close, and clears `ids`; after a failure nothing is left to
 * free. */
enum status load_open(struct trace *trace, struct definition_ids *ids, struct event_source *source,
                      struct error *error);
void load_close(struct event_source *source);
/* trace_load. `*direct` counts the locations of this process that were read without OTF2; if it is
 * NULL, OTF2 has to read all of them. Tests compare both. */
enum status trace_load_by(const char *path, struct processes *processes, uint32_t *direct,
                          struct trace **trace, struct error *error);
/* Refuses time stamps that are so far apart that sums over the ranks would overflow. */
enum status load_check_span(const struct trace *trace, struct error *error);
/* Gives the call paths of a stream their new numbers. */
void load_renumber(const struct stream *stream, const uint32_t *remap);
/* Makes regions for the programs at the roots of the call tree. */
enum status load_name_programs(struct trace *trace, const struct definition_ids *ids,
                               struct error *error);

/* Operations that one thread of a rank begins and another ends: a request posted by one thread and
 * completed by another, a message matched by one thread's probe and received by another. The reader
 * of a location sees only one half and notes it here. merge_threads joins the halves by their ids,
 * which are unique in the process. */
struct thread_end {
    uint64_t id;
    /* Of the begin of a request: its message, or COLLECTIVE_BIT | collective. Of its end: the same
     * for a placeholder, which has the data of the completion and no post. Of a matched probe: the
     * row of the MATCHED event. Of the receive of its message: the message. */
    uint32_t index;
    bool probe;
};

/* The ends of one stream, in the arena of its trace. */
struct thread_ends {
    struct thread_end *begun, *ended;
    uint32_t begun_count, ended_count;
};

/* True if the stream has records of MPI communication. */
bool stream_communicates(const struct trace *trace, const struct stream *stream);

/* Collective. Whether calls of two threads of any rank overlap (MPI_THREAD_MULTIPLE). Call it when
 * all streams are read and before call paths are unified, and then one of the following. */
enum status threads_overlap(struct trace *trace, bool *at_once, struct error *error);

/* Collective. Ranks whose threads take turns in communicating (MPI_THREAD_SERIALIZED): moves the
 * MPI calls that communicate from the carried streams of owned ranks into the ranks' own streams,
 * below the region that the main thread is in at that time. Events of the main thread during such a
 * call (none communicates) are moved to the call's end. One thread may begin a request or a matched
 * probe and another may end it. `*ranks` counts the ranks with moved calls. */
enum status merge_threads(struct trace *trace, int64_t *ranks, struct error *error);

/* Collective. Threads that communicate at once: makes each communicating thread of each MPI process
 * a rank (trace/threads.h), gives communicators, windows and groups of epochs these ranks as
 * members, and messages the ranks of their partners. A request that one thread begins and another
 * completes is an error. */
enum status split_threads(struct trace *trace, struct error *error);

#endif
