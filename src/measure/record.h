/* Recording events: what the wrappers call. Fixed-size records go into a file-backed shared
 * mapping, so that they survive the death of the process; finalize (or --recover) turns them into
 * OTF2. One recorder a thread; no locks, no system calls and no allocation on the way of an event.
 */
#ifndef MEASURE_RECORD_H
#define MEASURE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorder;

/* This thread's recorder; made at its first call. NULL while nothing is recorded (before MPI_Init,
 * after MPI_Finalize, after MPI_Pcontrol(0)). */
struct recorder *recorder_get(void);

/* Ticks of the tracer's clock: TSC where it is invariant, else clock_gettime. */
uint64_t record_now(void);

/* --- definitions (any time; the first gives the id, the same again gives the same id)
 * ------------- */
uint32_t define_region(const char *name, const char *canonical, const char *file, uint32_t line,
                       int paradigm, int role);
/* A communicator as this rank sees it. `creator` and `number` identify it globally: the world rank
 * of its rank 0 and that rank's count of communicators created (agreed upon by a broadcast at
 * creation). Members are world ranks; remote members only for an intercommunicator. */
uint32_t define_comm(uint32_t creator, uint32_t number, const char *name, const uint32_t *members,
                     size_t member_count, const uint32_t *remote, size_t remote_count,
                     uint32_t parent, bool self);
/* A vector of byte counts in rank order; equal vectors are stored once. UINT32_MAX if there is no
 * room. */
uint32_t define_counts(const uint64_t *counts, size_t count);

/* --- events
 * ---------------------------------------------------------------------------------------- */
enum record_flag {
    RECORD_ANY_SOURCE = 1 << 0,
    RECORD_ANY_TAG = 1 << 1,
    RECORD_PERSISTENT = 1 << 2,
    RECORD_NEIGHBOUR = 1 << 3,
};

void record_enter(struct recorder *recorder, uint64_t time, uint32_t region);
void record_leave(struct recorder *recorder, uint64_t time, uint32_t region);
void record_send(struct recorder *recorder, uint64_t time, uint32_t dest, uint32_t comm,
                 uint32_t tag, uint64_t bytes, uint32_t type_size);
void record_recv(struct recorder *recorder, uint64_t time, uint32_t source, uint32_t comm,
                 uint32_t tag, uint64_t bytes, uint32_t type_size, unsigned flags);
void record_isend(struct recorder *recorder, uint64_t time, uint32_t dest, uint32_t comm,
                  uint32_t tag, uint64_t bytes, uint32_t type_size, uint64_t request,
                  unsigned flags);
void record_isend_complete(struct recorder *recorder, uint64_t time, uint64_t request);
void record_irecv_request(struct recorder *recorder, uint64_t time, uint64_t request,
                          unsigned flags);
void record_irecv(struct recorder *recorder, uint64_t time, uint32_t source, uint32_t comm,
                  uint32_t tag, uint64_t bytes, uint32_t type_size, uint64_t request);
void record_request_test(struct recorder *recorder, uint64_t time, uint64_t request);
void record_request_cancelled(struct recorder *recorder, uint64_t time, uint64_t request);
void record_collective_begin(struct recorder *recorder, uint64_t time);

struct record_collective {
    uint64_t sent, received; /* bytes, by Score-P's rules */
    uint64_t request;        /* nonblocking only */
    uint32_t comm, root;     /* root: rank in comm, or OTF2's undefined/self/this-group values */
    uint32_t send_counts, receive_counts; /* define_counts, UINT32_MAX if none */
    uint16_t type_size;
    uint8_t op; /* OTF2_CollectiveOp */
    uint8_t flags;
};
void record_collective_end(struct recorder *recorder, uint64_t time,
                           const struct record_collective *collective);
void record_nbc_request(struct recorder *recorder, uint64_t time, uint64_t request);
void record_nbc_complete(struct recorder *recorder, uint64_t time,
                         const struct record_collective *collective);
void record_comm_create(struct recorder *recorder, uint64_t time, uint32_t comm);
void record_comm_destroy(struct recorder *recorder, uint64_t time, uint32_t comm);
/* Also stops (false) and restarts (true) recording: in between recorder_get() gives NULL. */
void record_measurement(struct recorder *recorder, uint64_t time, bool on);

/* --- life
 * ------------------------------------------------------------------------------------------ */
/* After PMPI_Init: maps the buffer, compares clocks; `enter_time` is when MPI_Init was entered.
 * Collective over all ranks. A failure ends the program's tracing (not the program) with one
 * message. The caller then records MPI_Init's enter (at `enter_time`) and leave itself. */
void measurement_begin(uint64_t enter_time);
/* Before PMPI_Finalize (`enter_time` of MPI_Finalize, whose enter the caller has recorded): stops
 * recording, compares clocks; collective. */
void measurement_finalize_enter(uint64_t enter_time);
/* After PMPI_Finalize or at process exit: closes what is open (MPI_Finalize at `leave_time`); the
 * archive gets written by the launcher's last step or by rank 0 beforehand, as archive.h describes.
 */
void measurement_end(uint64_t leave_time);

#endif
