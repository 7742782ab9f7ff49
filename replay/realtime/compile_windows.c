/* One-sided calls. The region says which call it is, the record has its arguments. Data are moved
 * from and to the beginning of the target's window. */
#include "replay/realtime/compiler.h"

#include "trace/calls/semantics.h"

static struct rma_call *new_call(struct compiler *compiler, enum mpi_call mpi_call, uint32_t window)
{
    struct windows *windows = compiler->calls->windows;
    const struct definitions *definitions = compiler->trace->definitions;
    struct rma_call *call = arena_alloc(windows->arena, sizeof *call);
    if (!compile_check(compiler, call && array_push(&windows->calls, call)))
        return NULL;
    const uint64_t *time = stream_recorded_times(compiler->trace, compiler->stream);
    const bool early = compiler->walk.call.leave == 0; /* no call has been compiled */
    *call = (struct rma_call){
        .call = mpi_call,
        .window = window,
        .thread = windows->thread,
        .begin = early ? 0 : time[compiler->walk.call.enter],
        .end = early ? 0 : time[compiler->walk.call.leave],
        .comm = compiler->calls->communicators->real[definitions->windows[window].own],
        .type = MPI_BYTE,
        .target_type = MPI_BYTE,
        .operation = MPI_OP_NULL,
        .bytes = (MPI_Aint)windows->bytes[window],
        .group = MPI_GROUP_NULL};
    return call;
}

static void add_window_op(struct compiler *compiler, const struct rma_call *call)
{
    struct op op = {.code = OP_WINDOW, .rma = call};
    add_op(compiler, &op);
}

static int real_assertion(unsigned assertion)
{
    return (assertion & SILAS_ASSERTION_NOSTORE ? MPI_MODE_NOSTORE : 0) |
           (assertion & SILAS_ASSERTION_NOPUT ? MPI_MODE_NOPUT : 0) |
           (assertion & SILAS_ASSERTION_NOPRECEDE ? MPI_MODE_NOPRECEDE : 0) |
           (assertion & SILAS_ASSERTION_NOSUCCEED ? MPI_MODE_NOSUCCEED : 0) |
           (assertion & SILAS_ASSERTION_NOCHECK ? MPI_MODE_NOCHECK : 0);
}

static enum mpi_call collective_call_of(enum mpi_call call, const struct collective *collective)
{
    if (mpi_call_infos[call].class == MPI_CLASS_WINDOW)
        return call;
    switch (collective->op) {
    case COLLECTIVE_CREATE_HANDLE:
        return MPI_CALL_WIN_CREATE;
    case COLLECTIVE_CREATE_HANDLE_AND_ALLOCATE:
        return MPI_CALL_WIN_ALLOCATE;
    case COLLECTIVE_DESTROY_HANDLE:
    case COLLECTIVE_DESTROY_HANDLE_AND_DEALLOCATE:
        return MPI_CALL_WIN_FREE;
    default:
        return MPI_CALL_WIN_FENCE;
    }
}

/* Reserves the memory of a window that the program provides. */
static bool reserve_window(struct compiler *compiler, struct rma_call *call)
{
    uint64_t key = map_mix(0x57494e00ull + call->window);
    return compile_check(compiler, buffers_reserve(compiler->calls->buffers, key, BUFFER_RECV,
                                                   (uint64_t)call->bytes, &call->origin));
}

/* Makes a window before the run if no call of the process makes it. */
static void make_window_before(struct compiler *compiler, uint32_t window)
{
    struct windows *windows = compiler->calls->windows;
    if (windows->made[window])
        return;
    windows->made[window] = true;
    struct rma_call *call = new_call(compiler, MPI_CALL_WIN_CREATE, window);
    if (call && reserve_window(compiler, call))
        windows->early[window] = call;
}

void compile_early_windows(struct compiler *compiler)
{
    const struct collective_calls *calls = compiler->calls;
    for (uint32_t w = 0; w < calls->windows->count; w++)
        if (calls->windows->needed[w] &&
            calls->communicators->real[compiler->trace->definitions->windows[w].own] !=
                MPI_COMM_NULL)
            make_window_before(compiler, w);
}

