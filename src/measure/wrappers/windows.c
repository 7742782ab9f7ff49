#include "measure/wrappers/windows.h"

#include "base/array.h"
#include "base/otf2_attributes.h"

#include <assert.h>
#include <otf2/OTF2_Events.h>
#include <stdlib.h>

static_assert(WINDOW_ALL_TARGETS != MPI_PROC_NULL && WINDOW_ALL_TARGETS < 0, "not a rank");

/* Operations that share one matching id and are not complete yet. */
struct pending {
    uint64_t matching;
    int target;
    bool shared; /* later operations on this target share the id */
    bool local;  /* already complete at the origin */
};

/* An item of a list, which suffices because programs have few windows at a time. */
struct window {
    struct window *next;
    MPI_Win handle;
    uint32_t id;                       /* of define_window */
    uint32_t access_group, open_group; /* of the open epochs; RECORD_NONE: none is recorded */
    uint32_t locks;                    /* recorded, and not unlocked yet */
    ARRAY(struct pending) pending;
};

static struct window *windows;

static struct window **window_place(MPI_Win handle)
{
    struct window **place = &windows;
    while (*place && (*place)->handle != handle)
        place = &(*place)->next;
    return place;
}

/* The window; NULL if it is unknown. Locks requests_lock, which the caller unlocks. */
static struct window *hold(MPI_Win handle)
{
    requests_lock();
    return *window_place(handle);
}

static void insert_window(struct window *window)
{
    requests_lock();
    window->next = windows;
    windows = window;
    requests_unlock();
}

/* Each matching id needs two records of two slots. */
size_t window_slots(MPI_Win handle)
{
    const struct window *window = hold(handle);
    const size_t slots = window ? 4 * window->pending.count : 0;
    requests_unlock();
    return slots;
}

/* Translates MPI's bits, which differ between implementations, to those of the archive. */
static unsigned assertion_bits(int assertion)
{
    return (assertion & MPI_MODE_NOSTORE ? SILAS_ASSERTION_NOSTORE : 0u) |
           (assertion & MPI_MODE_NOPUT ? SILAS_ASSERTION_NOPUT : 0u) |
           (assertion & MPI_MODE_NOPRECEDE ? SILAS_ASSERTION_NOPRECEDE : 0u) |
           (assertion & MPI_MODE_NOSUCCEED ? SILAS_ASSERTION_NOSUCCEED : 0u) |
           (assertion & MPI_MODE_NOCHECK ? SILAS_ASSERTION_NOCHECK : 0u);
}

static void collective_end(const struct call *call, const struct window *window,
                           OTF2_CollectiveOp op, int assertion)
{
    if (call->recorder)
        record_pair(call->recorder, call->leave, RECORD_RMA_COLLECTIVE_END,
                    assertion_bits(assertion), window->id, op, 0);
}

void window_made(const struct call *call, int result, const MPI_Win *handle, MPI_Comm comm,
                 MPI_Aint bytes)
{
    struct traced_communicator *on = communicator_find(comm);
    if (result != MPI_SUCCESS || !on)
        return;
    struct window *window = calloc(1, sizeof *window);
    if (!window) {
        measurement_out_of_memory();
        return;
    }
    window->handle = *handle;
    window->access_group = window->open_group = RECORD_NONE;
    window->id = define_window(on->id, on->window_count++);
    insert_window(window);
    if (!call->recorder)
        return;
    record_plain(call->recorder, call->enter, RECORD_RMA_COLLECTIVE_BEGIN, 0);
    record_pair(call->recorder, call->leave, RECORD_RMA_WIN_CREATE, 0, window->id, (uint64_t)bytes,
                0);
    collective_end(call, window, OTF2_COLLECTIVE_OP_CREATE_HANDLE, 0);
}

static void record_complete(const struct call *call, uint32_t window, uint64_t matching,
                            enum record_completion how)
{
    const struct call completing = call_that_completes(call);
    if (completing.recorder)
        record_pair(completing.recorder, completing.leave, RECORD_RMA_COMPLETE, 0, window, matching,
                    how);
}

/* Records that the pending operations on `target` are complete. Operations that are complete only
 * `locally` stay in the list. The caller holds requests_lock. */
