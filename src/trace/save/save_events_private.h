/* Shared by save_events.c and save_windows.c. */
#ifndef TRACE_SAVE_EVENTS_PRIVATE_H
#define TRACE_SAVE_EVENTS_PRIVATE_H

#include "trace/trace.h"

#include <otf2/otf2.h>

/* One location while it is written. */
struct writer {
    OTF2_EvtWriter *events;
    OTF2_AttributeList *attributes;
    const struct trace *trace;
    const struct stream *stream;
};

/* RMA_WIN_CREATE and _DESTROY; COLLECTIVE_BEGIN and _END on windows; RMA_OP; RMA_SYNC. */
OTF2_ErrorCode save_window_life(struct writer *w, uint64_t time, enum event_kind kind,
                                uint32_t window);
OTF2_ErrorCode save_window_collective(struct writer *w, uint64_t time, enum event_kind kind,
                                      const struct collective *c);
OTF2_ErrorCode save_rma_op(struct writer *w, uint64_t time, const struct rma_op *op);
OTF2_ErrorCode save_rma_sync(struct writer *w, uint64_t time, const struct rma_sync *s);

#endif
