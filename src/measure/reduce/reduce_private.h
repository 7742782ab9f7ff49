/* What the files of the reduction while running share. */
#ifndef RUNNING_REDUCE_PRIVATE_H
#define RUNNING_REDUCE_PRIVATE_H

#include "measure/reduce/assumptions.h"

#include "reduce/rules/difference.h"
#include "base/map.h"
#include "base/mpi_call.h"
#include "measure/archive/folded.h"
#include "measure/archive/rank_definitions.h"
#include "measure/archive/symbols.h"
#include "measure/recorder/record_format.h"
#include "measure/recorder/record_path.h"

#include <stdio.h>

struct source {
    struct record_path path;
    struct record_path
        begun_path; /* marks that records were freed: only a complete reduction has all */
    int file;       /* -1: none */
    struct record_header header;
    off_t next; /* offset of the next segment */
    const struct record_slot *segment;
    size_t slots, at;
    bool ended; /* the process has ended: all segments are complete */
    bool keeps; /* read segments are not freed: the records are wanted elsewhere, too */
    bool begun; /* some segment was freed */
};

enum status source_open(struct source *source, const char *directory, uint32_t rank, bool keeps,
                        struct error *error);
void source_close(struct source *source);

/* Whether another segment is complete: the process is filling the second one behind it, because
 * records in the last but one may still change (recorder.h: recorder_take_back). */
bool source_has_more(const struct source *source);

/* The next record, valid until the next call; NULL: none is complete. A failure to read or a
 * damaged record ends the source and sets `*status`. */
const struct record_slot *source_next(struct source *source, enum status *status,
                                      struct error *error);

enum send_kind { SENDS_STANDARD, SENDS_BUFFERED, SENDS_SYNCHRONOUS, SENDS_READY };

/* One end of a message, from its first record until all its records are written or folded and
 * the other end needs it no more. */
struct end {
    struct end *partner; /* NULL: not known yet */
    struct end *next;    /* in a channel, or among the receives that the rank has posted */
    struct difference difference;
    int64_t post;
    int64_t left; /* sends: the end of the call that completes them; INT64_MAX: not known yet */
    uint64_t bytes;
    uint32_t comm, source, destination, tag; /* comm: of struct reduction; ranks of the world */
    uint32_t references;
    uint8_t mode; /* enum send_kind */
    bool sends;
    bool resolved;                      /* receives: source and tag are those of the message */
    bool any_source, any_tag, anything; /* unresolved: anything: not even its comm is known */
    bool posted;                        /* `difference` is known */
    bool complete;                      /* the record of its completion has been read */
    bool done;                          /* the call that completes it has been evaluated */
    bool needed;                        /* then: that call needs the arrival */
    bool keep;                          /* stays for another reason */
};

/* A member's arrival in an operation. */
struct member_arrival {
    uint32_t rank;
    int64_t time;
    struct difference difference;
};

struct operation {
    ARRAY(struct member_arrival) arrivals;
    uint32_t members;    /* of the communicator */
    uint32_t registered; /* whose part in it is known */
    uint32_t arriving;   /* that others may wait for */
    uint32_t done;       /* members whose waiting has been evaluated */
    uint32_t left;       /* members that have not written or folded it */
    bool from_root;
    bool computed; /* `latest` is set */
    bool needed, keep;
    struct difference latest;
    int64_t latest_time;
};

/* A member's part in an operation. */
struct part {
    struct operation *operation;
    uint32_t references;
    uint32_t comm, ordinal; /* `comm`: of struct reduction */
    bool arrives, waits, from_root;
    bool nothing;      /* nobody else takes part */
    bool scans;        /* waits for the latest of `sources`; otherwise for each of them */
    bool resolved;     /* what the call does is known */
    uint32_t *sources; /* ranks of the world that it waits for; NULL: for all that arrive */
    uint32_t source_count;
};

struct copy {
    struct record_slot slot[4];
    struct end *end;
    struct part *part;
    uint8_t slots;
    bool posts, waits;
};

/* A record outside of MPI, or an MPI call with all its records. */
struct entry {
    struct entry *next;
    ARRAY(struct copy) copies;
    int64_t enter, leave;
    uint32_t region;
    uint8_t class; /* enum mpi_class; MPI_CLASS_NONE: a record outside of MPI */
    bool whole;    /* all of its communication stays */
    bool unknown;  /* how it ends under assumptions is not followed */
    bool stays;    /* even if nothing in it does */
    bool evaluated;
};

struct region_view {
    enum mpi_call call; /* MPI_CALL_NONE: of the program */
    bool assumed;
};

struct comm_view {
    uint32_t comm; /* of struct reduction */
    bool self, inter;
    uint32_t size;             /* of the own group */
    uint32_t me;               /* rank in it */
    uint32_t *members, *peers; /* ranks of the world; peers: those that messages go to */
    uint32_t peer_count;
    uint32_t operations; /* begun so far */
};

struct stream;

/* Reads the definitions again if the region or communicator is not known. NULL: it is not defined,
 * or memory is out (reduction->status). */
const struct region_view *stream_region(struct stream *stream, uint32_t region);
struct comm_view *stream_comm(struct stream *stream, uint32_t comm);

