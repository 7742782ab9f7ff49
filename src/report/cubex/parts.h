/* The parts of a .cubex file. It is a tar archive (tar.c) that has, for each metric N, its values
 * in N.index and N.data (values.c), and the names of metrics, call paths and locations in
 * anchor.xml (anchor_read.c, anchor_write.c). cubex.c writes and read.c reads whole files. */
#ifndef REPORT_CUBEX_PARTS_H
#define REPORT_CUBEX_PARTS_H

#include "base/array.h"
#include "report/format.h"

enum status cubex_read(const struct severity_file *file, struct severity **severity,
                       struct error *error);

struct cubex_member {
    char name[101];
    const unsigned char *data; /* in the file's memory */
    size_t size;
};

struct cubex_tar {
    const char *path; /* of the archive, for messages */
    ARRAY(struct cubex_member) members;
};

/* Finds all members; they point into the file's memory. Fails if the archive is damaged or cut
 * off. */
enum status cubex_tar_open(const struct severity_file *file, struct cubex_tar *tar,
                           struct error *error);
void cubex_tar_close(struct cubex_tar *tar);
/* NULL if no member has that name. */
const struct cubex_member *cubex_tar_find(const struct cubex_tar *tar, const char *name);

/* True if the data begin with the header of a tar member. */
bool cubex_tar_recognises(const unsigned char *data, size_t size);

/* Says what is wrong with a member; returns STATUS_INPUT. */
enum status cubex_member_error(const struct cubex_tar *tar, const struct cubex_member *member,
                               const char *what, struct error *error);

/* Inflates all zlib or gzip streams that follow each other in a member, from its byte `from` on.
 * `*result` has `*result_size` bytes, at most `limit`, and a 0 after them; the caller frees it. */
enum status cubex_member_inflate(const struct cubex_tar *tar, const struct cubex_member *member,
                                 size_t from, size_t limit, unsigned char **result,
                                 size_t *result_size, struct error *error);

/* A member is written as its header, its `size` bytes by the caller, and the tail that fills its
 * last block. Check ferror(stream) for errors. */
void cubex_tar_write_head(FILE *stream, const char *name, uint64_t size);
void cubex_tar_write_tail(FILE *stream, uint64_t size);
void cubex_tar_write_end(FILE *stream);

/* A data type of metrics (<dtype> in anchor.xml). */
struct cubex_type {
    const char *name;
    size_t size;
    enum { CUBEX_REAL, CUBEX_SIGNED, CUBEX_UNSIGNED } kind;
    enum metric_merge merge;
};

/* NULL for a type that is unknown or not a single number (histograms, statistics, rates). */
const struct cubex_type *cubex_type_find(const char *name);

/* The number at `data`; 0 if that means "no value" (it is not finite, or the neutral element of
 * a minimum or maximum). */
double cubex_type_get(const struct cubex_type *type, const unsigned char *data, bool swapped);

/* N.index: which rows of the metric N.data holds. A row is one call path; its key is its number in
 * the metric's own enumeration of them (see the orders below). */
struct cubex_index {
    bool swapped;   /* the file's byte order is not ours; that of N.data is the same */
    uint32_t count; /* of rows */
    uint32_t *keys; /* freed by cubex_index_clear */
};

/* `row_limit`: number of call paths, which keys must stay below. */
enum status cubex_index_read(const struct cubex_tar *tar, const struct cubex_member *member,
                             uint32_t row_limit, struct cubex_index *index, struct error *error);
void cubex_index_clear(struct cubex_index *index);

/* A sparse index. Check ferror(stream) for errors. */
uint64_t cubex_index_size(uint32_t count);
void cubex_index_write(FILE *stream, const uint32_t *keys, uint32_t count);

/* Reads N.data as doubles, [row * location_count + location]; the caller frees them. */
enum status cubex_data_read(const struct cubex_tar *tar, const struct cubex_member *member,
                            const struct cubex_index *index, const struct cubex_type *type,
                            uint32_t location_count, double **values, struct error *error);

/* The head of N.data that is not compressed, before rows of doubles or 64-bit integers. */
#define CUBEX_DATA_HEAD "CUBEX.DATA"

/* The orders in which a tree is listed. `parents` are the numbers of the parents, which come first;
 * SEVERITY_NONE: a root. Both set order[i] to the i-th node and return false when memory is out.
 * Preorder, siblings by number: the rows of an EXCLUSIVE metric. */
bool cubex_rows_preorder(const uint32_t *parents, uint32_t count, uint32_t *order);
/* A root, then for each node in preorder all its children one after the other: the rows of an
 * INCLUSIVE metric. */
bool cubex_rows_by_siblings(const uint32_t *parents, uint32_t count, uint32_t *order);

struct cubex_metric {
    uint32_t parent;  /* SEVERITY_NONE: a root */
    const char *id;   /* of the members that hold its values */
    const char *kind; /* "EXCLUSIVE", "INCLUSIVE", or a kind that is computed from others */
    const char *name, *title, *type, *unit, *description;
};

/* In the order of the document: parents first, call paths (Cube: cnodes) in preorder. */
struct cubex_anchor {
    struct arena *arena;
    double total_seconds; /* 0 if another tool wrote the file */
    bool difference;      /* of two runs */
    ARRAY(struct cubex_metric) metrics;
    ARRAY(struct severity_path) callpaths;
    ARRAY(struct severity_location) locations; /* by ascending ids, (rank, thread) unique */
};

/* The attribute that holds T; other tools ignore it. */
#define CUBEX_TOTAL_SECONDS "SILAS::total_seconds"
#define CUBEX_DIFFERENCE    "SILAS::difference" /* "yes" */

enum status cubex_anchor_read(const struct cubex_tar *tar, const struct cubex_member *member,
                              struct cubex_anchor *anchor, struct error *error);
void cubex_anchor_clear(struct cubex_anchor *anchor);

/* False when memory is out; check ferror(stream) for other errors. */
bool cubex_anchor_write(const struct cubex_anchor *anchor, FILE *stream);

#endif
