/* What the threads of a team do, as steps, and when they do it: the simulator of teams
 * (doc/methods.md, section 15).
 *
 * A lane is a list of steps. A step takes its `work`, and then acts on an object: it waits at a
 * barrier, acquires or releases a lock, or works on a loop. At a barrier each lane continues `cost`
 * after the last arrival. A lock is granted in the order of arrival, `cost` after both the arrival
 * and the release before; or, for `ordered`, in the order of turns. The chunks of a loop are dealt
 * out in turn, or the next free lane takes the next one. All times are ticks.
 *
 * Work that is bound by memory has a share of the bandwidth that it needs. While the shares of the
 * lanes add up to more than 1, such work takes that many times as long (doc/methods.md, section
 * 14). */
#ifndef THREADS_TEAM_PROGRAM_H
#define THREADS_TEAM_PROGRAM_H

#include "threads/teams.h"

enum step_kind {
    STEP_WORK,
    STEP_BARRIER, /* the lanes' k-th barriers are one */
    STEP_ACQUIRE, /* object: the lock */
    STEP_RELEASE,
    STEP_LOOP, /* object: the loop */
};

enum { TURN_NONE = UINT32_MAX };

struct thread_step {
    int64_t work;    /* before it acts; of recorded waits 0 */
    int64_t cost;    /* of a barrier's end or a lock's grant. Recorded ends can be before the
                        last arrival or the release before; then it is negative */
    uint32_t object; /* lock or loop */
    uint32_t turn;   /* of ACQUIRE in an ordered region, from 0; TURN_NONE: by arrival */
    float share;     /* of the bandwidth of memory that the work needs, 0 to 1 */
    uint8_t kind;    /* enum step_kind */
};

/* Consecutive iterations of a loop. */
struct loop_chunk {
    const struct thread_step *steps; /* no loops and barriers */
    uint32_t count;
};

struct team_loop {
    const struct loop_chunk *chunks;
    uint32_t chunk_count;
    bool dealt; /* chunk i belongs to lane i modulo the number of lanes; false: to the next free */
    int64_t cost;  /* of taking a chunk, if not dealt */
    uint32_t next; /* while simulating: the first chunk that no lane has taken */
};

struct lane_program {
    int64_t begin; /* time of the first step's begin */
    struct thread_step *steps;
    uint32_t count;
    int64_t *ends; /* [count]: filled by team_simulate; NULL: not needed */
    int64_t end;   /* filled by team_simulate: of the last step, or `begin` */
};

struct team_program {
    struct lane_program *lanes;
    uint32_t lane_count, lock_count;
    struct team_loop *loops; /* NULL: none */
    uint32_t loop_count;
};

/* Computes when the steps end. Lanes whose steps can never end (locks that are never released) go
 * on without waiting. False if out of memory. */
bool team_simulate(struct team_program *program);

/* The steps of a recorded team. Step i of a lane is the time that ends with row first + i; its work
 * is the recorded one, except that waits have none. The first step of a worker is the time from the
 * fork to its first row. Barriers that not all threads of the team reach the same number of times
 * are not simulated: their times are work. False if out of memory; then nothing is left to free. */
bool team_program_create(const struct trace *trace, const struct teams *teams,
                         const struct team *team, struct team_program *program);
void team_program_clear(struct team_program *program);

/* Derives the works of the steps that have shares from their recorded lengths: how long they would
 * take if the lane had the bandwidth for itself. A work that has been changed since is changed by
 * the same factor. False if out of memory; then the works are as before. */
bool team_program_separate(const struct trace *trace, const struct teams *teams,
                           const struct team *team, struct team_program *program);

#endif
