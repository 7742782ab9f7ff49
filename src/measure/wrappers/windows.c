#include "measure/wrappers/windows.h"

#include "base/array.h"
#include "base/otf2_attributes.h"

#include <otf2/OTF2_Events.h>
#include <stdlib.h>

/* Operations that share one matching id and are not complete yet. */
struct pending {
    uint64_t matching;
    int target;
    bool shared; /* later operations on this target share the id */
    bool local;  /* already complete at the origin */
};

/* A list suffices, because programs have few windows at a time. */
struct window {
    struct window *next;
    MPI_Win handle;
    uint32_t id;                       /* of define_window */
    uint32_t access_group, open_group; /* of the open epochs; RECORD_NONE: no epoch */
    ARRAY(struct pending) pending;
};

static struct window *windows;

static struct window **find(MPI_Win handle)
{
    struct window **place = &windows;
    while (*place && (*place)->handle != handle)
        place = &(*place)->next;
    return place;
}

/* Each matching id needs two records of two slots. */
size_t window_slots(MPI_Win handle)
{
    requests_lock();
    const struct window *window = *find(handle);
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

/* --- collective calls --------------------------------------------------------------------------
 */

void window_made(const struct call *call, int result, const MPI_Win *handle, MPI_Comm comm,
                 MPI_Aint bytes)
{
    struct communicator *on = communicator_find(comm);
    if (result != MPI_SUCCESS || !on)
        return;
    struct window *window = calloc(1, sizeof *window);
    if (!window)
        return;
    window->handle = *handle;
    window->access_group = window->open_group = RECORD_NONE;
    requests_lock();
    window->id = define_window(on->id, on->window_count++);
    window->next = windows;
    windows = window;
    requests_unlock();
    if (!call->recorder)
        return;
    record_plain(call->recorder, call->enter, RECORD_RMA_COLLECTIVE_BEGIN, 0);
    record_rma_win_create(call->recorder, call->leave, window->id, (uint64_t)bytes);
    record_rma_collective(call->recorder, call->leave, window->id, OTF2_COLLECTIVE_OP_CREATE_HANDLE,
                          0);
}

/* Records that the pending operations on `target` are complete. Those complete only `locally` stay
 * in the list. The caller holds requests_lock. */
static void complete(const struct call *call, struct window *window, int target, bool locally)
{
    size_t kept = 0;
    for (size_t i = 0; i < window->pending.count; i++) {
        struct pending *pending = &window->pending.items[i];
        const bool meant = target == WINDOW_ALL_TARGETS || pending->target == target;
        if (meant && !pending->local && call->recorder)
            record_rma_pair(call->recorder, call->leave, RECORD_RMA_COMPLETE, window->id,
                            pending->matching, RECORD_COMPLETE_LOCAL, 0);
        if (meant) {
            pending->local = true;
            pending->shared = false;
        }
        if (meant && !locally && call->recorder)
            record_rma_pair(call->recorder, call->leave, RECORD_RMA_COMPLETE, window->id,
                            pending->matching, RECORD_COMPLETE_REMOTE, 0);
        if (!meant || locally)
            window->pending.items[kept++] = *pending;
    }
    window->pending.count = kept;
}

void window_fence_begins(const struct call *call, MPI_Win handle)
{
    requests_lock();
    const bool known = *find(handle) != NULL;
    requests_unlock();
    if (call->recorder && known)
        record_plain(call->recorder, call->enter, RECORD_RMA_COLLECTIVE_BEGIN, 0);
}

void window_fenced(const struct call *call, MPI_Win handle, int assertion)
{
    requests_lock();
    struct window *window = *find(handle);
    if (window) {
        complete(call, window, WINDOW_ALL_TARGETS, false);
        if (call->recorder)
            record_rma_collective(call->recorder, call->leave, window->id,
                                  OTF2_COLLECTIVE_OP_BARRIER, assertion_bits(assertion));
    }
    requests_unlock();
}

/* Takes the window out of the list before the call: as soon as MPI has freed the handle, another
 * thread may get the same handle for a new window. */
struct window *window_free_begins(const struct call *call, MPI_Win handle)
{
    requests_lock();
    struct window **place = find(handle), *window = *place;
    if (window)
        *place = window->next;
    requests_unlock();
    if (call->recorder && window) {
        record_plain(call->recorder, call->enter, RECORD_RMA_COLLECTIVE_BEGIN, 0);
        record_plain(call->recorder, call->enter, RECORD_RMA_WIN_DESTROY, window->id);
    }
    return window;
}

void window_freed(const struct call *call, struct window *window)
{
    if (!window)
        return;
    if (call->recorder)
        record_rma_collective(call->recorder, call->leave, window->id,
                              OTF2_COLLECTIVE_OP_DESTROY_HANDLE, 0);
    free(window->pending.items);
    free(window);
}

void window_not_freed(struct window *window)
{
    if (!window)
        return;
    requests_lock();
    window->next = windows;
    windows = window;
    requests_unlock();
}

/* --- operations --------------------------------------------------------------------------------
 */

uint32_t window_operator(MPI_Op op)
{
    const struct {
        MPI_Op op;
        enum silas_operation operation;
    } known[] = {
        {MPI_SUM, SILAS_OPERATION_SUM},       {MPI_REPLACE, SILAS_OPERATION_REPLACE},
        {MPI_NO_OP, SILAS_OPERATION_NO_OP},   {MPI_MAX, SILAS_OPERATION_MAX},
        {MPI_MIN, SILAS_OPERATION_MIN},       {MPI_PROD, SILAS_OPERATION_PROD},
        {MPI_LAND, SILAS_OPERATION_LAND},     {MPI_BAND, SILAS_OPERATION_BAND},
        {MPI_LOR, SILAS_OPERATION_LOR},       {MPI_BOR, SILAS_OPERATION_BOR},
        {MPI_LXOR, SILAS_OPERATION_LXOR},     {MPI_BXOR, SILAS_OPERATION_BXOR},
        {MPI_MINLOC, SILAS_OPERATION_MINLOC}, {MPI_MAXLOC, SILAS_OPERATION_MAXLOC},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].op == op)
            return known[i].operation;
    return SILAS_OPERATION_UNKNOWN;
}

