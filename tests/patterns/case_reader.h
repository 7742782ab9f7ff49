/* Small hand-written traces with their expected waits: a text file that becomes a trace in
 * memory. One tick is one second. '#' starts a comment. First
 *
 *     ranks N
 *     comm NAME MEMBER...                     (world and self are there already)
 *     intercomm NAME MEMBER... / MEMBER...
 *     window NAME COMM
 *
 * then events, RANK TIME and one of
 *
 *     enter REGION | leave
 *     send COMM PEER TAG BYTES | recv COMM PEER TAG BYTES          (PEER: rank in COMM)
 *     isend COMM PEER TAG BYTES REQUEST | isent REQUEST
 *     post REQUEST | irecv COMM PEER TAG BYTES REQUEST             (REQUEST: 0..99, reusable)
 *     begin | end OPERATION COMM ROOT SENT RECEIVED                (OPERATION: allreduce;
 *                                          ROOT: rank, -; between groups also self, other)
 *     ibegin REQUEST | iend OPERATION COMM ROOT SENT RECEIVED REQUEST
 *     test REQUEST | testop REQUEST | cancel REQUEST              (testop: of an operation)
 *     matched                              (by a probe: the message received next)
 *     flush UNTIL | other
 *     counts BYTES...                      (received from each rank by the operation ended last)
 *     neighbours [RANK:BYTES...]           (likewise; it was a neighbourhood operation)
 *     end OPERATION WINDOW [noprecede]     (collective on a window: barrier is a fence)
 *     put WINDOW TARGET BYTES ID | get WINDOW TARGET BYTES ID | atomic WINDOW TARGET SENT RECEIVED
 * ID group WINDOW RANK...                 (post, start, complete or wait: as the call around it)
 *     request WINDOW TARGET exclusive | lock WINDOW TARGET exclusive [nocheck]
 *     unlock WINDOW TARGET                 (exclusive or shared; TARGET: rank or all)
 *     done WINDOW ID                       (at the target, too)
 *
 * and what must be found:
 *
 *     expect METRIC PATH RANK VALUE */
#ifndef TESTS_PATTERNS_CASE_READER_H
#define TESTS_PATTERNS_CASE_READER_H

#include "base/array.h"
#include "severity/metrics.h"
#include "trace/trace.h"

#include <stdio.h>

struct expectation {
    enum metric metric;
    char path[128];
    uint32_t rank;
    double value;
};

struct test_case {
    struct trace *trace;
    ARRAY(struct expectation) expectations;
};

/* Collective. Reads the file on every process; each keeps the ranks it owns. The trace is matched.
 * Ends the program with a message if the file is not right. */
struct test_case *case_read(const char *path, struct processes *processes);
/* The same from a stream; `path` stands for it in messages. */
struct test_case *case_read_stream(const char *path, FILE *file, struct processes *processes);
void case_destroy(struct test_case *test_case);

#endif
