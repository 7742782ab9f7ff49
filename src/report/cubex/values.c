/* The values of a metric.
 *
 * N.index, packed, without gaps:
 *
 *     "CUBEX.INDEX"  u32 1 (tells the byte order)  u16 0 (version)  u8 format
 *     format sparse: u32 n, then n keys (u32) in ascending order; dense: all rows are there
 *
 * N.data: "CUBEX.DATA" and then the rows of N.index, each with one value per location in the order
 * of their ids. Or compressed: "ZCUBEX.DATA", u64 n, a table of n entries of three u64 (offset of a
 * piece in the rows, offset of its compressed form, compressed size), then the pieces one after the
 * other as zlib streams. */
#include "report/cubex/cubex_private.h"

#include <assert.h>
#include <byteswap.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Scalasca writes FLOAT and INTEGER, Score-P DOUBLE and UINT64; all of these take 8 bytes. */
static const struct cubex_type types[] = {
    {"FLOAT", 8, CUBEX_REAL, MERGE_SUM},      {"DOUBLE", 8, CUBEX_REAL, MERGE_SUM},
    {"MINDOUBLE", 8, CUBEX_REAL, MERGE_MIN},  {"MAXDOUBLE", 8, CUBEX_REAL, MERGE_MAX},
    {"INTEGER", 8, CUBEX_SIGNED, MERGE_SUM},  {"INT64", 8, CUBEX_SIGNED, MERGE_SUM},
    {"UINT64", 8, CUBEX_UNSIGNED, MERGE_SUM}, {"INT32", 4, CUBEX_SIGNED, MERGE_SUM},
    {"UINT32", 4, CUBEX_UNSIGNED, MERGE_SUM}, {"INT16", 2, CUBEX_SIGNED, MERGE_SUM},
    {"UINT16", 2, CUBEX_UNSIGNED, MERGE_SUM}, {"INT8", 1, CUBEX_SIGNED, MERGE_SUM},
    {"UINT8", 1, CUBEX_UNSIGNED, MERGE_SUM},
};

const struct cubex_type *cubex_type_find(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

/* The bytes as an unsigned number, in either byte order. */
static uint64_t get_bits(size_t size, const unsigned char *data, bool swapped)
{
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (size) {
    case 1:
        return *data;
    case 2:
        memcpy(&two, data, size);
        return swapped ? bswap_16(two) : two;
    case 4:
        memcpy(&four, data, size);
        return swapped ? bswap_32(four) : four;
    default:
        memcpy(&eight, data, size);
        return swapped ? bswap_64(eight) : eight;
    }
}

double cubex_type_get(const struct cubex_type *type, const unsigned char *data, bool swapped)
{
    assert(type->size <= sizeof(uint64_t));
    uint64_t bits = get_bits(type->size, data, swapped);
    unsigned unused = 64 - 8 * (unsigned)type->size;
    double value;
    switch (type->kind) {
    case CUBEX_UNSIGNED:
        return (double)bits;
    case CUBEX_SIGNED:
        return (double)((int64_t)(bits << unused) >> unused);
    default:
        memcpy(&value, &bits, sizeof value);
        if (type->merge != MERGE_SUM && fabs(value) == DBL_MAX)
            return 0;
        return isfinite(value) ? value : 0;
    }
}

#define INDEX_MAGIC "CUBEX.INDEX"

enum {
    ORDER_MARK = sizeof INDEX_MAGIC - 1, /* bytes before it, and so on */
    FORMAT = ORDER_MARK + 4 + 2,
    HEAD_SIZE = FORMAT + 1,
    FORMAT_SPARSE = 1,
    FORMAT_DENSE = 3,
};

/* An error in the keys, or NULL. */
static const char *check_index_keys(const struct cubex_index *index, uint32_t row_limit)
{
    for (uint32_t i = 0; i < index->count; i++) {
        if (index->keys[i] >= row_limit)
            return "the index names a call path that does not exist";
        if (i > 0 && index->keys[i] <= index->keys[i - 1])
            return "the index is not in ascending order";
    }
    return NULL;
}

enum status cubex_index_read(const struct cubex_tar *tar, const struct cubex_member *member,
                             uint32_t row_limit, struct cubex_index *index, struct error *error)
{
    const unsigned char *data = member->data;
    *index = (struct cubex_index){.count = row_limit};
    if (member->size < HEAD_SIZE || memcmp(data, INDEX_MAGIC, ORDER_MARK) != 0)
        return cubex_member_error(tar, member, "not an index of a Cube file", error);
    index->swapped = get_bits(4, data + ORDER_MARK, false) != 1;
    if (get_bits(4, data + ORDER_MARK, index->swapped) != 1)
        return cubex_member_error(tar, member, "an unknown byte order", error);
    if (data[FORMAT] != FORMAT_SPARSE && data[FORMAT] != FORMAT_DENSE)
        return cubex_member_error(tar, member, "an unknown format of the index", error);
    const bool sparse = data[FORMAT] == FORMAT_SPARSE;
    const size_t room = (member->size - HEAD_SIZE) / 4; /* numbers */
    if (sparse)
        index->count = room > 0 ? (uint32_t)get_bits(4, data + HEAD_SIZE, index->swapped) : 0;
    /* CubeLib writes no count for a metric without values. */
    const bool empty = room == 0 && member->size == HEAD_SIZE;
    if (sparse && !empty && (room == 0 || index->count > room - 1))
        return cubex_member_error(tar, member, "the index is cut off", error);
    index->keys = malloc((index->count + (size_t)1) * sizeof *index->keys);
    if (!index->keys)
        return error_memory(error, tar->path);
    for (uint32_t i = 0; i < index->count; i++)
        index->keys[i] =
            sparse ? (uint32_t)get_bits(4, data + HEAD_SIZE + 4 * (i + (size_t)1), index->swapped)
                   : i;
    const char *wrong = check_index_keys(index, row_limit);
    if (!wrong)
        return STATUS_OK;
    cubex_index_clear(index);
    return cubex_member_error(tar, member, wrong, error);
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
    unsigned char head[HEAD_SIZE] = INDEX_MAGIC;
    const uint32_t order_mark = 1;
    memcpy(head + ORDER_MARK, &order_mark, sizeof order_mark);
    head[FORMAT] = FORMAT_SPARSE;
    fwrite(head, sizeof head, 1, stream);
    fwrite(&count, sizeof count, 1, stream);
    if (count > 0)
        fwrite(keys, sizeof *keys, count, stream);
}

#define COMPRESSED_HEAD "ZCUBEX.DATA"

enum {
    PLAIN_SIZE = sizeof CUBEX_DATA_HEAD - 1,
    COMPRESSED_SIZE = sizeof COMPRESSED_HEAD - 1,
    TABLE_ENTRY = 3 * sizeof(uint64_t),
};

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
    if (rest == 0) /* no rows */
        return STATUS_OK;
    if (rest < sizeof(uint64_t))
        return cubex_member_error(tar, member, "the compressed data are cut off", error);
    uint64_t entries = get_bits(sizeof(uint64_t), data, swapped);
    if (entries > (rest - sizeof entries) / TABLE_ENTRY)
        return cubex_member_error(tar, member, "the table of the compressed data is cut off",
                                  error);
    size_t head = sizeof entries + (size_t)entries * TABLE_ENTRY;
    return rest == head ? STATUS_OK
                        : cubex_member_inflate(tar, member, COMPRESSED_SIZE + head, limit, rows,
                                               size, error);
}

