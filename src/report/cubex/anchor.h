/* anchor.xml of a .cubex file describes the dimensions of its values: metrics, call paths (Cube:
 * cnodes) and locations. They are in the order of the document: parents first, call paths in
 * preorder. */
#ifndef REPORT_CUBEX_ANCHOR_H
#define REPORT_CUBEX_ANCHOR_H

#include "base/arena.h"
#include "base/array.h"
#include "report/cubex/rows.h"
#include "report/cubex/tar.h"

struct cubex_metric {
    uint32_t parent;  /* CUBEX_NO_PARENT: a root */
    const char *id;   /* of the members that hold its values */
    const char *kind; /* "EXCLUSIVE", "INCLUSIVE", or a kind that is computed from others */
    const char *name, *title, *type, *unit, *description;
};

struct cubex_callpath {
    uint32_t parent;
    const char *region;
    bool mpi;
};

struct cubex_location {
    uint32_t id, rank, thread;
    const char *host;
};

struct cubex_anchor {
    struct arena *arena;
    double total_seconds; /* 0 if another tool wrote the file */
    ARRAY(struct cubex_metric) metrics;
    ARRAY(struct cubex_callpath) callpaths;
    ARRAY(struct cubex_location) locations; /* in ascending order of ids, (rank, thread) unique */
};

/* The attribute that holds T; other tools ignore it. */
#define CUBEX_TOTAL_SECONDS "SILAS::total_seconds"

enum status cubex_anchor_read(const struct cubex_tar *tar, const struct cubex_member *member,
                              struct cubex_anchor *anchor, struct error *error);
void cubex_anchor_clear(struct cubex_anchor *anchor);

/* False when memory is out; check ferror(stream) for other errors. */
bool cubex_anchor_write(const struct cubex_anchor *anchor, FILE *stream);

#endif
