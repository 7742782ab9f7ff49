/* The values of the items of an outline: what each rank of each recording has there. */
#ifndef PREDICTION_FROM_VALUES_H
#define PREDICTION_FROM_VALUES_H

#include "predict/from/outline.h"

/* X(identifier, name for tables): the columns of an item. */
#define VALUE_KINDS(X)                                                              \
    X(TIMES, "times") /* of a loop: iterations; of others: 0 or 1 */                \
    X(SEND_PEER, "to")                                                              \
    X(SEND_BYTES, "bytes")                                                          \
    X(SEND_TAG, "tags")                                                             \
    X(RECEIVE_PEER, "from")                                                         \
    X(RECEIVE_BYTES, "bytes")                                                       \
    X(RECEIVE_TAG, "tags")                                                          \
    X(BYTES, "bytes") /* of a collective operation */                               \
    X(ROOT, "root")                                                                 \
    X(SEND_COUNTS, "counts")    /* to member INDEX_OF_PEER, */                      \
    X(RECEIVE_COUNTS, "counts") /* and from it; of the first visit */               \
    X(BEFORE, "time")           /* seconds of computation; all visits are listed */ \
    X(AFTER, "time")            /* the same at the end of a region */

enum value_kind {
#define X(identifier, name) VALUE_##identifier,
    VALUE_KINDS(X)
#undef X
        VALUE_KIND_COUNT
};

extern const char *const value_names[VALUE_KIND_COUNT];

enum {
    VALUE_INDICES = 8,
    INDEX_OF_PEER = VALUE_INDICES - 1,
    VALUE_DEPTH_MOST = VALUE_INDICES - 1, /* loops around an item whose variables count */
};

/* What a rank has at one visit, or, if the column does not vary, at all visits. */
struct item_value {
    uint32_t recording, rank;
    int32_t indices[VALUE_INDICES]; /* iterations of the loops around, outermost first */
    double value;
};

struct value_column {
    ARRAY(struct item_value) list;
    bool varies;  /* from visit to visit of a rank; then all visits are listed */
    bool by_peer; /* of counts: a value for each member INDEX_OF_PEER */
    uint64_t last_rank;
};

struct item_values {
    struct value_column columns[VALUE_KIND_COUNT];
    ARRAY(uint32_t) requests; /* WAIT: names of the requests that it completes on any rank */
    bool waits_for_all;       /* nothing is ever open after it */
    uint64_t visits;
};

struct outline_values {
    struct item_values *items; /* [outline->count], by number */
    uint32_t count;
    struct value_column end; /* computation at the end of the program */
    struct value_column startup, shutdown;
    uint64_t inside; /* actions inside of loops, and */
    uint64_t actions;
    bool leaves_open;   /* a rank ends with open requests */
    uint32_t too_early; /* a request that a wait of the script would complete too early; its name,
                           or INDEX_NONE */
};

/* The trees are merged into the outline, which is numbered. False when memory is out. After a
 * failure nothing is left to free. */
bool values_collect(const struct outline *outline, const struct rank_tree *trees, uint32_t count,
                    struct outline_values *values);
void values_clear(struct outline_values *values);

#endif
