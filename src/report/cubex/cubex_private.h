/* Files of the format .cubex: tar archives (tar.c) that hold the values of each metric N in N.index
 * and N.data (values.c), and the names of metrics, call paths and locations in anchor.xml
 * (anchor_read.c, anchor_write.c). cubex.c writes and read.c reads whole files. */
#ifndef REPORT_CUBEX_CUBEX_H
#define REPORT_CUBEX_CUBEX_H

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

/* Lists all members, which point into the file's memory. Fails with STATUS_INPUT if the archive is
 * damaged or truncated. On failure nothing is left to free. */
enum status cubex_tar_open(const struct severity_file *file, struct cubex_tar *tar,
                           struct error *error);
void cubex_tar_close(struct cubex_tar *tar);
/* NULL if no member has that name. */
const struct cubex_member *cubex_tar_find(const struct cubex_tar *tar, const char *name);

/* True if the data begin with the header of a tar member. */
bool cubex_tar_recognises(const unsigned char *data, size_t size);

/* Sets an error about a member, and returns STATUS_INPUT. */
enum status cubex_member_error(const struct cubex_tar *tar, const struct cubex_member *member,
                               const char *what, struct error *error);

/* Decompresses all zlib or gzip streams in a member from byte `from` on, one after the other.
 * `*result` has `*result_size` bytes, at most `limit`, and a zero byte after them; the caller frees
 * it. */
enum status cubex_member_inflate(const struct cubex_tar *tar, const struct cubex_member *member,
                                 size_t from, size_t limit, unsigned char **result,
                                 size_t *result_size, struct error *error);

/* A member is written in three steps: its header, its `size` bytes by the caller, and the padding
 * of its last block. The caller checks for write errors by ferror. */
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

/* The number at `data`; 0 for "no value", that is, a number that is not finite or the neutral
 * element of a minimum or maximum. */
double cubex_type_get(const struct cubex_type *type, const unsigned char *data, bool swapped);

/* N.index lists the rows of the metric that N.data holds. A row is one call path; its key is the
 * number of the call path in the order of the metric's kind (below). */
struct cubex_index {
    bool swapped;   /* the file, like N.data, has the other byte order */
    uint32_t count; /* of rows */
    uint32_t *keys; /* freed by cubex_index_clear */
};

/* `row_limit`: the number of call paths. All keys must be less. */
enum status cubex_index_read(const struct cubex_tar *tar, const struct cubex_member *member,
                             uint32_t row_limit, struct cubex_index *index, struct error *error);
void cubex_index_clear(struct cubex_index *index);

/* Size in bytes and content of a sparse index. The caller checks for write errors by ferror. */
uint64_t cubex_index_size(uint32_t count);
void cubex_index_write(FILE *stream, const uint32_t *keys, uint32_t count);

/* Reads N.data as doubles, [row * location_count + location]; the caller frees them. */
enum status cubex_data_read(const struct cubex_tar *tar, const struct cubex_member *member,
                            const struct cubex_index *index, const struct cubex_type *type,
                            uint32_t location_count, double **values, struct error *error);

/* The first bytes of an uncompressed N.data; rows of doubles or 64-bit integers follow. */
#define CUBEX_DATA_HEAD "CUBEX.DATA"

/* Orders of a tree. `parents` are the numbers of the nodes' parents, which come first;
 * SEVERITY_NONE for a root. Both functions set order[i] to the i-th node and return false when
 * memory is out. Preorder, with siblings by number: the rows of an EXCLUSIVE metric. */
bool cubex_rows_preorder(const uint32_t *parents, uint32_t count, uint32_t *order);
/* A root, then the children of each node in preorder: the rows of an INCLUSIVE metric. */
bool cubex_rows_by_siblings(const uint32_t *parents, uint32_t count, uint32_t *order);

struct cubex_metric {
    uint32_t parent;  /* SEVERITY_NONE: a root */
    const char *id;   /* of the members that hold its values */
    const char *kind; /* "EXCLUSIVE", "INCLUSIVE", or the kind of a derived metric */
    const char *name, *title, *type, *unit, *description;
};

/* In the order of the document: parents first, call paths (Cube: cnodes) in preorder. */
struct cubex_anchor {
    struct arena *arena;
    double total_seconds; /* 0 if another tool wrote the file */
    bool difference;      /* the values are differences the values are differences of two runs */
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

/* False when memory is out. The caller checks for write errors by ferror. */
bool cubex_anchor_write(const struct cubex_anchor *anchor, FILE *stream);

#endif
