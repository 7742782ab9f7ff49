/* What tables and time lines of a trace have in common: the order of streams, times since the
 * trace's begin, and texts of call paths. */
#ifndef EXPORTS_LOCATIONS_H
#define EXPORTS_LOCATIONS_H

#include "patterns/search.h"
#include "trace/trace.h"

/* Ticks to whole nanoseconds. */
static inline uint64_t export_nanoseconds(const struct trace *trace, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * 1000000000u /
                      trace->definitions->ticks_per_second);
}

/* Nanoseconds since the first event of all ranks' master threads. Events of other locations that
 * come before it are moved to it. */
static inline uint64_t export_time(const struct trace *trace, uint64_t time)
{
    return time > trace->begin ? export_nanoseconds(trace, time - trace->begin) : 0;
}

/* Called for a stream: thread 0 of a rank is its master thread, its other locations follow.
 * Locations without a rank are numbered among themselves. Returns false to end. */
typedef bool export_visitor(void *data, const struct stream *stream, uint32_t thread);

/* Visits the streams of this process, those without a rank first, then rank by rank. So all streams
 * of all processes come in the same order, whatever their number. False if a visitor returned
 * false. */
bool export_streams(const struct trace *trace, export_visitor *visit, void *data);

/* The end of the records of a visit of a region: the first row after `enter` that enters or leaves
 * a region, or stream->count. */
uint32_t export_records_end(const struct stream *stream, uint32_t enter);

/* Collective. Lists the longest wait of each call of the owned ranks (patterns/search.h). The
 * caller frees `all.items`; after a failure nothing is left to free. */
enum status export_waits(const struct trace *trace, struct metric_waits *waits,
                         struct error *error);

/* The wait of the call that a rank enters in `row`; NULL: it does not wait. `*next` is 0 at first;
 * calls are asked for in order of ranks and rows. */
const struct metric_wait *export_wait(const struct metric_waits *waits, size_t *next, uint32_t rank,
                                      uint32_t row);

/* A copy of a name that is valid UTF-8, with blanks for line ends and other control characters.
 * NULL when memory is out; the caller frees it. */
char *export_name(const char *name);

/* The texts of all call paths, cleaned as names are. With '/' as the separator they are those of
 * reports ("\\/" inside of names); any other one is '_' inside of names. NULL when memory is out;
 * free them by export_paths_free. */
char **export_paths(const struct trace *trace, char separator);
void export_paths_free(const struct trace *trace, char **paths); /* NULL is allowed */

#endif