/* The matching id for an operation on `target`; 0 if memory is out. */
static uint64_t matching_of(struct window *window, int target, bool shared)
{
    for (size_t i = window->pending.count; shared && i-- > 0;)
        if (window->pending.items[i].target == target && window->pending.items[i].shared)
            return window->pending.items[i].matching;
    const struct pending pending = {request_new_id(), target, shared, false};
    return array_push(&window->pending, pending) ? pending.matching : 0;
}

/* Records the operation. Returns the window's id, or RECORD_NONE if nothing was recorded. */
static uint32_t begin(const struct call *call, MPI_Win handle,
                      const struct window_operation *operation, bool shared, uint64_t *matching)
{
    if (!call->recorder || operation->target == MPI_PROC_NULL)
        return RECORD_NONE;
    requests_lock();
    struct window *window = *find(handle);
    const uint32_t id = window ? window->id : RECORD_NONE;
    *matching = window ? matching_of(window, operation->target, shared) : 0;
    requests_unlock();
    if (*matching == 0)
        return RECORD_NONE;
    const struct record_rma_op op = {.sent = operation->sent,
                                     .received = operation->received,
                                     .matching = *matching,
                                     .window = id,
                                     .target = (uint32_t)operation->target,
                                     .type_size = (uint32_t)operation->type_size,
                                     .kind = operation->kind,
                                     .operation = operation->operation};
    record_rma_op(call->recorder, call->enter, &op);
    return id;
}

void window_operation_begins(const struct call *call, MPI_Win handle,
                             struct window_operation operation)
{
    uint64_t matching;
    begin(call, handle, &operation, true, &matching);
}

struct request window_request(const struct call *call, MPI_Win handle,
                              struct window_operation operation)
{
    struct request request = {.kind = REQUEST_SILENT, .active = true};
    uint64_t matching;
    const uint32_t id = begin(call, handle, &operation, false, &matching);
    if (id != RECORD_NONE) {
        request.kind = REQUEST_ONE_SIDED;
        request.comm = id;
        request.id = matching;
        request.recorded = true;
    }
    return request;
}

void window_request_completed(const struct call *call, const struct request *request)
{
    record_rma_pair(call->recorder, call->leave, RECORD_RMA_COMPLETE, request->comm, request->id,
                    RECORD_COMPLETE_LOCAL, 0);
    for (struct window *window = windows; window; window = window->next)
        for (size_t i = 0; window->id == request->comm && i < window->pending.count; i++)
            if (window->pending.items[i].matching == request->id)
                window->pending.items[i].local = true;
}

void window_request_tested(const struct call *call, const struct request *request)
{
    record_rma_pair(call->recorder, call->leave, RECORD_RMA_COMPLETE, request->comm, request->id,
                    RECORD_COMPLETE_TESTED, 0);
}

/* --- synchronisation ---------------------------------------------------------------------------
 */

void window_flushed(const struct call *call, MPI_Win handle, int target, bool local)
{
    requests_lock();
    struct window *window = *find(handle);
    if (window)
        complete(call, window, target, local);
    requests_unlock();
}

static void lock_record(const struct call *call, MPI_Win handle, int target, enum record_lock kind,
                        int assertion)
{
    requests_lock();
    const struct window *window = *find(handle);
    if (window && call->recorder && target != MPI_PROC_NULL)
        record_rma_pair(call->recorder, call->leave, RECORD_RMA_LOCK, window->id,
                        target == WINDOW_ALL_TARGETS ? RECORD_NONE : (uint32_t)target, kind,
                        assertion_bits(assertion));
    requests_unlock();
}

void window_locked(const struct call *call, MPI_Win handle, int target, int lock_type,
                   int assertion)
{
    lock_record(call, handle, target,
                lock_type == MPI_LOCK_EXCLUSIVE ? RECORD_LOCK_EXCLUSIVE : RECORD_LOCK_SHARED,
                assertion);
}

void window_unlocked(const struct call *call, MPI_Win handle, int target)
{
    window_flushed(call, handle, target, false);
    lock_record(call, handle, target, RECORD_UNLOCK, 0);
}

static void group_record(const struct call *call, const struct window *window, uint32_t group,
                         int assertion)
{
    if (call->recorder && group != RECORD_NONE)
        record_rma_pair(call->recorder, call->leave, RECORD_RMA_GROUP_SYNC, window->id, group,
                        OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY,
                        assertion_bits(assertion));
}

void window_epoch_begins(const struct call *call, MPI_Win handle, MPI_Group group, bool access,
                         int assertion)
{
    const uint32_t id = group_define(group);
    requests_lock();
    struct window *window = *find(handle);
    if (window) {
        *(access ? &window->access_group : &window->open_group) = id;
        group_record(call, window, id, assertion);
    }
    requests_unlock();
}

void window_epoch_ends(const struct call *call, MPI_Win handle, bool access)
{
    requests_lock();
    struct window *window = *find(handle);
    if (window) {
        uint32_t *group = access ? &window->access_group : &window->open_group;
        if (access)
            complete(call, window, WINDOW_ALL_TARGETS, false);
        group_record(call, window, *group, 0);
        *group = RECORD_NONE;
    }
    requests_unlock();
}