void compile_window_collective(struct compiler *compiler, const struct collective *collective)
{
    enum mpi_call mpi_call = collective_call_of(compiler->walk.call.mpi_call, collective);
    bool makes = mpi_call != MPI_CALL_WIN_FREE && mpi_call != MPI_CALL_WIN_FENCE;
    if (!makes)
        make_window_before(compiler, collective->window);
    struct rma_call *call = new_call(compiler, mpi_call, collective->window);
    if (!call || (makes && !reserve_window(compiler, call)))
        return;
    if (mpi_call == MPI_CALL_WIN_CREATE_DYNAMIC)
        compiler->calls->approximations->counts[APPROXIMATION_DYNAMIC]++;
    call->comm = compiler->calls->communicators->real[collective->comm];
    call->assertion = real_assertion(collective->type_size);
    add_window_op(compiler, call);
}

static enum mpi_call operation_call_of(enum mpi_call call, const struct rma_op *op)
{
    if (mpi_call_infos[call].class == MPI_CLASS_RMA)
        return call;
    return op->kind == RMA_PUT   ? MPI_CALL_PUT
           : op->kind == RMA_GET ? MPI_CALL_GET
           : op->received > 0    ? MPI_CALL_GET_ACCUMULATE
                                 : MPI_CALL_ACCUMULATE;
}

static bool has_request(enum mpi_call call)
{
    return call == MPI_CALL_RPUT || call == MPI_CALL_RGET || call == MPI_CALL_RACCUMULATE ||
           call == MPI_CALL_RGET_ACCUMULATE;
}

/* MPI_OP_NULL: the operator is not recorded. Pairs of value and place are replayed as values. */
static MPI_Op real_operator(const struct rma_op *op)
{
    const MPI_Op operators[] = {
        [SILAS_OPERATION_UNKNOWN] = op->sent == 0 ? MPI_NO_OP : MPI_OP_NULL,
        [SILAS_OPERATION_MAX] = MPI_MAX,
        [SILAS_OPERATION_MIN] = MPI_MIN,
        [SILAS_OPERATION_SUM] = MPI_SUM,
        [SILAS_OPERATION_PROD] = MPI_PROD,
        [SILAS_OPERATION_LAND] = MPI_LAND,
        [SILAS_OPERATION_BAND] = MPI_BAND,
        [SILAS_OPERATION_LOR] = MPI_LOR,
        [SILAS_OPERATION_BOR] = MPI_BOR,
        [SILAS_OPERATION_LXOR] = MPI_LXOR,
        [SILAS_OPERATION_BXOR] = MPI_BXOR,
        [SILAS_OPERATION_REPLACE] = MPI_REPLACE,
        [SILAS_OPERATION_NO_OP] = MPI_NO_OP,
        [SILAS_OPERATION_MINLOC] = MPI_MIN,
        [SILAS_OPERATION_MAXLOC] = MPI_MAX,
    };
    bool is_known = op->operation < sizeof operators / sizeof *operators;
    return operators[is_known ? op->operation : SILAS_OPERATION_UNKNOWN];
}

/* Logical and bit-wise operators need integers. */
static bool needs_integers(MPI_Op op)
{
    return op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR || op == MPI_BAND || op == MPI_BOR ||
           op == MPI_BXOR;
}

static MPI_Datatype element_type(uint64_t element, bool integer)
{
    switch (element) {
    case 8:
        return integer ? MPI_INT64_T : MPI_DOUBLE;
    case 4:
        return integer ? MPI_INT32_T : MPI_FLOAT;
    case 2:
        return MPI_INT16_T;
    default:
        return MPI_INT8_T;
    }
}

/* Sets the recorded operator, on elements of the recorded size. Their type is not recorded; it is
 * floating point if MPI allows that. */
