#include "trace/save/save_private.h"

#include "base/mpi/exchange.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t size_of_type(OTF2_Type type)
{
    switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
        return 1;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
        return 2;
    case OTF2_TYPE_UINT32:
    case OTF2_TYPE_INT32:
    case OTF2_TYPE_FLOAT:
        return 4;
    default:
        return 8;
    }
}

static OTF2_CallbackCode get_size(void *data, OTF2_CollectiveContext *context, uint32_t *size)
{
    (void)data;
    *size = (uint32_t)context->processes->size;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode get_rank(void *data, OTF2_CollectiveContext *context, uint32_t *rank)
{
    (void)data;
    *rank = (uint32_t)context->processes->rank;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode barrier(void *data, OTF2_CollectiveContext *context)
{
    (void)data;
    processes_barrier(context->processes);
    return OTF2_CALLBACK_SUCCESS;
}

/* OTF2 writes an archive with process 0 as the root of all operations. */
static OTF2_CallbackCode broadcast(void *data, OTF2_CollectiveContext *context, void *values,
                                   uint32_t count, OTF2_Type type, uint32_t root)
{
    (void)data;
    (void)root;
    assert(root == OTF2_COLLECTIVES_ROOT);
    processes_broadcast(context->processes, values, count * size_of_type(type));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode gatherv(void *data, OTF2_CollectiveContext *context, const void *in,
                                 uint32_t count, void *out, const uint32_t *counts, OTF2_Type type,
                                 uint32_t root)
{
    (void)data;
    (void)counts;
    (void)root;
    assert(root == OTF2_COLLECTIVES_ROOT);
    struct error error;
    char *received;
    size_t size;
    if (exchange_gather(context->processes, in, count * size_of_type(type), &received, &size, NULL,
                        &error) != STATUS_OK)
        return OTF2_CALLBACK_ERROR;
    if (size > 0)
        memcpy(out, received, size);
    free(received);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode gather(void *data, OTF2_CollectiveContext *context, const void *in,
                                void *out, uint32_t count, OTF2_Type type, uint32_t root)
{
    return gatherv(data, context, in, count, out, NULL, type, root);
}

/* Process 0 sends counts[p] elements to process p, or `count` if `counts` is NULL. */
static OTF2_CallbackCode scatter_elements(const struct processes *processes, const char *in,
                                          const uint32_t *counts, void *out, uint32_t count,
                                          OTF2_Type type)
{
    struct exchange exchange = exchange_open(processes, 1, "the archive");
    struct received received;
    struct error error;
    for (int p = 0; p < processes->size && processes->rank == 0; p++) {
        const size_t size = (counts ? counts[p] : count) * size_of_type(type);
        exchange_check(&exchange, bytes_put(exchange_buffer(&exchange, p), in, size));
        in += size;
    }
    if (exchange_run(&exchange, &received, &error) != STATUS_OK)
        return OTF2_CALLBACK_ERROR;
    if (received.count > 0)
        memcpy(out, received.items, received.count);
    free(received.items);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode scatterv(void *data, OTF2_CollectiveContext *context, const void *in,
                                  const uint32_t *counts, void *out, uint32_t count, OTF2_Type type,
                                  uint32_t root)
{
    (void)data;
    (void)root;
    assert(root == OTF2_COLLECTIVES_ROOT);
    return scatter_elements(context->processes, in, counts, out, count, type);
}

static OTF2_CallbackCode scatter(void *data, OTF2_CollectiveContext *context, const void *in,
                                 void *out, uint32_t count, OTF2_Type type, uint32_t root)
{
    return scatterv(data, context, in, NULL, out, count, type, root);
}

OTF2_ErrorCode save_set_processes(OTF2_Archive *archive, OTF2_CollectiveContext *context)
{
    static const OTF2_CollectiveCallbacks functions = {.otf2_get_size = get_size,
                                                       .otf2_get_rank = get_rank,
                                                       .otf2_barrier = barrier,
                                                       .otf2_bcast = broadcast,
                                                       .otf2_gather = gather,
                                                       .otf2_gatherv = gatherv,
                                                       .otf2_scatter = scatter,
                                                       .otf2_scatterv = scatterv};
    return OTF2_Archive_SetCollectiveCallbacks(archive, &functions, NULL, context, NULL);
}
