/* The windows of one-sided communication in a replay: their sizes, the groups of their epochs, and
 * their MPI handles during a run. Calls of the program make and free them. A window whose creation
 * is not recorded is made before the clock starts. A window that the program does not free is freed
 * after the run; the locks and fences that the program leaves open, because it was killed, are
 * closed before.
 *
 * Several threads of a process may use one window: one makes it and opens an epoch, others operate
 * in it. Each call then waits for the calls on the window that had ended before it in the
 * recording. */
#ifndef REPLAY_REALTIME_WINDOWS_H
#define REPLAY_REALTIME_WINDOWS_H

#include "replay/realtime/buffers.h"
#include "replay/realtime/communicators.h"
#include "replay/realtime/rebuilt_types.h"
#include "replay/realtime/program.h"

#include <stdatomic.h>

struct window_group {
    uint32_t window, group;
    MPI_Group real;
};

struct windows {
    uint32_t count;                /* as in the definitions */
    MPI_Win *real;                 /* [count], MPI_WIN_NULL while there is none */
    int64_t *bytes;                /* [count]: size of this rank's memory */
    const struct rma_call **early; /* [count]: makes it before the run; NULL: not needed */
    bool *needed; /* [count]: a rank uses it, but no call makes it: all members make it before */
    bool *made;   /* [count]: by a call of this process, or before the run */
    uint32_t thread, threads; /* whose calls are compiled; how many the process has */
    _Atomic uint32_t *done;   /* [count * threads]: calls that a thread has ended in this run */
    ARRAY(struct window_group) groups;    /* made so far */
    ARRAY(struct rma_call *) calls;       /* all of them, for placing their buffers */
    ARRAY(const struct rma_call *) locks; /* that stay open at the end of a run */
    MPI_Errhandler handler;
    struct arena *arena;           /* owns the calls; not owned */
    struct rebuilt_types *rebuilt; /* not owned */
};

/* Collective. Finds the sizes, and which windows to make before a run. `arena` will own the calls.
 * On failure nothing is left to close. */
enum status windows_open(const struct trace *trace, struct rebuilt_types *rebuilt,
                         struct arena *arena, struct windows *windows, struct error *error);
void windows_close(struct windows *windows);

/* The MPI group of an epoch on a window; MPI_GROUP_NULL if out of memory. */
MPI_Group windows_group(struct windows *windows, const struct trace *trace, MPI_Comm comm,
                        uint32_t window, uint32_t group);

/* The datatype at the origin or at the target of an operation; NULL: bytes. */
const struct rebuilt_type *rma_layout(struct rebuilt_types *rebuilt, const struct rma_op *op,
                                      bool origin);

/* Finds which locks stay open, after all calls of the process have been compiled. False if out of
 * memory. */
bool windows_find_locks(struct windows *windows);

/* Finds which calls come before others, after all calls of the process have been compiled. False if
 * out of memory. */
bool windows_order_calls(struct windows *windows, uint32_t threads);

void windows_place_buffers(struct windows *windows, const struct buffers *buffers);

/* Collective, before and after a run. */
void windows_begin_run(struct windows *windows);
void windows_end_run(struct windows *windows);

#endif
