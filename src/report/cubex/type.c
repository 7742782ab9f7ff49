#include "report/cubex/type.h"

#include <byteswap.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
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