/* A vector of ranks (record_format.h: COUNTS); false if it is not defined. */
bool stream_numbers(struct stream *stream, uint32_t id, const uint64_t **numbers, uint32_t *count);

/* A region that is open while entries are written. */
struct open_visit {
    struct copy enter;
    uint32_t path;
    int64_t inner, folded; /* ticks: of all visits in it, and of those of them that fold */
    bool written;
};

struct out_file {
    FILE *file;
    uint64_t in_segment; /* slots */
};

struct stream {
    struct reduction *reduction;
    uint32_t rank;
    struct source source;
    struct rank_definitions definitions;
    ARRAY(struct region_view) regions;
    ARRAY(struct comm_view) comms;

    /* parse.c */
    struct entry *open;  /* the call that is being read */
    uint32_t depth;      /* regions open in it */
    int64_t now;         /* time of the last record */
    int64_t flush;       /* see archive/events.c */
    struct map requests; /* request -> place in `pending` */
    struct map probes;   /* number of a matched probe -> the same */
    ARRAY(struct pending {
        struct end *end;
        struct part *part;
        uint32_t free;
    })
    pending;
    uint32_t free_pending;
    struct end *posted, *last_posted; /* receives whose message is not known yet, in order */
    struct entry *first, *last;       /* read and not yet written */
    size_t entries;
    bool parsed_all;
    bool after_probe, after_test; /* what the last communicating call did; test: or probe */
    uint64_t events;

    /* evaluate.c */
    struct entry *evaluated; /* the last one that was; NULL: none of those in the list */
    size_t step;             /* of the entry after it: the next one */
    struct difference difference;
    struct naming naming;
    uint32_t assumed; /* open regions whose computation may change */
    int64_t before;   /* end of the last call, or record */
    int64_t computed; /* ticks in such regions since the difference was last set */
    bool computes;    /* there was such computation, even if it took no time */

    /* emit.c */
    struct out_file out;
    ARRAY(struct open_visit) visits;
    ARRAY(struct folded_path) paths;
    struct map path_index;
    bool finalized; /* from MPI_Finalize on all stays */
    bool separate;  /* the last written call tested or probed */
    uint32_t assumed_visits;
};

struct channel {
    struct end *sends, *last_send, *receives, *last_receive;
};

/* An operation's place among those of its communicator. */
struct run_comm {
    ARRAY(struct operation *) operations; /* from number `first` on; NULL: all have written it */
    uint32_t first;
    uint32_t members;
};

struct reduction {
    const char *directory;
    const struct run_assumptions *assumptions;
    uint32_t size;
    double ticks_per_second;
    int64_t least_wait; /* ticks */
    struct stream *streams;
    struct map comm_index; /* creator and number -> place in `comms` */
    ARRAY(struct run_comm) comms;
    struct map channel_index;
    ARRAY(struct channel) channels;
    struct function_symbols *symbols; /* NULL: no regions are assumed */
    struct naming naming;             /* for what belongs to no rank */
    ARRAY(struct arrival) arrivals;
    bool ends;     /* no more records will come */
    bool gives_up; /* all that is not decided yet stays */
    enum status status;
    struct error error;
};

/* Notes that memory is out. Returns false. */
bool reduction_no_memory(struct reduction *reduction);

/* A new end of a message, which a record will refer to. */
struct end *end_make(struct reduction *reduction, bool sends);
/* The send is posted; the receive will be: its message will be found when it is resolved. */
void send_register(struct reduction *reduction, struct end *end);
void receive_register(struct stream *stream, struct end *end);
/* Source and tag of the receive are set now. */
void receive_resolve(struct stream *stream, struct end *end);
/* It was cancelled. */
void end_withdraw(struct stream *stream, struct end *end);
/* A record that refers to it is gone. */
void end_release(struct end *end);

/* NULL: the rank has not arrived. */
const struct member_arrival *operation_arrival(const struct operation *operation, uint32_t rank);

/* Whether it is known that the send waits for its receive, or does not. */
bool send_mode_known(const struct reduction *reduction, const struct end *send);
bool send_is_synchronous(const struct reduction *reduction, const struct end *send);

/* 1: stays, 0: folds, -1: not known yet. */
int end_fate(const struct reduction *reduction, const struct end *end);
int part_fate(const struct part *part);

struct part *part_make(struct stream *stream, struct comm_view *comm);
/* Tells the operation what this member does in it, which is set in `part`. */
void part_register(struct stream *stream, struct part *part);
/* The member arrives, if others may wait for it. */
void part_arrive(struct stream *stream, struct part *part, int64_t time,
                 const struct difference *difference);
bool part_is_ready(struct stream *stream, struct part *part);
void part_release(struct reduction *reduction, struct part *part);

/* Reads up to `count` entries. */
bool stream_parse(struct stream *stream, size_t count);
/* Evaluates entries as far as what they need is known. */
bool stream_evaluate(struct stream *stream);
/* Lets all that is left stay, because nothing more will be known. */
void stream_give_up(struct stream *stream);
/* Writes or folds entries as far as they are decided. */
bool stream_emit(struct stream *stream);
/* The first entry that is not decided shall stay: memory is bounded. */
void stream_force(struct stream *stream);

bool stream_emit_open(struct stream *stream);
/* Completes the rank's files. */
bool stream_emit_close(struct stream *stream);

#endif
