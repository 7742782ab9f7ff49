/* Traces made from text, for tests: one text per rank, events separated by blanks, each TIME:EVENT.
 *
 *   0:<app 90:>            program begins, ends
 *   1:+foo 9:-foo          enter, leave
 *   4:S1,7,100             blocking send to rank 1, tag 7, 100 bytes
 *   4:R0,7,100             blocking receive from rank 0
 *   4:s5,1,7,100 8:S5      nonblocking send with id 5: posted, completed
 *   4:r6,0,7,100 8:R6      nonblocking receive with id 6
 *   7:t5  7:x6             request tested without success, cancelled
 *   4:B 8:E                collective operation (a barrier) begins, ends
 *   4:f6                   buffer flush until 6
 *   4:p9                   9 tests that were left out, in a visit of the test
 *   4:o                    an event that is not interpreted
 *
 * A message's peer may be followed by @C, its communicator: 0 is MPI_COMM_WORLD (default), 1 a
 * communicator called halo with the same ranks. */
#ifndef TESTS_BUILT_TRACE_H
#define TESTS_BUILT_TRACE_H

#include "trace/trace.h"

/* `ranks` and `carried` (NULL entries: no such location) have `rank_count` texts. Every process
 * gives the same texts and keeps the ranks it owns. Ends the program on a text it cannot read. */
struct trace *built_trace(struct processes *processes, const char *const *ranks,
                          const char *const *carried, uint32_t rank_count);

/* The stream in the same notation, one blank between events. Free it. */
char *built_trace_text(const struct trace *trace, const struct stream *stream);

#endif
