/* <silas/plugin.h>: kinds of hypotheses, patterns, report formats and signals as shared objects,
 * with the descriptors that the built-in ones have (doc/plugins.md).
 *
 *     cc -shared -fPIC $(pkg-config --cflags silas) mine.c -o mine.so
 *     silas-model --plugin mine.so what-if.ini
 *
 * A plug-in is one variable, which it defines:
 *
 *     const struct silas_plugin silas_plugin = {
 *         SILAS_PLUGIN_VERSION,
 *         .name = "mine",
 *         .patterns = (const struct pattern *const[]){&mine, NULL},
 *     };
 *
 * It may call every function that the headers below declare, MPI, and the C library. Errors are
 * returned as base/status.h says; functions marked as collective must be reached by all processes.
 */
#ifndef SILAS_PLUGIN_H
#define SILAS_PLUGIN_H

/* For all kinds of plug-ins. */
#include "base/log.h"
#include "base/map.h"
#include "base/names.h"
#include "base/sort.h"
#include "base/status.h"

/* The trace, and its MPI calls. */
#include "trace/calls/walk.h"
#include "trace/exchange.h"
#include "trace/trace.h"

/* Hypotheses: the descriptor, the choice of call paths and messages, and changes of a trace. */
#include "trace/grow.h"
#include "transform/callpath_marks.h"
#include "transform/choose.h"
#include "transform/hypothesis.h"
#include "transform/rewrite.h"

/* Patterns and their findings. */
#include "patterns/pattern.h"

/* Report formats and their data. */
#include "report/format.h"

/* Signals of silas-structure. */
#include "structure/sampling.h"

/* The interface consists of these headers. A new major version changes names or meanings, so
 * plug-ins must be changed; a new minor version only adds some. */
#define SILAS_PLUGIN_MAJOR 1
#define SILAS_PLUGIN_MINOR 1

/* X(what, number): sizes of structures and of enumerations that a compiled plug-in depends on. If
 * any differs between a plug-in and the program that loads it, the plug-in must be built again. */
#define SILAS_PLUGIN_LAYOUT(X)                                        \
    X("struct trace", sizeof(struct trace))                           \
    X("struct stream", sizeof(struct stream))                         \
    X("struct message", sizeof(struct message))                       \
    X("struct collective", sizeof(struct collective))                 \
    X("struct rma_op", sizeof(struct rma_op))                         \
    X("struct rma_sync", sizeof(struct rma_sync))                     \
    X("struct callpath", sizeof(struct callpath))                     \
    X("struct definitions", sizeof(struct definitions))               \
    X("struct communicator", sizeof(struct communicator))             \
    X("struct region", sizeof(struct region))                         \
    X("struct processes", sizeof(struct processes))                   \
    X("struct error", sizeof(struct error))                           \
    X("struct ini_section", sizeof(struct ini_section))               \
    X("struct ini_key", sizeof(struct ini_key))                       \
    X("struct callpath_marks", sizeof(struct callpath_marks))         \
    X("struct ranges", sizeof(struct ranges))                         \
    X("struct hypothesis_kind", sizeof(struct hypothesis_kind))       \
    X("struct hypothesis_outcome", sizeof(struct hypothesis_outcome)) \
    X("struct conditions", sizeof(struct conditions))                 \
    X("struct choice", sizeof(struct choice))                         \
    X("struct pace", sizeof(struct pace))                             \
    X("struct row_writer", sizeof(struct row_writer))                 \
    X("struct call_walk", sizeof(struct call_walk))                   \
    X("struct pattern", sizeof(struct pattern))                       \
    X("struct search_rank", sizeof(struct search_rank))               \
    X("struct search_call", sizeof(struct search_call))               \
    X("struct member", sizeof(struct member))                         \
    X("struct member_wait", sizeof(struct member_wait))               \
    X("struct other_end", sizeof(struct other_end))                   \
    X("struct findings", sizeof(struct findings))                     \
    X("struct metric_info", sizeof(struct metric_info))               \
    X("struct severity", sizeof(struct severity))                     \
    X("struct report_format", sizeof(struct report_format))           \
    X("struct report", sizeof(struct report))                         \
    X("struct severity_file", sizeof(struct severity_file))           \
    X("struct comparison", sizeof(struct comparison))                 \
    X("struct replay_report", sizeof(struct replay_report))           \
    X("struct signal_kind", sizeof(struct signal_kind))               \
    X("struct sampling", sizeof(struct sampling))                     \
    X("number of metrics", METRIC_COUNT)                              \
    X("number of MPI calls", MPI_CALL_COUNT)                          \
    X("number of event kinds", EVENT_KIND_COUNT)                      \
    X("number of collective operations", COLLECTIVE_OP_COUNT)

struct silas_plugin {
    /* Set by SILAS_PLUGIN_VERSION. The text is also searched for in the file before it is loaded,
     * because a plug-in of another version may need functions that no longer exist. */
    const char *interface; /* "SILAS plug-in interface 1.1" */
    uint32_t layout_count;
    const uint32_t *layout; /* the numbers of SILAS_PLUGIN_LAYOUT */

    const char *name; /* for messages and --help */

    /* Its descriptors. Each list ends with NULL; an empty one may be NULL. */
    const struct hypothesis_kind *const *hypotheses;
    const struct pattern *const *patterns;
    const struct report_format *const *formats;
    const struct signal_kind *const *signals;
};

#define SILAS_PLUGIN_MARK                  "SILAS plug-in interface "
#define SILAS_PLUGIN_QUOTE_(number)        #number
#define SILAS_PLUGIN_TEXT_(major, minor)   SILAS_PLUGIN_QUOTE_(major) "." SILAS_PLUGIN_QUOTE_(minor)
#define SILAS_PLUGIN_NUMBER_(what, number) (uint32_t)(number),
#define SILAS_PLUGIN_NUMBERS_                         \
    (const uint32_t[])                                \
    {                                                 \
        SILAS_PLUGIN_LAYOUT(SILAS_PLUGIN_NUMBER_) 0u, \
    }
#define SILAS_PLUGIN_VERSION                                                                   \
    .interface = SILAS_PLUGIN_MARK SILAS_PLUGIN_TEXT_(SILAS_PLUGIN_MAJOR, SILAS_PLUGIN_MINOR), \
    .layout_count = sizeof SILAS_PLUGIN_NUMBERS_ / sizeof(uint32_t) - 1,                       \
    .layout = SILAS_PLUGIN_NUMBERS_

/* Programs look for it in the shared object. */
extern const struct silas_plugin silas_plugin __attribute__((visibility("default")));

#endif
