/* A plug-in with a signal for silas-structure. To write one, copy this file, and describe here the
 * number that a rank contributes (doc/plugins.md). This one counts the requests of nonblocking
 * messages that are open at a time. */
#include <silas/plugin.h>

static bool sample_open_requests(const struct trace *trace, const struct stream *stream,
                                 struct sampling *sampling)
{
    (void)trace;
    uint64_t since = sampling->begin;
    int open = 0;
    for (uint32_t row = 0; row < stream->count; row++) {
        const uint8_t kind = stream->kind[row];
        const bool posts = kind == EVENT_ISEND || kind == EVENT_IRECV_REQUEST;
        if (!posts && kind != EVENT_ISEND_COMPLETE && kind != EVENT_IRECV)
            continue;
        sampling_add(sampling, since, stream->time[row], open);
        since = stream->time[row];
        open += posts ? 1 : -1;
    }
    return true;
}

static const struct signal_kind template_signal = {
    .name = "requests",
    .description = "open requests of nonblocking messages",
    .sample = sample_open_requests,
};

const struct silas_plugin silas_plugin = {
    SILAS_PLUGIN_VERSION,
    .name = "template of a signal",
    .signals = (const struct signal_kind *const[]){&template_signal, NULL},
};
