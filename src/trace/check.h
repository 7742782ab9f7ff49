/* Whether the numbers of a trace are numbers of something. The reader of OTF2's records finds this
 * out while it joins them; folded loops are read as they are, and need to be checked. */
#ifndef TRACE_CHECK_H
#define TRACE_CHECK_H

#include "trace/trace.h"

/* Bytes that one record may move: more than any process can have, and few enough that sums of them
 * do not overflow. */
#define MOST_BYTES (UINT64_C(1) << 48)

/* What is wrong with the references of the definitions to each other, as the end of a sentence;
 * NULL: nothing. */
const char *definitions_check(const struct definitions *definitions);

/* The same of a stream of a trace that is not matched, whose definitions are right: its events, and
 * the items of its tables. `*row` is the event, INDEX_NONE if it is not a single one. */
const char *stream_check(const struct trace *trace, const struct stream *stream, uint32_t *row);

#endif
