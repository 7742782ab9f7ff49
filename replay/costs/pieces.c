#include "replay/costs/pieces.h"

bool callpath_accesses_file(const struct trace *trace, uint32_t path)
{
    return mpi_call_infos[callpath_call(trace, path)].class == MPI_CLASS_IO;
}

/* The class of computation with `path` innermost, plus 1; 0: none. */
static uint32_t class_of_path(const struct trace *trace, const struct sharing *sharing,
                              uint32_t path)
{
    if (path == CALLPATH_NONE || path >= sharing->path_count ||
        (sharing->files ? !callpath_accesses_file(trace, path)
                        : callpath_communicates(trace, path)))
        return 0;
    return sharing->class_of[path];
}

bool pieces_find(const struct trace *trace, const struct stream *stream,
                 const struct sharing *sharing, struct pieces *pieces)
{
    uint32_t path = CALLPATH_NONE, first = 0, class = 0; /* `class`: of the rows since `first` */
    for (uint32_t row = 0; row < stream->count; row++) {
        path = callpath_after(&trace->calltree, stream, row, path);
        uint32_t next = row + 1 < stream->count ? class_of_path(trace, sharing, path) : 0;
        if (next == class)
            continue;
        const struct piece piece = {first, row, class - 1};
        if (class > 0 && stream->time[row] > stream->time[first] &&
            !array_push(&pieces->list, piece))
            return false;
        first = row;
        class = next;
    }
    return true;
}