static bool set_atomic(struct compiler *compiler, struct rma_call *call, const struct rma_op *op,
                       uint64_t bytes)
{
    bool single = call->call == MPI_CALL_FETCH_AND_OP || call->call == MPI_CALL_COMPARE_AND_SWAP;
    uint64_t element = op->type_size;
    if ((element != 8 && element != 4 && element != 2) || bytes % element != 0)
        element = 1;
    call->operation = real_operator(op);
    if (call->operation == MPI_OP_NULL && call->call != MPI_CALL_COMPARE_AND_SWAP)
        compiler->calls->approximations->counts[APPROXIMATION_OPERATOR]++;
    if (call->operation == MPI_OP_NULL)
        call->operation = element < 4 ? MPI_BOR : MPI_SUM;
    call->type = element_type(element, single || needs_integers(call->operation));
    call->count = 1;
    return single ||
           datatype_for(compiler->calls->datatypes, call->type, bytes, &call->type, &call->count);
}

/* Sets the recorded datatypes of origin and target, if they can be rebuilt. `*space`: the bytes
 * that the origin's buffers need. For an atomic operation, origin and target must have one, so that
 * the operator fits, and the operator must be recorded. */
static void set_layouts(struct compiler *compiler, struct rma_call *call, const struct rma_op *op,
                        uint64_t bytes, uint64_t *space)
{
    struct rebuilt_types *rebuilt = compiler->calls->rebuilt;
    const struct rebuilt_type *origin = rma_layout(rebuilt, op, true);
    const struct rebuilt_type *target = rma_layout(rebuilt, op, false);
    MPI_Aint lowest;
    if (op->types == 0)
        return;
    if (!origin || !target ||
        (op->kind >= RMA_ATOMIC && op->operation == SILAS_OPERATION_UNKNOWN)) {
        compiler->calls->approximations->counts[APPROXIMATION_LAYOUTS]++;
        return;
    }
    call->type = origin->type;
    call->count = (int)(bytes / origin->size);
    call->target_type = target->type;
    call->target_count = (int)(bytes / target->size);
    *space = datatype_span(call->type, (uint64_t)call->count, &lowest);
    datatype_span(call->target_type, (uint64_t)call->target_count, &lowest);
    call->place = lowest < 0 ? -lowest : 0; /* no displacement is negative */
}

static uint64_t rma_matching_key(uint32_t window, uint64_t matching)
{
    return map_mix(matching) + window;
}

/* The operation that a completion record names; INDEX_NONE: it has no record. */
static uint32_t operation_of(const struct compiler *compiler, const struct rma_sync *sync)
{
    uint32_t index = map_get(&compiler->operations, rma_matching_key(sync->window, sync->matching));
    return index == MAP_NONE ? INDEX_NONE : index;
}

void compile_window_operation(struct compiler *compiler, uint32_t index)
{
    const struct rma_op *recorded = &compiler->stream->rma_ops[index];
    uint64_t bytes = recorded->sent > recorded->received ? recorded->sent : recorded->received;
    if (!window_takes_part(compiler->trace->definitions, recorded->window))
        return;
    compile_check(compiler, map_set(&compiler->operations,
                                    rma_matching_key(recorded->window, recorded->matching), index));
    make_window_before(compiler, recorded->window);
    enum mpi_call mpi_call = operation_call_of(compiler->walk.call.mpi_call, recorded);
    struct rma_call *call = new_call(compiler, mpi_call, recorded->window);
    if (!call)
        return;
    call->target = (int)recorded->target;
    bool room = recorded->kind >= RMA_ATOMIC ? set_atomic(compiler, call, recorded, bytes)
                                             : datatype_for(compiler->calls->datatypes, MPI_BYTE,
                                                            bytes, &call->type, &call->count);
    call->target_type = call->type;
    call->target_count = call->count;
    uint64_t key = map_mix(((uint64_t)recorded->window << 32) + recorded->target);
    key = map_mix(key ^ (uint64_t)mpi_call << 48 ^ bytes);
    set_layouts(compiler, call, recorded, bytes, &bytes);
    struct op op = {.code = OP_WINDOW, .rma = call};
    compile_check(
        compiler,
        room && buffers_reserve(compiler->calls->buffers, key, BUFFER_SEND, bytes, &call->origin) &&
            buffers_reserve(compiler->calls->buffers, key + 1, BUFFER_RECV, bytes, &call->result));
    if (has_request(mpi_call))
        op.slot = request_open(compiler, &compiler->operation_slot[index], key);
    add_op(compiler, &op);
}

