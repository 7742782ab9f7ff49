/* Writes an OTF2 archive from a text, so that traces for tests can be written by hand, good ones
 * and bad ones (tests/trace/corpus/README).
 *
 *   ranks N [first-location-id step]       once, first
 *   comm NAME RANK,RANK,...                world and self exist already
 *   intercomm NAME RANK,... RANK,...
 *   grid COMM SIZE,SIZE,...                Cartesian, ranks in row-major order
 *   property NAME VALUE                    of the archive
 *   offset RANK TICKS                      clock offset of a rank
 *   team NUMBER,NUMBER,...                 of rank 0: 0 for the master, n for its n-th thread
 *   rank N                                 whose events follow
 *   thread N                               a second location of rank N, likewise
 *   TIME enter REGION [polls=NUMBER,TICKS] time in ticks (ns); SILAS::polls and _time
 *   TIME leave REGION [probe=NUMBER]       SILAS::probe; instead of FLAGS below, too
 *   TIME leave REGION polls=NUMBER         SILAS::polls of a visit that was saved
 *   TIME send PEER COMM TAG BYTES
 *   TIME recv PEER COMM TAG BYTES [FLAGS]  SILAS::flags (src/base/otf2_attributes.h)
 *   TIME isend PEER COMM TAG BYTES REQUEST [FLAGS]   also irecv, without FLAGS
 *   TIME isend_complete REQUEST            also test, cancelled, nbc_request
 *   TIME irecv_request REQUEST [FLAGS]
 *   TIME begin                             of a collective operation
 *   TIME end OP COMM ROOT SENT RECEIVED [FLAGS]   OP is OTF2's number, ROOT -1 for none
 *   TIME neighbour_end OP COMM SENT RECEIVED SOURCES DESTINATIONS   names of groups
 *   TIME nbc_complete OP COMM ROOT SENT RECEIVED REQUEST [persistent=NUMBER]   SILAS::persistent
 *   window NAME COMM                       for the one-sided records:
 *   group NAME RANK,RANK,...
 *   TIME win_create WIN | win_destroy WIN | rma_begin | rma_end OP WIN
 *   TIME put WIN TARGET BYTES MATCHING     also get
 *   TIME done WIN MATCHING                 complete at the target; done_blocking: at the origin
 *   TIME group_sync WIN GROUP
 *   TIME request WIN TARGET | lock WIN TARGET | unlock WIN TARGET
 *   TIME program NAME | program_end | on | off
 *   TIME flush END                         of a buffer
 *   TIME count COUNTER VALUE               a metric, which counts; a whole number
 *   TIME fork THREADS | join | team_begin | team_end   of the team of the rank's threads
 *   TIME acquire LOCK | release LOCK
 *
 * The region MPI_Send@12 is a call site of MPI_Send, in line 12 of sites.c.
 *
 * Regions called !$omp_... have the roles of Score-P's OpenMP regions: parallel, for, barrier,
 * implicit_barrier, critical, critical_sblock, ordered, ordered_sblock, single, single_sblock,
 * master, task, taskwait, create_task.
 */
#ifndef TESTS_TRACE_TEXT_TRACE_H
#define TESTS_TRACE_TEXT_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Writes the archive into `directory`, which must not exist. False, with a message, if the text is
 * not as above or OTF2 rejects a record; the directory may exist in part then. */
bool text_trace_write(FILE *spec, const char *directory, char *message, size_t size);

/* Writes as much of an archive as possible: skips lines that are not as above, limits the ranks to
 * `most_ranks` (positive), assumes 2 ranks if the number does not come first, and writes a file of
 * events for each rank. False only if OTF2 cannot write there. */
bool text_trace_write_some(FILE *spec, const char *directory, uint32_t most_ranks);

#endif
