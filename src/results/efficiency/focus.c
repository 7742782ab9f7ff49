#include "results/efficiency/focus.h"

#include "trace/calls/regions.h"

#include <assert.h>

/* The row with which MPI_Init ends; 0 if communication begins without it. */
static uint32_t focus_first_row(const struct trace *trace, const struct stream *stream)
{
    for (uint32_t row = 0; row < stream->count; row++) {
        if (stream->kind[row] != EVENT_ENTER)
            continue;
        const enum mpi_class class = mpi_call_infos[callpath_call(trace, stream->arg[row])].class;
        if (class == MPI_CLASS_INIT)
            return region_leave(stream, row);
        if (mpi_class_communicates(class))
            break;
    }
    return 0;
}

/* The row with which MPI_Finalize begins, or the last one. The search begins at the end. */
static uint32_t focus_last_row(const struct trace *trace, const struct stream *stream)
{
    for (uint32_t row = stream->count; row-- > 0;) {
        if (stream->kind[row] != EVENT_ENTER)
            continue;
        const enum mpi_class class = mpi_call_infos[callpath_call(trace, stream->arg[row])].class;
        if (class == MPI_CLASS_FINALIZE)
            return row;
        if (mpi_class_communicates(class))
            break;
    }
    return stream->count - 1;
}

struct focus_rows focus_rows_of(const struct trace *trace, const struct stream *stream)
{
    if (stream->count == 0)
        return (struct focus_rows){0, 0};
    const struct focus_rows rows = {focus_first_row(trace, stream), focus_last_row(trace, stream)};
    assert(rows.last < stream->count);
    return rows.first <= rows.last ? rows : (struct focus_rows){0, stream->count - 1};
}
