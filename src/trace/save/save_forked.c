/* OTF2's collective operations between forked processes: each is an exchange of all contributions.
 */
#include "trace/save/save_private.h"

#include "base/array.h"
#include "base/mpi/processes.h"

#include <stdlib.h>
#include <string.h>

struct contributions {
    ARRAY(char) bytes; /* those of process 0, then those of process 1, and so on */
};

static size_t forked_type_size(OTF2_Type type)
{
    switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
        return 1;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
        return 2;
    case OTF2_TYPE_UINT64:
    case OTF2_TYPE_INT64:
    case OTF2_TYPE_DOUBLE:
        return 8;
    default:
        return 4;
    }
}

/* Gives all processes the contributions of all. */
static OTF2_CallbackCode forked_exchange(const struct processes *processes, const void *mine,
                                         size_t size, struct contributions *all)
{
    struct error ignored;
    *all = (struct contributions){0};
    const bool allocated = array_reserve(&all->bytes, size + 1);
    if (processes_agree_memory(processes, allocated, "the archive", &ignored) == STATUS_OK) {
        if (size > 0)
            memcpy(all->bytes.items, mine, size);
        all->bytes.count = size;
        if (processes_share(processes, &all->bytes, "the archive", &ignored) == STATUS_OK)
            return OTF2_CALLBACK_SUCCESS;
    }
    free(all->bytes.items);
    return OTF2_CALLBACK_ERROR;
}

/* Copies `size` bytes from `first` on to `data`, unless it is NULL. */
static OTF2_CallbackCode forked_take(struct contributions *all, void *data, size_t first,
                                     size_t size)
{
    if (data && size > 0)
        memcpy(data, all->bytes.items + first, size);
    free(all->bytes.items);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode forked_get_size(void *data, OTF2_CollectiveContext *context,
                                         uint32_t *size)
{
    (void)context;
    *size = (uint32_t)((const struct processes *)data)->size;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode forked_get_rank(void *data, OTF2_CollectiveContext *context,
                                         uint32_t *rank)
{
    (void)context;
    *rank = (uint32_t)((const struct processes *)data)->rank;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode forked_barrier(void *data, OTF2_CollectiveContext *context)
{
    (void)context;
    processes_barrier(data);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode forked_scatterv(void *data, OTF2_CollectiveContext *context,
                                         const void *in, const uint32_t *in_counts, void *out,
                                         uint32_t count, OTF2_Type type, uint32_t root)
{
    const struct processes *processes = data;
    const bool is_root = processes->rank == (int)root;
    struct contributions parts, counts;
    size_t sum = 0, first = 0;
    (void)context;
    for (int p = 0; is_root && p < processes->size; p++)
        sum += in_counts[p];
    if (forked_exchange(processes, in_counts,
                        is_root ? (size_t)processes->size * sizeof *in_counts : 0,
                        &counts) != OTF2_CALLBACK_SUCCESS)
        return OTF2_CALLBACK_ERROR;
    for (int p = 0; p < processes->rank; p++)
        first += ((const uint32_t *)(const void *)counts.bytes.items)[p];
    free(counts.bytes.items);
    const size_t size = forked_type_size(type);
    return forked_exchange(processes, in, sum * size, &parts) == OTF2_CALLBACK_SUCCESS
               ? forked_take(&parts, out, first * size, count * size)
               : OTF2_CALLBACK_ERROR;
}

static OTF2_CallbackCode forked_scatter(void *data, OTF2_CollectiveContext *context, const void *in,
                                        void *out, uint32_t count, OTF2_Type type, uint32_t root)
{
    const struct processes *processes = data;
    const size_t size = count * forked_type_size(type);
    struct contributions parts;
    (void)context;
    if (forked_exchange(processes, in,
                        processes->rank == (int)root ? size * (size_t)processes->size : 0,
                        &parts) != OTF2_CALLBACK_SUCCESS)
        return OTF2_CALLBACK_ERROR;
    return forked_take(&parts, out, (size_t)processes->rank * size, size);
}

static OTF2_CallbackCode forked_broadcast(void *data, OTF2_CollectiveContext *context, void *values,
                                          uint32_t count, OTF2_Type type, uint32_t root)
{
    const struct processes *processes = data;
    const size_t size = count * forked_type_size(type);
    struct contributions of_root;
    (void)context;
    return forked_exchange(processes, values, processes->rank == (int)root ? size : 0, &of_root) ==
                   OTF2_CALLBACK_SUCCESS
               ? forked_take(&of_root, values, 0, size)
               : OTF2_CALLBACK_ERROR;
}

static OTF2_CallbackCode forked_gatherv(void *data, OTF2_CollectiveContext *context, const void *in,
                                        uint32_t count, void *out, const uint32_t *out_counts,
                                        OTF2_Type type, uint32_t root)
{
    const struct processes *processes = data;
    struct contributions all;
    (void)context, (void)out_counts;
    if (forked_exchange(processes, in, count * forked_type_size(type), &all) !=
        OTF2_CALLBACK_SUCCESS)
        return OTF2_CALLBACK_ERROR;
    return forked_take(&all, processes->rank == (int)root ? out : NULL, 0, all.bytes.count);
}

static OTF2_CallbackCode forked_gather(void *data, OTF2_CollectiveContext *context, const void *in,
                                       void *out, uint32_t count, OTF2_Type type, uint32_t root)
{
    return forked_gatherv(data, context, in, count, out, NULL, type, root);
}

OTF2_ErrorCode save_set_forked(OTF2_Archive *archive, const struct processes *processes)
{
    static const OTF2_CollectiveCallbacks callbacks = {.otf2_get_size = forked_get_size,
                                                       .otf2_get_rank = forked_get_rank,
                                                       .otf2_barrier = forked_barrier,
                                                       .otf2_bcast = forked_broadcast,
                                                       .otf2_gather = forked_gather,
                                                       .otf2_gatherv = forked_gatherv,
                                                       .otf2_scatter = forked_scatter,
                                                       .otf2_scatterv = forked_scatterv};
    /* The context only has to be there: the processes are the same in all operations. */
    OTF2_CollectiveContext *context = (OTF2_CollectiveContext *)archive;
    return OTF2_Archive_SetCollectiveCallbacks(archive, &callbacks, (void *)(uintptr_t)processes,
                                               context, NULL);
}