static void complete_pending(const struct call *call, struct window *window, int target,
                             bool locally)
{
    size_t kept = 0;
    for (size_t i = 0; i < window->pending.count; i++) {
        struct pending *pending = &window->pending.items[i];
        const bool meant = target == WINDOW_ALL_TARGETS || pending->target == target;
        if (meant && !pending->local)
            record_complete(call, window->id, pending->matching, RECORD_COMPLETE_LOCAL);
        if (meant && !locally)
            record_complete(call, window->id, pending->matching, RECORD_COMPLETE_REMOTE);
        if (meant) {
            pending->local = true;
            pending->shared = false;
        }
        if (!meant || locally)
            window->pending.items[kept++] = *pending;
    }
    window->pending.count = kept;
}

void window_fence_begins(const struct call *call, MPI_Win handle)
{
    const bool known = hold(handle) != NULL;
    requests_unlock();
    if (call->recorder && known)
        record_plain(call->recorder, call->enter, RECORD_RMA_COLLECTIVE_BEGIN, 0);
}

void window_fenced(const struct call *call, MPI_Win handle, int assertion)
{
    struct window *window = hold(handle);
    if (window) {
        complete_pending(call, window, WINDOW_ALL_TARGETS, false);
        collective_end(call, window, OTF2_COLLECTIVE_OP_BARRIER, assertion);
    }
    requests_unlock();
}

/* Takes the window out of the list before the call: as soon as MPI has freed the handle, another
 * thread may get the same handle for a new window. */
struct window *window_free_begins(const struct call *call, MPI_Win handle)
{
    requests_lock();
    struct window **place = window_place(handle), *window = *place;
    if (window)
        *place = window->next;
    requests_unlock();
    if (call->recorder && window) {
        record_plain(call->recorder, call->enter, RECORD_RMA_COLLECTIVE_BEGIN, 0);
        record_plain(call->recorder, call->enter, RECORD_RMA_WIN_DESTROY, window->id);
    }
    return window;
}

void window_free_ends(const struct call *call, struct window *window, bool freed)
{
    if (window && !freed) {
        insert_window(window);
    } else if (window) {
        collective_end(call, window, OTF2_COLLECTIVE_OP_DESTROY_HANDLE, 0);
        free(window->pending.items);
        free(window);
    }
}

uint32_t window_operator(MPI_Op op)
{
#define KNOWN(name)                        \
    {                                      \
        MPI_##name, SILAS_OPERATION_##name \
    }
    const struct {
        MPI_Op op;
        enum silas_operation operation;
    } known[] = {KNOWN(SUM),  KNOWN(REPLACE), KNOWN(NO_OP),  KNOWN(MAX),   KNOWN(MIN),
                 KNOWN(PROD), KNOWN(LAND),    KNOWN(BAND),   KNOWN(LOR),   KNOWN(BOR),
                 KNOWN(LXOR), KNOWN(BXOR),    KNOWN(MINLOC), KNOWN(MAXLOC)};
#undef KNOWN
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].op == op)
            return known[i].operation;
    return SILAS_OPERATION_UNKNOWN;
}

/* The matching id for an operation on `target`; 0 if out of memory, which ends recording. */
static uint64_t matching_of(struct window *window, int target, bool shared)
{
    for (size_t i = window->pending.count; shared && i-- > 0;)
        if (window->pending.items[i].target == target && window->pending.items[i].shared)
            return window->pending.items[i].matching;
    const struct pending pending = {request_new_id(), target, shared, false};
    if (array_push(&window->pending, pending))
        return pending.matching;
    measurement_out_of_memory();
    return 0;
}

/* Sets the window and the matching id of the operation and records it. False if nothing was
 * recorded. */
static bool begin_operation(const struct call *call, MPI_Win handle,
                            struct record_rma_op *operation, bool shared)
{
    if (!call->recorder || operation->target == MPI_PROC_NULL)
        return false;
    struct window *window = hold(handle);
    if (window) {
        operation->window = window->id;
        operation->matching = matching_of(window, operation->target, shared);
    }
    requests_unlock();
    if (operation->matching)
        record_rma_op(call->recorder, call->enter, operation);
    return operation->matching != 0;
}

void window_operation_begins(const struct call *call, MPI_Win handle,
                             struct record_rma_op operation)
{
    begin_operation(call, handle, &operation, true);
}

