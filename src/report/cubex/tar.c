/* Written without libarchive: that would load 13 further libraries into every program that writes
 * reports, and its headers have other bytes. */
#include "report/cubex/cubex_private.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { TAR_BLOCK = 512 };

/* The header of a member (POSIX.1-1988 ustar). Numbers are octal digits. */
struct tar_head {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
    char type; /* '0' or 0: a file; 'x': pax records for the next member */
    char link[100], magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155];
    char padding[12];
};

/* The sum of all bytes, with the checksum field counted as blanks. */
static unsigned tar_checksum(const struct tar_head *head)
{
    const unsigned char *bytes = (const unsigned char *)head;
    unsigned sum = 0;
    for (int i = 0; i < TAR_BLOCK; i++)
        sum += bytes[i];
    for (unsigned i = 0; i < sizeof head->checksum; i++)
        sum += ' ' - (unsigned char)head->checksum[i];
    return sum;
}

_Static_assert(sizeof(struct tar_head) == TAR_BLOCK, "the head of a member is one block");

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/* Octal digits between blanks, ended by a blank, a 0 or the field's end. */
static bool parse_octal(const char *field, size_t width, uint64_t *number)
{
    size_t i = 0;
    while (i < width && field[i] == ' ')
        i++;
    size_t first = i;
    for (*number = 0; i < width && is_octal(field[i]); i++)
        *number = *number << 3 | (uint64_t)(field[i] - '0'); /* 12 digits: 36 bits at most */
    return i > first && (i == width || field[i] == ' ' || field[i] == '\0');
}

/* GNU tar writes sizes from 8 GiB as a byte of 0x80 and the number in big-endian bytes. */
static bool parse_octal_size(const struct tar_head *head, uint64_t *size)
{
    const unsigned char *bytes = (const unsigned char *)head->size;
    if (bytes[0] != 0x80)
        return parse_octal(head->size, sizeof head->size, size);
    *size = 0;
    for (size_t i = 1; i < sizeof head->size; i++) {
        if (*size >> 56)
            return false;
        *size = *size << 8 | bytes[i];
    }
    return true;
}

static bool is_head(const struct tar_head *head)
{
    uint64_t checksum;
    return memcmp(head->magic, "ustar", 5) == 0 &&
           parse_octal(head->checksum, sizeof head->checksum, &checksum) &&
           checksum == tar_checksum(head);
}

bool cubex_tar_recognises(const unsigned char *data, size_t size)
{
    return size >= TAR_BLOCK && memcmp(((const struct tar_head *)data)->magic, "ustar", 5) == 0;
}

/* Reads the value of "size" from pax records ("LENGTH KEY=VALUE\n" each). False if missing. */
static bool pax_size(const unsigned char *data, size_t length, uint64_t *size)
{
    static const char key[] = " size=";
    const char *text = (const char *)data, *end = text + length;
    while (text < end) {
        char *after;
        unsigned long record = isdigit((unsigned char)*text) ? strtoul(text, &after, 10) : 0;
        if (record == 0 || record > (unsigned long)(end - text) || after >= text + record)
            return false;
        if (text + record - after > (long)sizeof key && memcmp(after, key, sizeof key - 1) == 0) {
            *size = strtoull(after + sizeof key - 1, NULL, 10);
            return true;
        }
        text += record;
    }
    return false;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct cubex_member *)a)->name, ((const struct cubex_member *)b)->name);
}

static enum status read_members(const struct severity_file *file, struct cubex_tar *tar,
                                struct error *error)
{
    uint64_t large_size = 0;
    bool has_large_size = false;
    for (size_t at = 0; file->size - at >= TAR_BLOCK;) {
        const struct tar_head *head = (const struct tar_head *)(file->data + at);
        struct cubex_member member = {.data = file->data + at + TAR_BLOCK};
        uint64_t size;
        if (head->name[0] == '\0') /* the end */
            return STATUS_OK;
        if (!is_head(head) || !parse_octal_size(head, &size))
            return error_set(error, STATUS_INPUT, "%s: the tar archive is damaged at byte %zu",
                             file->path, at);
        if (has_large_size && head->type != 'x')
            size = large_size;
        memcpy(member.name, head->name, sizeof head->name);
        if (size > file->size - at - TAR_BLOCK)
            return error_set(error, STATUS_INPUT, "%s: the file is cut off within %s", file->path,
                             member.name);
        member.size = (size_t)size;
        has_large_size = head->type == 'x' && pax_size(member.data, member.size, &large_size);
        if ((head->type == '0' || head->type == '\0') && !array_push(&tar->members, member))
            return error_memory(error, file->path);
        size_t blocks = (member.size + TAR_BLOCK - 1) / TAR_BLOCK;
        if (blocks > (file->size - at) / TAR_BLOCK - 1)
            break;
        at += TAR_BLOCK * (1 + blocks);
    }
    return STATUS_OK; /* the end is missing; if the last member, anchor.xml, is, too, the reader
                         reports it */
}

