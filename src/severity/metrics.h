/* The metrics, from one list: enum, name (Scalasca's), unit, parent in the metric tree, title
 * and description. doc/metrics.md explains each. A severity store can hold further metrics: those
 * of patterns in plug-ins, and those of other tools' reports (severity.h). */
#ifndef SEVERITY_METRICS_H
#define SEVERITY_METRICS_H

#include <stdbool.h>

enum metric_unit { UNIT_SECONDS, UNIT_COUNT, UNIT_BYTES, UNIT_OTHER };

/* How the values of several call paths or locations are combined. For MERGE_MIN and MERGE_MAX, 0
 * means "no value". */
enum metric_merge { MERGE_SUM, MERGE_MIN, MERGE_MAX };
enum { METRIC_MERGES = 3 };

/* What a metric says about waiting (doc/metrics.md, "What counts as waiting"). */
enum metric_role {
    ROLE_OTHER,
    ROLE_WAIT,        /* a rank waits for another one; the critical path runs through the wait */
    ROLE_CAUSED_WAIT, /* likewise, but the critical path continues at the rank that causes it */
    ROLE_DELAY        /* others' waiting that a delay causes, at the delay's call path and rank */
};

/* METRIC_LIST(X): X(identifier, "name", unit, parent, role, "title", "description") */
#include "severity/metric_list.h"

enum metric {
#define X(identifier, name, unit, parent, role, title, description) METRIC_##identifier,
    METRIC_LIST(X)
#undef X
        METRIC_COUNT,
    METRIC_NONE = -1, /* parent of a root */
    METRIC_OWN_FIRST = 1 << 16
};

/* In a pattern: its n-th own metric, from 0 (patterns/pattern.h). */
#define METRIC_OWN(n) ((enum metric)(METRIC_OWN_FIRST + (n)))

struct metric_info {
    const char *name;
    enum metric_unit unit;
    enum metric parent;
    const char *title, *description;
    const char *unit_name; /* of UNIT_OTHER; else NULL */
    enum metric_merge merge;
    enum metric_role role;
};

extern const struct metric_info metric_infos[METRIC_COUNT];

/* "sec", "occ", "bytes": Scalasca's words. Not for UNIT_OTHER. */
const char *metric_unit_name(enum metric_unit unit);
/* UNIT_OTHER for any other name. */
enum metric_unit metric_unit_from_name(const char *name);
/* The name of the unit of any metric, also of one that is not in the list. */
const char *metric_info_unit(const struct metric_info *info);

extern const char *const metric_merge_names[METRIC_MERGES]; /* "sum", "min", "max" */
double metric_merge_values(enum metric_merge merge, double a, double b);

/* Expand to their arguments if the role counts as waiting, and to nothing if it does not. */
#define IF_WAIT_ROLE_OTHER(...)
#define IF_WAIT_ROLE_DELAY(...)
#define IF_WAIT_ROLE_WAIT(...)        __VA_ARGS__
#define IF_WAIT_ROLE_CAUSED_WAIT(...) __VA_ARGS__

/* The metrics that count as waiting, numbered. */
enum wait_state {
    WAIT_STATE_NONE,
#define X(identifier, name, unit, parent, role, title, description) \
    IF_WAIT_##role(WAIT_STATE_##identifier, )
    METRIC_LIST(X)
#undef X
        WAIT_STATE_COUNT
};

/* WAIT_STATE_NONE if the metric does not count as waiting. */
enum wait_state wait_state_of(enum metric metric);

/* The title of the metric; "Wait" for WAIT_STATE_NONE. */
const char *wait_state_name(enum wait_state state);

/* Kinds of waiting for other ranks whose causes are searched (patterns/sync_points.h).
 * X(identifier, metric of the wait, metric of the direct costs of a delay; that with _LONGTERM
 * counts its costs by way of other waits). */
#define SYNC_KINDS(X)                                      \
    X(LATE_SENDER, MPI_LATESENDER, DELAY_LATESENDER)       \
    X(LATE_RECEIVER, MPI_LATERECEIVER, DELAY_LATERECEIVER) \
    X(BARRIER, MPI_BARRIER_WAIT, DELAY_BARRIER)            \
    X(N_TO_N, MPI_WAIT_NXN, DELAY_N2N)                     \
    X(ONE_TO_N, MPI_LATEBROADCAST, DELAY_12N)              \
    X(N_TO_ONE, MPI_EARLYREDUCE, DELAY_N21)                \
    X(PREFIX, MPI_EARLYSCAN, DELAY_SCAN)

enum sync_kind {
    SYNC_NONE,
#define X(identifier, wait, delay) SYNC_##identifier,
    SYNC_KINDS(X)
#undef X
        SYNC_KIND_COUNT
};

struct sync_kind_info {
    enum metric wait, delay, delay_longterm;
};

extern const struct sync_kind_info sync_kind_infos[SYNC_KIND_COUNT]; /* of SYNC_NONE: METRIC_NONE */

/* The title of the metric of the wait; "Wait" for SYNC_NONE. */
const char *sync_kind_name(enum sync_kind kind);

/* Whether a metric counts as waiting. */
static inline bool metric_info_is_wait(const struct metric_info *info)
{
    return info->role == ROLE_WAIT || info->role == ROLE_CAUSED_WAIT;
}

static inline bool metric_is_wait(enum metric metric)
{
    return metric_info_is_wait(&metric_infos[metric]);
}

/* Whether a metric is below those of threads: what it counts as waiting is waiting for other
 * threads of the rank. `infos` may be those of a store. */
bool metric_is_of_threads(const struct metric_info *infos, enum metric metric);

/* How many metrics are above this one; `infos` may be those of a store. */
int metric_depth(const struct metric_info *infos, enum metric metric);

/* METRIC_NONE if no metric has that name. */
enum metric metric_from_name(const char *name);

#endif
