/* Checks that all indices in a trace refer to something that exists, so that damaged input is
 * reported. The reader of OTF2 records checks them while it reads; archives of folded loops are
 * read without such checks and use these functions afterwards. */
#ifndef TRACE_CHECK_H
#define TRACE_CHECK_H

#include "trace/trace.h"

/* The most bytes that one record may move: more than any process can have, and few enough that sums
 * over records do not overflow. */
#define MOST_BYTES (UINT64_C(1) << 48)

/* Checks the references of the definitions to each other. Returns the fault as the end of a
 * sentence; NULL: there is none. */
const char *definitions_check(const struct definitions *definitions);

/* Checks the events and tables of a stream. The definitions must have been checked, and the trace
 * must not be matched. Returns the fault as the end of a sentence; NULL: there is none. `*row` is
 * the event at fault, INDEX_NONE if the fault is not at one event. */
const char *stream_check(const struct trace *trace, const struct stream *stream, uint32_t *row);

#endif
