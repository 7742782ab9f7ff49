/* What the reduction of a run (measure/reduce/reduce.h) leaves for the archive's writer, in
 * DIR/records/:
 *
 *   rank-N.reduced  the records that stay, until they take the place of rank-N.0.events
 *   rank-N.folded   the profile of what folds: struct folded_header, then struct folded_path
 *   begun           exists as soon as records have been freed after reading
 *   reduced         exists when all ranks are reduced. Its lines are: the ticks per second of the
 *                   reduction; twice, for messages within a host and between hosts, latency and
 *                   time per byte in seconds, and the size from which sends are synchronous; the
 *                   assumptions */
#ifndef MEASURE_FOLDED_H
#define MEASURE_FOLDED_H

#include "base/status.h"
#include "measure/archive/run_machine.h"

#include <stddef.h>
#include <stdint.h>

/* X(identifier, name in severity/metric_list.h) */
#define FOLDED_METRICS(X)       \
    X(TIME, "time")             \
    X(VISITS, "visits")         \
    X(COMMS_SEND, "comms_send") \
    X(COMMS_RECV, "comms_recv") \
    X(SYNCS_SEND, "syncs_send") \
    X(SYNCS_RECV, "syncs_recv") \
    X(COMMS_CXCH, "comms_cxch") \
    X(COMMS_CSRC, "comms_csrc") \
    X(COMMS_CDST, "comms_cdst") \
    X(SYNCS_COLL, "syncs_coll") \
    X(BYTES_SENT, "bytes_sent") \
    X(BYTES_RCVD, "bytes_rcvd") \
    X(BYTES_COUT, "bytes_cout") \
    X(BYTES_CIN, "bytes_cin")

enum folded_metric {
#define X(identifier, name) FOLDED_##identifier,
    FOLDED_METRICS(X)
#undef X
        FOLDED_COUNT
};

struct folded_header {
    uint64_t events; /* of the rank's first thread before the reduction */
    uint64_t paths;
};

/* Path 0 is the program; parents come first. */
struct folded_path {
    uint32_t parent, region;      /* region: of the rank; both RECORD_NONE for the program */
    int64_t values[FOLDED_COUNT]; /* ticks, counts, bytes: profile of the run minus that of the
                                     events */
};

/* The value of SILAS::MACHINE for these parameters (doc/otf2-attributes.md). */
void folded_machine_text(const struct run_machine *machine, char *text, size_t size);

/* Replaces the records of a run by those that stay, if its reduction is complete. Does nothing if
 * the run was not reduced. Fails with STATUS_INPUT if records were freed and the reduction is
 * incomplete. */
enum status archive_take_reduced(const char *directory, uint32_t size, struct error *error);

#endif
