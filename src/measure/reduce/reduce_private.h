/* Declarations that the files of the reduction of a run share (reduce.h). */
#ifndef RUNNING_REDUCE_PRIVATE_H
#define RUNNING_REDUCE_PRIVATE_H

#include "measure/reduce/assumptions.h"
#include "measure/reduce/host_clocks.h"

#include "reduce/rules/moments.h"
#include "base/map.h"
#include "base/mpi_call.h"
#include "measure/archive/folded.h"
#include "measure/archive/rank_definitions.h"
#include "measure/archive/symbols.h"
#include "measure/archive/record_reader.h"

#include <stdio.h>

/* Reads the first thread's records of a rank segment by segment, as they become complete. */
struct segment_reader {
    struct record_path path;
    struct record_path begun_path; /* exists as soon as some records were freed */
    struct record_path ready_path; /* of another host: its keeper writes there how much is ready */
    bool remote;
    off_t ready; /* bytes, as last read there */
    int file;    /* -1: not open */
    struct record_header header;
    off_t next; /* offset of the next segment */
    const struct record_slot *segment;
    size_t slots, at;
    bool ended; /* the process has ended, so all segments are complete */
    bool keeps; /* segments are not freed after reading */
    bool begun; /* a segment was freed */
};

/* `remote`: the rank is on another host (remote_records.h). */
enum status segment_reader_open(struct segment_reader *reader, const char *directory, uint32_t rank,
                                bool remote, bool keeps, struct error *error);
void segment_reader_close(struct segment_reader *reader);
/* Looks up how much is ready, if the rank is on another host. */
void segment_reader_update(struct segment_reader *reader);
/* Reads the file's header again, whose last moment is newer. */
bool segment_reader_header(const struct segment_reader *reader, struct record_header *header);

/* The next record, valid until the next call; NULL if none is complete. A failure to read or a
 * damaged record sets `*status`. */
const struct record_slot *segment_reader_next(struct segment_reader *reader, enum status *status,
                                              struct error *error);

enum send_kind { SENDS_STANDARD, SENDS_BUFFERED, SENDS_SYNCHRONOUS, SENDS_READY };

/* One end of a message, from its first record until all its records are written or folded and the
 * other end does not need it any more. */
struct message_end {
    struct message_end *partner; /* NULL: not found yet */
    struct message_end *next;    /* in a channel, or among the receives that the rank has posted */
    uint32_t moment;             /* at which it is posted; of reduction->moments */
    int64_t post;
    int64_t left; /* of sends: the end of the call that completes them; INT64_MAX: not read yet */
    uint64_t bytes;
    uint32_t comm, source, destination,
        tag; /* comm: place in run_reduction->comms; ranks of MPI_COMM_WORLD */
    uint32_t references;
    uint8_t mode; /* enum send_kind */
    bool sends;
    bool resolved; /* receives: source and tag are those of the message */
    bool any_source, any_tag,
        anything;  /* of unresolved receives; anything: any communicator, too */
    bool posted;   /* `moment` is set */
    bool complete; /* the record of its completion has been read */
    bool done;     /* the call that completes it has been evaluated */
    bool needed;   /* after that: the call needs the arrival */
    bool keep;     /* stays for another reason */
};

/* A member's arrival in an operation. */
struct member_arrival {
    uint32_t rank, moment;
    int64_t time;
};

struct run_operation {
    ARRAY(struct member_arrival) arrivals;
    uint32_t members;    /* of the communicator */
    uint32_t registered; /* members that have set their part in it */
    uint32_t arriving;   /* members that others may wait for */
    uint32_t done;       /* members whose waiting has been evaluated */
    uint32_t left;       /* members that have not written or folded it */
    bool from_root;
    bool computed; /* `latest` is set */
    bool needed, keep;
    uint32_t latest; /* moment */
    int64_t latest_time;
};

/* A member's part in an operation. */
struct member_part {
    struct run_operation *operation;
    uint32_t references;
    uint32_t comm, ordinal; /* comm: place in run_reduction->comms of its operations */
    uint32_t path;          /* of the folded call that began it */
    bool arrives, waits, from_root;
    bool nothing;      /* no other rank takes part */
    bool scans;        /* waits for the latest of `sources`; otherwise for each of them */
    bool resolved;     /* the fields of this part are set */
    uint32_t *sources; /* world ranks that it waits for; NULL: it waits for all that arrive */
    uint32_t source_count;
};

