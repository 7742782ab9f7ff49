#include "report/cubex/index.h"

#include <byteswap.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "CUBEX.INDEX";

enum {
    MAGIC_SIZE = sizeof magic - 1,
    HEAD_SIZE = MAGIC_SIZE + 4 + 2 + 1,
    FORMAT_SPARSE = 1,
    FORMAT_DENSE = 3,
};

static uint32_t get_u32(const unsigned char *data, bool swapped)
{
    uint32_t number;
    memcpy(&number, data, sizeof number);
    return swapped ? bswap_32(number) : number;
}

static enum status bad_index(const struct cubex_tar *tar, const struct cubex_member *member,
                             const char *what, struct error *error)
{
    return error_set(error, STATUS_INPUT, "%s: %s: %s", tar->path, member->name, what);
}

static bool all_rows(uint32_t row_limit, struct cubex_index *index)
{
    index->count = row_limit;
    index->keys = malloc((row_limit + (size_t)1) * sizeof *index->keys);
    for (uint32_t i = 0; index->keys && i < row_limit; i++)
        index->keys[i] = i;
    return index->keys != NULL;
}

static enum status read_keys(const struct cubex_tar *tar, const struct cubex_member *member,
                             uint32_t row_limit, struct cubex_index *index, struct error *error)
{
    const unsigned char *data = member->data + HEAD_SIZE;
    size_t size = member->size - HEAD_SIZE;
    if (size < 4)
        return bad_index(tar, member, "the index is cut off", error);
    index->count = get_u32(data, index->swapped);
    if (index->count > (size - 4) / 4)
        return bad_index(tar, member, "the index is cut off", error);
    index->keys = malloc((index->count + (size_t)1) * sizeof *index->keys);
    if (!index->keys)
        return error_memory(error, tar->path);
    for (uint32_t i = 0; i < index->count; i++) {
        index->keys[i] = get_u32(data + 4 + 4 * (size_t)i, index->swapped);
        if (index->keys[i] >= row_limit)
            return bad_index(tar, member, "the index names a call path that does not exist", error);
        if (i > 0 && index->keys[i] <= index->keys[i - 1])
            return bad_index(tar, member, "the index is not in ascending order", error);
    }
    return STATUS_OK;
}

enum status cubex_index_read(const struct cubex_tar *tar, const struct cubex_member *member,
                             uint32_t row_limit, struct cubex_index *index, struct error *error)
{
    *index = (struct cubex_index){0};
    if (member->size < HEAD_SIZE || memcmp(member->data, magic, MAGIC_SIZE) != 0)
        return bad_index(tar, member, "not an index of a Cube file", error);
    index->swapped = get_u32(member->data + MAGIC_SIZE, false) != 1;
    if (get_u32(member->data + MAGIC_SIZE, index->swapped) != 1)
        return bad_index(tar, member, "an unknown byte order", error);
    enum status status;
    switch (member->data[HEAD_SIZE - 1]) {
    case FORMAT_SPARSE:
        status = read_keys(tar, member, row_limit, index, error);
        break;
    case FORMAT_DENSE:
        status = all_rows(row_limit, index) ? STATUS_OK : error_memory(error, tar->path);
        break;
    default:
        return bad_index(tar, member, "an unknown format of the index", error);
    }
    if (status != STATUS_OK)
        cubex_index_clear(index);
    return status;
}

void cubex_index_clear(struct cubex_index *index)
{
    free(index->keys);
    *index = (struct cubex_index){0};
}

uint64_t cubex_index_size(uint32_t count)
{
    return HEAD_SIZE + 4 + 4 * (uint64_t)count;
}

void cubex_index_write(FILE *stream, const uint32_t *keys, uint32_t count)
{
    const uint32_t order_mark = 1;
    const uint16_t version = 0;
    const unsigned char format = FORMAT_SPARSE;
    fwrite(magic, 1, MAGIC_SIZE, stream);
    fwrite(&order_mark, sizeof order_mark, 1, stream);
    fwrite(&version, sizeof version, 1, stream);
    fwrite(&format, sizeof format, 1, stream);
    fwrite(&count, sizeof count, 1, stream);
    if (count > 0)
        fwrite(keys, sizeof *keys, count, stream);
}
