/* Shared by the functions that read events: the stream under construction, and errors. Each family
 * of records has a file: load_regions.c, load_messages.c, load_collectives.c, load_windows.c,
 * load_others.c. */
#ifndef TRACE_LOAD_BUILDER_H
#define TRACE_LOAD_BUILDER_H

#include "trace/check.h"
#include "trace/load/load_private.h"
#include "trace/otf2_records.h"

#include <otf2/otf2.h>

enum { CHILD_CACHE = 512 };

/* An open region. */
struct region_frame {
    uint32_t enter; /* row */
    uint32_t path, region;
};

/* A stream under construction. Its columns are allocated by malloc; the arena adopts them when they
 * are complete. */
struct stream_builder {
    struct event_source *source;
    struct stream *stream;
    struct error *error;
    enum status status;
    uint64_t *time;
    uint8_t *kind;
    uint32_t *arg;
    uint32_t count, capacity;
    ARRAY(struct region_frame) stack; /* open regions, outermost first */
    ARRAY(struct message) messages;
    ARRAY(struct collective) collectives;
    ARRAY(struct rma_op) rma_ops;
    ARRAY(struct rma_sync) rma_syncs;
    uint64_t *window_bytes; /* [windows] */
    ARRAY(uint64_t) flushes;
    ARRAY(struct other_event) others;
    struct map requests;    /* open requests by id: message, or COLLECTIVE_BIT | collective */
    struct map probes;      /* matched probes by id: row of the MATCHED event */
    struct map dropped;     /* by channel: messages and operations that slices have dropped */
    bool in_place_recorded; /* the archive records which collective operations were in place */
    bool has_siblings;      /* the rank has other threads, which may complete its requests */
    ARRAY(struct thread_end) begun, ended;
    uint64_t records;    /* read */
    uint32_t added_rows; /* rows that are not records of the archive */
    uint32_t
        cut_off; /* records without rows: operations that the end of the program has interrupted */
    ARRAY(uint32_t) forced; /* regions closed because an outer region was left */
    uint32_t forced_count;  /* the number of all such regions */
    struct {
        uint32_t calls; /* of the last round of a polling loop with tests left out; 0: none */
        uint32_t first, behind; /* rows: of the first visit that stands for these tests, and after
                                   the last one */
        uint64_t before;        /* time of the event before them */
    } polls;
    uint32_t open_collective; /* begun, not ended; INDEX_NONE */
    bool backwards;           /* a time stamp was lower than the one before */
    struct {
        uint64_t key; /* parent << 32 | region; CHILD_NONE: free */
        uint32_t path;
    } child_cache[CHILD_CACHE]; /* direct-mapped: call paths repeat */
};

#define CHILD_NONE UINT64_MAX /* not a region's number */

/* False when memory is out. */
bool stream_builder_resize(struct stream_builder *b, uint32_t capacity);

/* Each sets the builder's status and returns the code that stops the reader. The second has the
 * message "PATH: rank 3, event 17 (MpiRecv) at 0.001 s in app/main: TEXT". */
