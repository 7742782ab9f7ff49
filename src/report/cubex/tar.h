/* The archive that a .cubex file is: tar (POSIX ustar, with pax headers for members from 8 GiB)
 * of N.data and N.index for each metric, and of anchor.xml. */
#ifndef REPORT_CUBEX_TAR_H
#define REPORT_CUBEX_TAR_H

#include "base/array.h"
#include "report/format.h"

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

/* A member is written as its header, its `size` bytes by the caller, and the tail that fills its
 * last block. Check ferror(stream) for errors. */
void cubex_tar_write_head(FILE *stream, const char *name, uint64_t size);
void cubex_tar_write_tail(FILE *stream, uint64_t size);
void cubex_tar_write_end(FILE *stream);

#endif