/* The target of the operations that a completion record names; -1: they have no record. */
static int target_of(const struct compiler *compiler, const struct rma_sync *sync)
{
    uint32_t index = operation_of(compiler, sync);
    return index == INDEX_NONE ? -1 : (int)compiler->stream->rma_ops[index].target;
}

/* Whether this record describes the call. The region may have further records. */
static bool describes_call(enum mpi_call call, const struct rma_sync *sync)
{
    switch (call) {
    case MPI_CALL_WIN_LOCK:
    case MPI_CALL_WIN_LOCK_ALL:
        return sync->kind == RMA_SYNC_ACQUIRE_LOCK || sync->kind == RMA_SYNC_REQUEST_LOCK;
    case MPI_CALL_WIN_UNLOCK:
    case MPI_CALL_WIN_UNLOCK_ALL:
        return sync->kind == RMA_SYNC_RELEASE_LOCK;
    case MPI_CALL_WIN_POST:
    case MPI_CALL_WIN_START:
    case MPI_CALL_WIN_COMPLETE:
    case MPI_CALL_WIN_WAIT:
    case MPI_CALL_WIN_TEST:
        return sync->kind <= RMA_SYNC_GROUP;
    case MPI_CALL_WIN_FLUSH:
    case MPI_CALL_WIN_FLUSH_ALL:
    case MPI_CALL_WIN_FLUSH_LOCAL:
    case MPI_CALL_WIN_FLUSH_LOCAL_ALL:
        return sync->kind >= RMA_SYNC_DONE_BLOCKING && sync->kind <= RMA_SYNC_DONE_REMOTE;
    default:
        return false;
    }
}

/* Operations without a request share their matching id with others. */
static void name_rma_request(struct compiler *compiler, const struct rma_sync *sync)
{
    uint32_t index = operation_of(compiler, sync);
    if (index == INDEX_NONE)
        return;
    if (sync->kind == RMA_SYNC_TEST)
        request_test(compiler, compiler->operation_slot[index]);
    else if (sync->kind == RMA_SYNC_DONE_NONBLOCKING || sync->kind == RMA_SYNC_DONE_BLOCKING)
        request_complete(compiler, &compiler->operation_slot[index]);
}

void compile_window_sync(struct compiler *compiler, uint32_t row)
{
    const struct rma_sync *sync = &compiler->stream->rma_syncs[compiler->stream->arg[row]];
    enum mpi_call mpi_call = compiler->walk.call.mpi_call;
    if (mpi_call_infos[mpi_call].class != MPI_CLASS_RMA_SYNC)
        name_rma_request(compiler, sync);
    if (!describes_call(mpi_call, sync) ||
        !window_takes_part(compiler->trace->definitions, sync->window) ||
        compiler->window_call_row > 0)
        return;
    bool flushes_one = mpi_call == MPI_CALL_WIN_FLUSH || mpi_call == MPI_CALL_WIN_FLUSH_LOCAL;
    int target = flushes_one ? target_of(compiler, sync) : (int)sync->peer;
    if (flushes_one && target < 0)
        return;
    make_window_before(compiler, sync->window);
    struct rma_call *call = new_call(compiler, mpi_call, sync->window);
    if (!call)
        return;
    compiler->window_call_row = row; /* one call, however many records */
    call->target = target;
    call->assertion = real_assertion(sync->assertion);
    call->lock_type = sync->mode == RMA_LOCK_EXCLUSIVE ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
    if (sync->group != INDEX_NONE) {
        call->group = windows_group(compiler->calls->windows, compiler->trace, call->comm,
                                    sync->window, sync->group);
        compile_check(compiler, call->group != MPI_GROUP_NULL);
    }
    add_window_op(compiler, call);
}
