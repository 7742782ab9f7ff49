/* The teams of threads of a trace: which rows of which threads belong to a parallel region.
 *
 * The streams of worker threads are loaded with those of the ranks (trace->carried). A team is one
 * instance of a parallel region: its master is a rank, and each of its threads has a lane, a range
 * of rows of its stream. A team is found again from the trace whenever it is needed (one pass over
 * the events), so nothing that changes rows has to keep it up to date.
 *
 * Records of forks, joins and teams (Score-P) tell the teams apart. Where the master has no such
 * records, the outermost parallel regions are the teams, and a worker's outermost region belongs to
 * the one during which it begins. */
#ifndef THREADS_TEAMS_H
#define THREADS_TEAMS_H

#include "base/array.h"
#include "trace/trace.h"

struct lane {
    uint32_t stream; /* the number of the thread's stream: trace_any_stream */
    uint32_t first,
        last; /* rows: of the master, fork and join; of others, their part in the team */
};

struct team {
    uint32_t first_lane, lane_count; /* in the lanes of struct teams; the first is the master's, and
                                        others are in the order of their numbers in the team */
    uint32_t path;   /* the call path around the region of the team; CALLPATH_NONE: there is none */
    uint32_t comm;   /* the communicator of the team; INDEX_NONE: unknown */
    uint32_t wanted; /* threads that the program asked for at the fork; the number of lanes if this
                        was not recorded */
};

/* What keeps threads or parts of them out of teams; they are not simulated. */
enum team_fault {
    TEAM_UNJOINED, /* parallel regions without a join */
    TEAM_NESTED,   /* parallel regions inside of others with more than one thread: part of the work
                      of the outer ones */
    TEAM_UNKNOWN,  /* parts of threads of teams that belong to no parallel region of their rank */
    TEAM_FAULTS
};

/* The teams of the owned ranks that have other threads, in the order of ranks and times. */
struct teams {
    ARRAY(struct team) list;
    ARRAY(struct lane) lanes;
    int64_t faults[TEAM_FAULTS];
};

/* What a thread does in a region of OpenMP, without the code that is called from there. */
enum omp_construct {
    OMP_NONE,
    OMP_BARRIER,
    OMP_IMPLICIT_BARRIER,
    OMP_CRITICAL,
    OMP_LOCK_CALL,
    OMP_ORDERED,
    OMP_TASK_WAIT,
    OMP_TASK_CREATE,
    OMP_LOOP,
    OMP_SECTIONS,
    OMP_SINGLE_BLOCK, /* run by one thread of the team */
    OMP_MASTER,
    OMP_CRITICAL_BLOCK,
    OMP_CONSTRUCTS
};

enum omp_construct region_construct(const struct region *region);
bool region_is_parallel(const struct region *region);

/* True for calls of libraries, such as those of an accelerator. */
bool region_is_library_call(const struct region *region);

/* True for a stream of a thread of a rank: not for accelerators and their like. */
bool stream_is_thread(const struct trace *trace, const struct stream *stream);

/* The number of other threads of the rank trace->streams[s]. */
uint32_t rank_worker_count(const struct trace *trace, uint32_t s);

/* Finds the teams of the owned ranks, or of the rank trace->streams[s]. A rank without other
 * threads has no teams; with `alone` its parallel regions are teams of one thread. The teams of a
 * view are those of the trace that it is a view of. False if out of memory; then nothing is left to
 * free. */
bool teams_find(const struct trace *trace, struct teams *teams);
bool teams_find_of_rank(const struct trace *trace, uint32_t s, bool alone, struct teams *teams);
void teams_clear(struct teams *teams);

static inline const struct lane *team_lane(const struct teams *teams, const struct team *team,
                                           uint32_t lane)
{
    assert(lane < team->lane_count);
    return &teams->lanes.items[team->first_lane + lane];
}

/* The rows with which the first region of a lane begins and its last one ends; before and after
 * them, the thread manages its team. False if the lane has no regions. */
bool lane_regions(const struct stream *stream, const struct lane *lane, uint32_t *first,
                  uint32_t *last);

/* For the loader, before call paths are unified: puts the call paths of workers below the call path
 * in which their team was created. False if out of memory. */
bool teams_place_workers(struct trace *trace);

#endif