enum status cubex_data_read(const struct cubex_tar *tar, const struct cubex_member *member,
                            const struct cubex_index *index, const struct cubex_type *type,
                            uint32_t location_count, double **values, struct error *error)
{
    unsigned char *inflated = NULL;
    size_t size = 0, count;
    const bool plain = starts_with(member, CUBEX_DATA_HEAD);
    enum status status = STATUS_OK;
    *values = NULL;
    if (__builtin_mul_overflow((size_t)index->count, (size_t)location_count, &count) ||
        count > SIZE_MAX / sizeof(double) - 1)
        return error_memory(error, tar->path);
    if (plain)
        size = member->size - PLAIN_SIZE;
    else if (starts_with(member, COMPRESSED_HEAD))
        status =
            inflate_rows(tar, member, index->swapped, count * type->size, &inflated, &size, error);
    else
        status = cubex_member_error(tar, member, "not data of a Cube file", error);
    if (status == STATUS_OK && size != count * type->size)
        status = error_set(error, STATUS_INPUT,
                           "%s: %s: %zu bytes of data where %u call paths and %u locations need "
                           "%zu",
                           tar->path, member->name, size, index->count, location_count,
                           count * type->size);
    if (status == STATUS_OK && !(*values = malloc((count + 1) * sizeof **values)))
        status = error_memory(error, tar->path);
    const unsigned char *rows = plain ? member->data + PLAIN_SIZE : inflated;
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        (*values)[i] = cubex_type_get(type, rows + i * type->size, index->swapped);
    free(inflated);
    return status;
}

bool cubex_rows_preorder(const uint32_t *parents, uint32_t count, uint32_t *order)
{
    assert(parents || count == 0);
    uint32_t *sizes = malloc((count + (size_t)1) * 2 * sizeof *sizes);
    if (!sizes)
        return false;
    uint32_t *free_place = sizes + count; /* where the next child of a node goes; last: roots */
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = 1;
    for (uint32_t i = count; i-- > 0;)
        if (parents[i] != SEVERITY_NONE)
            sizes[parents[i]] += sizes[i];
    free_place[count] = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *place = &free_place[parents[i] == SEVERITY_NONE ? count : parents[i]];
        order[*place] = i;
        free_place[i] = *place + 1;
        *place += sizes[i];
    }
    free(sizes);
    return true;
}

bool cubex_rows_by_siblings(const uint32_t *parents, uint32_t count, uint32_t *order)
{
    /* Children in lists, and the nodes in preorder. */
    uint32_t *first = malloc((count + (size_t)1) * 3 * sizeof *first);
    if (!first)
        return false;
    uint32_t *next = first + count, *preorder = next + count, place = 0;
    memset(first, 0xff, (size_t)count * sizeof *first); /* SEVERITY_NONE: none */
    for (uint32_t i = count; i-- > 0;)
        if (parents[i] != SEVERITY_NONE) {
            next[i] = first[parents[i]];
            first[parents[i]] = i;
        }
    bool done = cubex_rows_preorder(parents, count, preorder);
    for (uint32_t i = 0; done && i < count; i++) {
        if (parents[preorder[i]] == SEVERITY_NONE)
            order[place++] = preorder[i];
        for (uint32_t child = first[preorder[i]]; child != SEVERITY_NONE; child = next[child])
            order[place++] = child;
    }
    free(first);
    return done;
}
