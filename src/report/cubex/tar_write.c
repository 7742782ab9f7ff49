#include "report/cubex/tar.h"
#include "report/cubex/tar_format.h"

#include <string.h>

/* Sizes up to here fit into 11 octal digits. */
static const uint64_t octal_limit = (uint64_t)1 << 33;

/* Owner and time are 0: the same severities give the same bytes. */
static void write_head(FILE *stream, const char *name, uint64_t size, char type)
{
    struct tar_head head = {.mode = "0000600", .uid = "0000000", .gid = "0000000", .type = type};
    snprintf(head.name, sizeof head.name, "%s", name);
    snprintf(head.size, sizeof head.size, "%011llo", (unsigned long long)size % octal_limit);
    snprintf(head.mtime, sizeof head.mtime, "%011o", 0);
    memcpy(head.magic, "ustar", 6);
    memcpy(head.version, "00", 2);
    snprintf(head.checksum, sizeof head.checksum, "%06o", tar_checksum(&head));
    head.checksum[7] = ' ';
    fwrite(&head, sizeof head, 1, stream);
}

/* "LENGTH size=NUMBER\n", where the length counts its own digits. */
static void write_large_size(FILE *stream, const char *name, uint64_t size)
{
    char text[64];
    int length = 0,
        written = snprintf(text, sizeof text, "0 size=%llu\n", (unsigned long long)size);
    while (written != length) {
        length = written;
        written = snprintf(text, sizeof text, "%d size=%llu\n", length, (unsigned long long)size);
    }
    write_head(stream, name, (uint64_t)length, 'x');
    fwrite(text, 1, (size_t)length, stream);
    cubex_tar_write_tail(stream, (uint64_t)length);
}

void cubex_tar_write_head(FILE *stream, const char *name, uint64_t size)
{
    if (size >= octal_limit)
        write_large_size(stream, name, size);
    write_head(stream, name, size, '0');
}

void cubex_tar_write_tail(FILE *stream, uint64_t size)
{
    static const char zeros[TAR_BLOCK];
    size_t rest = (size_t)(size % TAR_BLOCK);
    if (rest > 0)
        fwrite(zeros, 1, TAR_BLOCK - rest, stream);
}

void cubex_tar_write_end(FILE *stream)
{
    static const char zeros[2 * TAR_BLOCK];
    fwrite(zeros, 1, sizeof zeros, stream);
}