struct record_copy {
    struct record_slot slot[4]; /* with the time on rank 0's clock */
    uint64_t time;              /* on the rank's own clock */
    struct message_end *end;
    struct member_part *part;
    uint8_t slots;
    bool posts, waits;
};

/* A record outside of MPI, or an MPI call with all its records. */
struct stream_entry {
    struct stream_entry *next;
    ARRAY(struct record_copy) copies;
    int64_t enter, leave;
    uint32_t region;
    uint8_t class; /* enum mpi_class; MPI_CLASS_NONE: a record outside of MPI */
    bool whole;    /* all of its communication stays */
    bool unknown;  /* its end may be at any time under assumptions */
    bool stays;    /* even if none of its records does */
    bool evaluated;
};

struct region_view {
    enum mpi_call call; /* MPI_CALL_NONE: of the program */
    bool assumed;
};

struct comm_view {
    uint32_t comm; /* place in run_reduction->comms */
    bool self, inter;
    uint32_t size;             /* of the own group */
    uint32_t me;               /* rank in it */
    uint32_t *members, *peers; /* world ranks; peers: the ranks that messages go to */
    uint32_t peer_count;
    uint32_t operations; /* begun so far */
};

struct rank_stream;

/* The region or communicator with an id of the rank. Reads the definitions again if it is new. NULL
 * if it is not defined, or if out of memory (run_reduction->status). */
const struct region_view *rank_stream_region(struct rank_stream *stream, uint32_t region);
struct comm_view *rank_stream_comm(struct rank_stream *stream, uint32_t comm);

/* A vector of ranks (record_format.h: COUNTS); false if it is not defined. */
bool rank_stream_numbers(struct rank_stream *stream, uint32_t id, const uint64_t **numbers,
                         uint32_t *count);

/* A region that is open while entries are written. */
struct open_visit {
    struct record_copy enter;
    uint32_t path;
    int64_t inner, folded; /* ticks of the visits in it: of all, and of those that fold */
    bool written;
};

struct out_file {
    FILE *file;
    uint64_t in_segment; /* slots */
};

struct rank_stream {
    struct run_reduction *reduction;
    uint32_t rank;
    struct segment_reader segments;
    struct host_clock *clock;          /* NULL: rank 0's */
    const struct record_slot *waiting; /* read, but its time cannot be mapped yet; NULL: none */
    struct rank_definitions definitions;
    ARRAY(struct region_view) regions;
    ARRAY(struct comm_view) comms;

    /* parse.c */
    struct stream_entry *open; /* the call that is being read */
    uint32_t depth;            /* regions open in it */
    int64_t now;               /* time of the last record on rank 0's clock, */
    int64_t own_now;           /* and on the rank's */
    int64_t flush;             /* the same; see archive/events.c */
    struct map requests;       /* request -> place in `pending` */
    struct map probes;         /* number of a matched probe -> the same */
    struct map
        starts; /* place in run_reduction->comms of a persistent operation -> starts so far */
    ARRAY(struct pending_target {
        struct message_end *end;
        struct member_part *part;
        uint32_t free;
    })
    pending;
    uint32_t free_pending;
    struct message_end *posted, *last_posted; /* receives without a message so far, in order */
    struct stream_entry *first, *last;        /* read and not yet written */
    size_t entries;
    bool parsed_all;
    bool after_probe, after_test; /* the last communicating call probed; tested or probed */
    uint64_t events;

    /* evaluate.c */
    struct stream_entry *evaluated; /* the last evaluated entry; NULL: none of the list is */
    size_t step;                    /* the next step of the entry after it */
    uint32_t moment;                /* the end of the last call or record */
    uint32_t assumed;               /* open regions whose computation may change */
    int64_t before;                 /* end of the last call, or record */
    int64_t computed;               /* ticks in such regions since `moment` was set */
    bool computes;                  /* there was such computation, perhaps of length 0 */

    /* emit.c */
    struct out_file out;
    ARRAY(struct open_visit) visits;
    ARRAY(struct folded_path) paths;
    struct map path_index;
    bool finalized; /* after MPI_Finalize everything stays */
    bool separate;  /* the last written call tested or probed */
    uint32_t assumed_visits;
};

struct channel {
    struct message_end *sends, *last_send, *receives, *last_receive;
};