struct request window_request(const struct call *call, MPI_Win handle,
                              struct record_rma_op operation)
{
    struct request request = {.kind = REQUEST_SILENT, .active = true};
    if (begin_operation(call, handle, &operation, false)) {
        request.kind = REQUEST_ONE_SIDED;
        request.recorded = true;
        request.comm = operation.window;
        request.id = operation.matching;
    }
    return request;
}

void window_request_completed(const struct call *call, const struct request *request)
{
    record_complete(call, request->comm, request->id, RECORD_COMPLETE_LOCAL);
    for (struct window *window = windows; window; window = window->next)
        for (size_t i = 0; window->id == request->comm && i < window->pending.count; i++)
            if (window->pending.items[i].matching == request->id)
                window->pending.items[i].local = true;
}

void window_request_tested(const struct call *call, const struct request *request)
{
    record_complete(call, request->comm, request->id, RECORD_COMPLETE_TESTED);
}

void window_flushed(const struct call *call, MPI_Win handle, int target, bool local)
{
    struct window *window = hold(handle);
    if (window)
        complete_pending(call, window, target, local);
    requests_unlock();
}

/* The call that ends an epoch. If the epoch's beginning is recorded and recording is paused, the
 * call is recorded by these two functions: a replay must end the epoch, too. */
static struct call epoch_end_begins(const struct call *call, bool begin_is_recorded,
                                    enum mpi_call id)
{
    struct call ending = begin_is_recorded ? call_that_completes(call) : *call;
    if (ending.recorder && !call->recorder) {
        ending.region = call_region(id);
        record_enter(ending.recorder, ending.leave, ending.region);
    }
    return ending;
}

static void epoch_end_ends(const struct call *call, const struct call *ending)
{
    if (ending->recorder && !call->recorder)
        record_leave(ending->recorder, ending->leave, ending->region);
}

static void record_lock(const struct call *call, const struct window *window, int target,
                        enum record_lock kind, int assertion)
{
    if (call->recorder)
        record_pair(call->recorder, call->leave, RECORD_RMA_LOCK, assertion_bits(assertion),
                    window->id, target == WINDOW_ALL_TARGETS ? RECORD_NONE : (uint32_t)target,
                    kind);
}

void window_locked(const struct call *call, MPI_Win handle, int target, enum record_lock kind,
                   int assertion)
{
    struct window *window = hold(handle);
    if (window && call->recorder && target != MPI_PROC_NULL) {
        window->locks++;
        record_lock(call, window, target, kind, assertion);
    }
    requests_unlock();
}

void window_unlocked(const struct call *call, MPI_Win handle, int target)
{
    struct window *window = hold(handle);
    if (window) {
        const bool locked = window->locks > 0 && target != MPI_PROC_NULL;
        const struct call ending = epoch_end_begins(
            call, locked,
            target == WINDOW_ALL_TARGETS ? MPI_CALL_WIN_UNLOCK_ALL : MPI_CALL_WIN_UNLOCK);
        complete_pending(&ending, window, target, false);
        if (locked) {
            window->locks--;
            record_lock(&ending, window, target, RECORD_UNLOCK, 0);
        }
        epoch_end_ends(call, &ending);
    }
    requests_unlock();
}

static void group_record(const struct call *call, const struct window *window, uint32_t group,
                         int assertion)
{
    if (call->recorder && group != RECORD_NONE)
        record_pair(call->recorder, call->leave, RECORD_RMA_GROUP_SYNC, assertion_bits(assertion),
                    window->id, group, OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY);
}

void window_epoch_begins(const struct call *call, MPI_Win handle, MPI_Group group, bool access,
                         int assertion)
{
    const uint32_t id = call->recorder ? group_define(group) : RECORD_NONE;
    struct window *window = hold(handle);
    if (window) {
        *(access ? &window->access_group : &window->open_group) = id;
        group_record(call, window, id, assertion);
    }
    requests_unlock();
}

void window_epoch_ends(const struct call *call, MPI_Win handle, bool access)
{
    struct window *window = hold(handle);
    if (window) {
        uint32_t *group = access ? &window->access_group : &window->open_group;
        const struct call ending = epoch_end_begins(
            call, *group != RECORD_NONE, access ? MPI_CALL_WIN_COMPLETE : MPI_CALL_WIN_WAIT);
        if (access)
            complete_pending(&ending, window, WINDOW_ALL_TARGETS, false);
        group_record(&ending, window, *group, 0);
        epoch_end_ends(call, &ending);
        *group = RECORD_NONE;
    }
    requests_unlock();
}
