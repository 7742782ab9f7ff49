#include "report/cubex/data.h"

#include "report/cubex/inflate.h"

#include <byteswap.h>
#include <stdlib.h>
#include <string.h>

static const char plain_magic[] = "CUBEX.DATA", compressed_magic[] = "ZCUBEX.DATA";

enum {
    PLAIN_SIZE = sizeof plain_magic - 1,
    COMPRESSED_SIZE = sizeof compressed_magic - 1,
    TABLE_ENTRY = 3 * sizeof(uint64_t),
};

static enum status bad_data(const struct cubex_tar *tar, const struct cubex_member *member,
                            const char *what, struct error *error)
{
    return error_set(error, STATUS_INPUT, "%s: %s: %s", tar->path, member->name, what);
}

static bool starts_with(const struct cubex_member *member, const char *magic)
{
    size_t length = strlen(magic);
    return member->size >= length && memcmp(member->data, magic, length) == 0;
}

/* The table before the pieces is not needed: each stream marks its own end. */
static enum status inflate_rows(const struct cubex_tar *tar, const struct cubex_member *member,
                                bool swapped, size_t limit, unsigned char **rows, size_t *size,
                                struct error *error)
{
    const unsigned char *data = member->data + COMPRESSED_SIZE;
    size_t rest = member->size - COMPRESSED_SIZE;
    uint64_t entries;
    *rows = NULL;
    *size = 0;
    if (rest == 0) /* no rows */
        return STATUS_OK;
    if (rest < sizeof entries)
        return bad_data(tar, member, "the compressed data are cut off", error);
    memcpy(&entries, data, sizeof entries);
    if (swapped)
        entries = bswap_64(entries);
    if (entries > (rest - sizeof entries) / TABLE_ENTRY)
        return bad_data(tar, member, "the table of the compressed data is cut off", error);
    size_t head = sizeof entries + (size_t)entries * TABLE_ENTRY;
    if (rest == head)
        return STATUS_OK;
    enum inflate_result result = cubex_inflate(data + head, rest - head, limit, rows, size);
    if (result == INFLATE_NO_MEMORY)
        return error_memory(error, tar->path);
    if (result != INFLATE_DONE)
        return bad_data(tar, member, cubex_inflate_text(result), error);
    return STATUS_OK;
}

static enum status convert(const struct cubex_tar *tar, const unsigned char *rows, size_t count,
                           const struct cubex_type *type, bool swapped, double **values,
                           struct error *error)
{
    *values = malloc((count + 1) * sizeof **values);
    if (!*values)
        return error_memory(error, tar->path);
    for (size_t i = 0; i < count; i++)
        (*values)[i] = cubex_type_get(type, rows + i * type->size, swapped);
    return STATUS_OK;
}

enum status cubex_data_read(const struct cubex_tar *tar, const struct cubex_member *member,
                            const struct cubex_index *index, const struct cubex_type *type,
                            uint32_t location_count, double **values, struct error *error)
{
    unsigned char *inflated = NULL;
    const unsigned char *rows;
    size_t size, count;
    enum status status;
    *values = NULL;
    if (__builtin_mul_overflow((size_t)index->count, (size_t)location_count, &count) ||
        count > SIZE_MAX / sizeof(double) - 1)
        return error_memory(error, tar->path);
    if (starts_with(member, compressed_magic)) {
        status =
            inflate_rows(tar, member, index->swapped, count * type->size, &inflated, &size, error);
        if (status != STATUS_OK)
            return status;
        rows = inflated;
    } else if (starts_with(member, plain_magic)) {
        rows = member->data + PLAIN_SIZE;
        size = member->size - PLAIN_SIZE;
    } else {
        return bad_data(tar, member, "not data of a Cube file", error);
    }
    if (size != count * type->size)
        status = error_set(error, STATUS_INPUT,
                           "%s: %s: %zu bytes of data where %u call paths and %u locations need "
                           "%zu",
                           tar->path, member->name, size, index->count, location_count,
                           count * type->size);
    else
        status = convert(tar, rows, count, type, index->swapped, values, error);
    free(inflated);
    return status;
}

uint64_t cubex_data_size(uint32_t row_count, uint32_t location_count)
{
    return PLAIN_SIZE + sizeof(double) * (uint64_t)row_count * location_count;
}

void cubex_data_write_head(FILE *stream)
{
    fwrite(plain_magic, 1, PLAIN_SIZE, stream);
}