enum status cubex_tar_open(const struct severity_file *file, struct cubex_tar *tar,
                           struct error *error)
{
    assert(file->data);
    *tar = (struct cubex_tar){.path = file->path};
    enum status status = read_members(file, tar, error);
    if (status != STATUS_OK)
        cubex_tar_close(tar);
    else if (tar->members.count)
        qsort(tar->members.items, tar->members.count, sizeof *tar->members.items, compare_names);
    return status;
}

void cubex_tar_close(struct cubex_tar *tar)
{
    free(tar->members.items);
    memset(tar, 0, sizeof *tar);
}

const struct cubex_member *cubex_tar_find(const struct cubex_tar *tar, const char *name)
{
    struct cubex_member wanted = {.data = NULL};
    snprintf(wanted.name, sizeof wanted.name, "%s", name);
    if (tar->members.count == 0)
        return NULL;
    return bsearch(&wanted, tar->members.items, tar->members.count, sizeof wanted, compare_names);
}

enum status cubex_member_error(const struct cubex_tar *tar, const struct cubex_member *member,
                               const char *what, struct error *error)
{
    return error_set(error, STATUS_INPUT, "%s: %s: %s", tar->path, member->name, what);
}

enum {
    OUTPUT_STEP = 256 * 1024,
    ANY_HEADER = 32 + MAX_WBITS /* zlib's or gzip's */
};

struct inflated {
    ARRAY(unsigned char) bytes;
};

/* Inflates a piece of the rest; Z_STREAM_END at the end of a stream. */
static int inflate_step(z_stream *stream, struct inflated *output, const unsigned char *end)
{
    size_t left = (size_t)(end - stream->next_in);
    if (!array_reserve(&output->bytes, OUTPUT_STEP + 1))
        return Z_MEM_ERROR;
    stream->next_out = output->bytes.items + output->bytes.count;
    stream->avail_out = OUTPUT_STEP;
    stream->avail_in = left < UINT_MAX ? (uInt)left : UINT_MAX;
    int code = inflate(stream, Z_NO_FLUSH);
    output->bytes.count += OUTPUT_STEP - stream->avail_out;
    return code;
}

/* Returns zlib's last code: Z_STREAM_END if all streams are complete. */
static int inflate_all(z_stream *stream, struct inflated *output, const unsigned char *end,
                       size_t limit)
{
    int code = Z_OK;
    while (output->bytes.count <= limit) {
        code = inflate_step(stream, output, end);
        if (code == Z_STREAM_END) {
            if (stream->next_in == end)
                return code;
            code = inflateReset(stream);
        }
        if (code != Z_OK) /* Z_BUF_ERROR: the data end within a stream */
            return code;
    }
    return code;
}

enum status cubex_member_inflate(const struct cubex_tar *tar, const struct cubex_member *member,
                                 size_t from, size_t limit, unsigned char **result,
                                 size_t *result_size, struct error *error)
{
    struct inflated output = {{0}};
    z_stream stream = {.next_in = (unsigned char *)member->data + from};
    *result = NULL;
    if (inflateInit2(&stream, ANY_HEADER) != Z_OK)
        return error_memory(error, tar->path);
    int code = inflate_all(&stream, &output, member->data + member->size, limit);
    inflateEnd(&stream);
    if (code == Z_STREAM_END && output.bytes.count <= limit) {
        output.bytes.items[output.bytes.count] = '\0';
        *result = output.bytes.items;
        *result_size = output.bytes.count;
        return STATUS_OK;
    }
    free(output.bytes.items);
    if (code == Z_MEM_ERROR)
        return error_memory(error, tar->path);
    return cubex_member_error(tar, member,
                              output.bytes.count > limit
                                  ? "the compressed data are longer than they can be"
                                  : "the compressed data are damaged or cut off",
                              error);
}

/* Sizes up to here fit into 11 octal digits. */
static const uint64_t octal_limit = (uint64_t)1 << 33;

/* Owner and time are 0: the same severities give the same bytes. */
static void write_tar_header(FILE *stream, const char *name, uint64_t size, char type)
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
    write_tar_header(stream, name, (uint64_t)length, 'x');
    fwrite(text, 1, (size_t)length, stream);
    cubex_tar_write_tail(stream, (uint64_t)length);
}

void cubex_tar_write_head(FILE *stream, const char *name, uint64_t size)
{
    if (size >= octal_limit)
        write_large_size(stream, name, size);
    write_tar_header(stream, name, size, '0');
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