/* The operations of a communicator, except for persistent ones, or the starts of one persistent
 * operation. Members may start persistent operations in different orders; the n-th starts of one
 * operation belong together, as in trace/match/match_collectives.c. */
struct run_comm {
    ARRAY(struct run_operation *)
    operations; /* from number `first` on */
    uint32_t first;
    uint32_t members;
};

struct run_reduction {
    const char *directory;
    const struct run_assumptions *assumptions;
    uint32_t size;
    double ticks_per_second;
    int64_t least_wait; /* ticks */
    struct rank_stream *streams;
    ARRAY(struct host_clock) clocks; /* of the hosts without rank 0 */
    double next_update;              /* when their keepers' files are read again, clock_seconds */
    struct map comm_index;           /* creator and number -> place in `comms` */
    struct map persistent_index; /* place of a communicator and number of its persistent operation
                                    -> place in `comms` */
    ARRAY(struct run_comm) comms;
    struct map channel_index;
    ARRAY(struct channel) channels;
    struct function_symbols *symbols; /* NULL: no regions are assumed */
    struct moments *moments;
    ARRAY(struct moment_arrival) arrivals; /* of the call or operation being evaluated */
    bool ends;                             /* no more records will come */
    bool gives_up;                         /* everything undecided stays */
    enum status status;
    struct error error;
};

/* Sets the reduction's error to that for a failed allocation. Returns false. */
bool run_reduction_no_memory(struct run_reduction *reduction);

/* Makes an end of a message, to which a record will refer; NULL if out of memory. */
struct message_end *message_end_make(struct run_reduction *reduction, bool sends);
/* A send is posted. A receive is posted, whose message will be found when it is resolved. */
void message_end_add_send(struct run_reduction *reduction, struct message_end *end);
void message_end_add_receive(struct rank_stream *stream, struct message_end *end);
/* Source and tag of the receive are set. */
void message_end_resolve(struct rank_stream *stream, struct message_end *end);
/* The send or receive was cancelled. */
void message_end_withdraw(struct rank_stream *stream, struct message_end *end);
/* A record that referred to the end was written or folded. */
void message_end_release(struct run_reduction *reduction, struct message_end *end);

/* The arrival of a rank; NULL if it has not arrived. */
const struct member_arrival *run_operation_arrival(const struct run_operation *operation,
                                                   uint32_t rank);

/* What the transfer of a message costs. `source` and `destination` are set. */
const struct run_distance *message_end_distance(const struct run_reduction *reduction,
                                                const struct message_end *end);
/* Whether the records so far show if the send waits for its receive; then, whether it does. */
bool message_end_mode_known(const struct run_reduction *reduction, const struct message_end *send);
bool message_end_is_synchronous(const struct run_reduction *reduction,
                                const struct message_end *send);

/* 1: stays, 0: folds, -1: not decided yet. */
int message_end_fate(const struct run_reduction *reduction, const struct message_end *end);
int member_part_fate(const struct member_part *part);

/* `persistent`: the number of a persistent operation on the communicator, or RECORD_NONE. */
struct member_part *member_part_make(struct rank_stream *stream, struct comm_view *comm,
                                     uint32_t persistent);
/* Adds this member's part to its operation. */
void member_part_register(struct rank_stream *stream, struct member_part *part);
/* The member arrives, if others may wait for it. Takes over the use of `moment`. */
void member_part_arrive(struct rank_stream *stream, struct member_part *part, int64_t time,
                        uint32_t moment);
bool member_part_is_ready(struct rank_stream *stream, struct member_part *part);
void member_part_release(struct run_reduction *reduction, struct member_part *part);

/* Each of the following functions returns whether it has processed an entry.
 * Reads up to `count` entries. */
bool rank_stream_read(struct rank_stream *stream, size_t count);
/* Evaluates entries until one needs a value of another rank that is not computed yet. */
bool rank_stream_evaluate(struct rank_stream *stream);
/* Keeps all undecided entries, because no further records will come. */
void rank_stream_keep_rest(struct rank_stream *stream);
/* Writes or folds entries until one is not decided yet. */
bool rank_stream_emit(struct rank_stream *stream);
/* Keeps the first entry, although it is not decided, to bound the memory. */
void rank_stream_keep_first(struct rank_stream *stream);

/* Opens and completes the rank's files. False on failure (run_reduction->status). */
bool rank_stream_open_output(struct rank_stream *stream);
bool rank_stream_close_output(struct rank_stream *stream);

#endif