OTF2_CallbackCode stream_builder_out_of_memory(struct stream_builder *b);
OTF2_CallbackCode stream_builder_fail(struct stream_builder *b, enum event_kind kind, uint64_t time,
                                      const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Counts a record that does not fit the records before it. */
void stream_builder_irregular(struct stream_builder *b, enum irregular_kind irregular,
                              enum event_kind kind, uint64_t time);
/* The MPI call of the innermost open region; MPI_CALL_NONE if that is not an MPI call. */
static inline enum mpi_call stream_builder_call(const struct stream_builder *b)
{
    if (b->stack.count == 0)
        return MPI_CALL_NONE;
    uint32_t region = b->stack.items[b->stack.count - 1].region;
    return region & REGION_PROGRAM_BIT ? MPI_CALL_NONE
                                       : b->source->definitions->regions[region].mpi_call;
}

/* Notes a record of communication that the innermost region, which is no MPI call, cannot have. A
 * recording that was paused begins again with the requests that are under way. */
static inline void stream_builder_check_region(struct stream_builder *b, enum event_kind kind,
                                               uint64_t time)
{
    if (stream_builder_call(b) == MPI_CALL_NONE && !definitions_paused(b->source->definitions))
        stream_builder_irregular(b, IRREGULAR_REGION, kind, time);
}

/* Fails because communicator `comm`, which has `id` in the archive, is not defined (INDEX_NONE), or
 * because it does not have the rank of `who` ("peer", "root"). */
OTF2_CallbackCode stream_builder_bad_comm(struct stream_builder *b, enum event_kind kind,
                                          uint64_t time, OTF2_CommRef id, uint32_t comm,
                                          const char *who, uint32_t rank);

/* The size of a message as recorded; 0 where the archive leaves it undefined. */
static inline uint64_t stream_builder_bytes(uint64_t bytes)
{
    return bytes == OTF2_UNDEFINED_UINT64 ? 0 : bytes;
}
/* Fails because a record states more than MOST_BYTES. */
OTF2_CallbackCode stream_builder_too_large(struct stream_builder *b, enum event_kind kind,
                                           uint64_t time, uint64_t bytes);

/* Grows a table for one more item. False when memory is out. */
bool stream_builder_grow_table(struct stream_builder *b, void **items, size_t *capacity,
                               size_t count, size_t size);

#define GROW_TABLE(b, array)                                                                     \
    stream_builder_grow_table((b), (void **)&(array)->items, &(array)->capacity, (array)->count, \
                              sizeof *(array)->items)

enum { ROWS_FIRST = 2048 };
#define ROWS_LIMIT INDEX_NONE /* a row number must not be INDEX_NONE */

/* The new capacity when all `rows` are in use. */
static inline uint32_t rows_grown(uint32_t rows)
{
    uint64_t more = (uint64_t)rows + rows / 2;
    return rows < ROWS_FIRST / 2 ? ROWS_FIRST : more < ROWS_LIMIT ? (uint32_t)more : ROWS_LIMIT;
}

static inline bool stream_builder_append(struct stream_builder *b, uint64_t time,
                                         enum event_kind kind, uint32_t arg)
{
    uint32_t row = b->count;
    if (row >= b->capacity && (row == ROWS_LIMIT || !stream_builder_resize(b, rows_grown(row))))
        return false;
    if (row && time < b->time[row - 1]) {
        time = b->time[row - 1];
        b->backwards = true;
    }
    b->time[row] = time;
    b->kind[row] = (uint8_t)kind;
    b->arg[row] = arg;
    b->count = row + 1;
    return true;
}

#define CHECK_APPEND(b, time, kind, arg)                                       \
    (stream_builder_append((b), (time), (kind), (arg)) ? OTF2_CALLBACK_SUCCESS \
                                                       : stream_builder_out_of_memory(b))

/* Attributes that the tracer of SILAS adds to events: whether there are any; the value of one, or
 * `absent`. */
bool stream_builder_has_attributes(const struct stream_builder *b,
                                   const OTF2_AttributeList *list); /* NULL: none */
uint64_t stream_builder_attribute(const struct stream_builder *b, const OTF2_AttributeList *list,
                                  enum silas_attribute which, uint64_t absent);
/* The group in an attribute; INDEX_NONE: there is none. */
uint32_t stream_builder_group(const struct stream_builder *b, const OTF2_AttributeList *list,
                              enum silas_attribute which);

/* The attribute SILAS::types as in struct message. */
uint32_t stream_builder_types(const struct stream_builder *b, const OTF2_AttributeList *list);

/* The attribute SILAS::type_size; 0 if it is too large. */
uint16_t stream_builder_type_size(const struct stream_builder *b, const OTF2_AttributeList *list,
                                  uint16_t absent);

#define COMMON_ARGUMENTS                                                           \
    OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data, \
        OTF2_AttributeList *attributes
#define COMMON_UNUSED \
    (void)location;   \
    (void)position;   \
    (void)attributes; \
    struct stream_builder *b = data

/* Adds an open request or matched probe. False when memory is out. */
bool stream_builder_begin(struct stream_builder *b, bool probe, uint64_t id, uint32_t value);
/* Records the end of a request, or of a matched probe's message, that another thread has begun.
 * False when memory is out. */
bool stream_builder_end_elsewhere(struct stream_builder *b, bool probe, uint64_t id,
                                  uint32_t value);

/* At the end of the stream: records the requests and probes that are still open. False when memory
 * is out. */
bool stream_builder_note_open(struct stream_builder *b);

/* A blocking collective operation on a communicator or a window: adds its begin; returns the open
 * operation, to be filled in at its end (begins one with `flags` if none is open; NULL if out of
 * memory, which sets the builder's status); adds its end; leaves out the open operation because its
 * end is not recorded. */
OTF2_CallbackCode stream_builder_begin_collective(struct stream_builder *b, uint64_t time,
                                                  unsigned flags);
struct collective *stream_builder_open_collective(struct stream_builder *b, uint64_t time,
                                                  unsigned flags);
OTF2_CallbackCode stream_builder_end_collective(struct stream_builder *b, uint64_t time);
void stream_builder_drop_collective(struct stream_builder *b, enum event_kind kind, uint64_t time);

/* Callbacks of the usual records, which event_records.c calls, too. They set the builder's status
 * if the record is wrong. */
OTF2_CallbackCode load_enter(COMMON_ARGUMENTS, OTF2_RegionRef region);
OTF2_CallbackCode load_leave(COMMON_ARGUMENTS, OTF2_RegionRef region);
OTF2_CallbackCode load_program_begin(COMMON_ARGUMENTS, OTF2_StringRef name, uint32_t count,
                                     const OTF2_StringRef *arguments);
OTF2_CallbackCode load_program_end(COMMON_ARGUMENTS, int64_t exit_status);
OTF2_CallbackCode load_send(COMMON_ARGUMENTS, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                            uint64_t bytes);
OTF2_CallbackCode load_recv(COMMON_ARGUMENTS, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                            uint64_t bytes);
OTF2_CallbackCode load_isend(COMMON_ARGUMENTS, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                             uint64_t bytes, uint64_t request);
OTF2_CallbackCode load_isend_complete(COMMON_ARGUMENTS, uint64_t request);
OTF2_CallbackCode load_irecv_request(COMMON_ARGUMENTS, uint64_t request);
OTF2_CallbackCode load_irecv(COMMON_ARGUMENTS, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                             uint64_t bytes, uint64_t request);
OTF2_CallbackCode load_request_test(COMMON_ARGUMENTS, uint64_t request);
OTF2_CallbackCode load_request_cancelled(COMMON_ARGUMENTS, uint64_t request);
OTF2_CallbackCode load_collective_begin(COMMON_ARGUMENTS);
OTF2_CallbackCode load_collective_end(COMMON_ARGUMENTS, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                      uint32_t root, uint64_t sent, uint64_t received);
OTF2_CallbackCode load_nbc_request(COMMON_ARGUMENTS, uint64_t request);
OTF2_CallbackCode load_nbc_complete(COMMON_ARGUMENTS, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                    uint32_t root, uint64_t sent, uint64_t received,
                                    uint64_t request);
OTF2_CallbackCode load_comm_create(COMMON_ARGUMENTS, OTF2_CommRef comm);
OTF2_CallbackCode load_comm_destroy(COMMON_ARGUMENTS, OTF2_CommRef comm);
OTF2_CallbackCode load_flush(COMMON_ARGUMENTS, OTF2_TimeStamp stop);
OTF2_CallbackCode load_measurement(COMMON_ARGUMENTS, OTF2_MeasurementMode mode);

/* An event that is kept without interpretation, with up to three fields. */
OTF2_CallbackCode load_other(struct stream_builder *b, uint64_t time, enum other_type type,
                             uint64_t first, uint64_t second, uint64_t third);

/* Each registers the callbacks of a family of records. */
void load_regions_register(OTF2_EvtReaderCallbacks *on);
void load_messages_register(OTF2_EvtReaderCallbacks *on);
void load_collectives_register(OTF2_EvtReaderCallbacks *on);
void load_windows_register(OTF2_EvtReaderCallbacks *on);
void load_others_register(OTF2_EvtReaderCallbacks *on);

/* Closes the regions that are still open at the last time stamp; `*closed` also counts those that
 * were closed because a region around them was left. */
enum status load_regions_close(struct stream_builder *b, uint32_t *closed);

#endif
