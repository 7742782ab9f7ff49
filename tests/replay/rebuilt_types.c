/* Rebuilt datatypes: each packs the same bytes as the one that the program made; damaged and
 * unknown ones, blocks that are far apart, and the time of operators. */
#include "../mpi_check.h"

#include "base/otf2_attributes.h"
#include "replay/realtime/rebuilt_types.h"

#include <string.h>

enum { BYTES = 4096, MOST = 64 };

static struct clock ticking;

/* The rebuilt types of a definition. */
static struct call_types read_definition(uint64_t *numbers, uint32_t count,
                                         struct rebuilt_types *rebuilt)
{
    static struct group group;
    static struct definitions definitions;
    group = (struct group){.name = SILAS_TYPES_GROUP_NAME, .members = numbers, .count = count};
    definitions = (struct definitions){.groups = &group, .group_count = 1};
    *rebuilt =
        (struct rebuilt_types){.definitions = &definitions, .ticks_scale = 1, .clock = &ticking};
    const struct call_types *types = rebuilt_types_find(rebuilt, 1);
    return types ? *types : (struct call_types){.operation = MPI_OP_NULL};
}

static bool pack_equally(MPI_Datatype a, MPI_Datatype b)
{
    static char data[BYTES], packed[2][BYTES];
    int ends[2] = {0, 0};
    for (int i = 0; i < BYTES; i++)
        data[i] = (char)(i * 7);
    MPI_Pack(data + BYTES / 4, 2, a, packed[0], BYTES, &ends[0], MPI_COMM_SELF);
    MPI_Pack(data + BYTES / 4, 2, b, packed[1], BYTES, &ends[1], MPI_COMM_SELF);
    return ends[0] > 0 && ends[0] == ends[1] && memcmp(packed[0], packed[1], (size_t)ends[0]) == 0;
}

/* Frees the program's type. `layout` is what the tracer says of it. */
static void check_layout(const char *name, MPI_Datatype type, const int64_t *layout, size_t count)
{
    uint64_t numbers[MOST] = {1};
    struct rebuilt_types rebuilt;
    for (size_t i = 0; i < count; i++)
        numbers[1 + i] = (uint64_t)layout[i];
    memcpy(numbers + 1 + count, (uint64_t[]){1, 0, 0}, 3 * sizeof *numbers);
    const uint32_t all = (uint32_t)count + 4;
    const struct call_types types = read_definition(numbers, all, &rebuilt);
    const struct rebuilt_type *made = call_types_layout(&types, true, 0);
    int size = -1;
    MPI_Type_commit(&type);
    MPI_Type_size(type, &size);
    mpi_check(made && made->type != MPI_DATATYPE_NULL && made->size == (uint64_t)size &&
                  pack_equally(type, made->type),
              name);
    MPI_Type_free(&type);
    rebuilt_types_clear(&rebuilt);
    bool refused = true;
    for (uint32_t shorter = 0; shorter < all - 1; shorter++) {
        const struct call_types part = read_definition(numbers, shorter, &rebuilt);
        refused = refused && !call_types_layout(&part, true, 0);
        rebuilt_types_clear(&rebuilt);
    }
    mpi_check(refused, "... and not without its last numbers");
}

#define LAYOUT(name, type, ...)                              \
    check_layout(name, type, (const int64_t[]){__VA_ARGS__}, \
                 sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define DOUBLE SILAS_LAYOUT_ELEMENT, 2, 0, SILAS_ELEMENT_FLOATING, 8
#define INT    SILAS_LAYOUT_ELEMENT, 2, 0, SILAS_ELEMENT_INTEGER, 4
#define BYTE12 SILAS_LAYOUT_ELEMENT, 2, 0, SILAS_ELEMENT_UNKNOWN, 12

static void check_layouts(void)
{
    MPI_Datatype type, inner;
    MPI_Type_vector(3, 2, 5, MPI_DOUBLE, &type);
    LAYOUT("a vector", type, SILAS_LAYOUT_VECTOR, 3, 1, 3, 2, 5, DOUBLE);
    MPI_Type_create_hvector(3, 2, -20, MPI_INT, &type);
    LAYOUT("a vector in bytes, backwards", type, SILAS_LAYOUT_HVECTOR, 3, 1, 3, 2, -20, INT);
    MPI_Type_indexed(2, (int[]){1, 2}, (int[]){4, 0}, MPI_DOUBLE, &type);
    LAYOUT("blocks of different lengths", type, SILAS_LAYOUT_INDEXED, 5, 1, 2, 1, 2, 4, 0, DOUBLE);
    MPI_Type_create_hindexed(2, (int[]){1, 2}, (MPI_Aint[]){12, -8}, MPI_INT, &type);
    LAYOUT("... in bytes", type, SILAS_LAYOUT_HINDEXED, 5, 1, 2, 1, 2, 12, -8, INT);
    MPI_Type_create_indexed_block(2, 2, (int[]){1, 5}, MPI_INT, &type);
    LAYOUT("blocks of one length", type, SILAS_LAYOUT_INDEXED_BLOCK, 4, 1, 2, 2, 1, 5, INT);
    MPI_Type_create_hindexed_block(2, 2, (MPI_Aint[]){4, 40}, MPI_INT, &type);
    LAYOUT("... in bytes", type, SILAS_LAYOUT_HINDEXED_BLOCK, 4, 1, 2, 2, 4, 40, INT);
    MPI_Type_create_struct(2, (int[]){1, 3}, (MPI_Aint[]){0, 8},
                           (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &inner);
    MPI_Type_create_resized(inner, -8, 48, &type);
    MPI_Type_free(&inner);
    LAYOUT("a structure of another size", type, SILAS_LAYOUT_RESIZED, 2, 1, -8, 48,
           SILAS_LAYOUT_STRUCT, 5, 2, 2, 1, 3, 0, 8, INT, DOUBLE);
    MPI_Type_create_subarray(2, (int[]){4, 6}, (int[]){2, 3}, (int[]){1, 2}, MPI_ORDER_FORTRAN,
                             MPI_INT, &type);
    LAYOUT("a part of an array", type, SILAS_LAYOUT_SUBARRAY, 8, 1, 2, 4, 6, 2, 3, 1, 2, 1, INT);
    MPI_Type_create_darray(
        4, 1, 2, (int[]){6, 4}, (int[]){MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
        (int[]){MPI_DISTRIBUTE_DFLT_DARG, 1}, (int[]){2, 2}, MPI_ORDER_C, MPI_INT, &type);
    LAYOUT("a distributed array", type, SILAS_LAYOUT_DARRAY, 12, 1, 4, 1, 2, 6, 4, 1, 2, -1, 1, 2,
           2, 0, INT);
    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &inner);
    MPI_Type_contiguous(2, inner, &type);
    MPI_Type_free(&inner);
    LAYOUT("a type in a type", type, SILAS_LAYOUT_CONTIGUOUS, 1, 1, 2, SILAS_LAYOUT_VECTOR, 3, 1, 2,
           1, 2, DOUBLE);
    MPI_Type_contiguous(12, MPI_BYTE, &type);
    LAYOUT("an element without a type in C", type, BYTE12);
}

/* A definition of one layout that cannot be rebuilt. */
static void check_refused(const char *name, uint64_t *numbers, uint32_t count)
{
    struct rebuilt_types rebuilt;
    const struct call_types types = read_definition(numbers, count, &rebuilt);
    const struct rebuilt_type *made = call_types_layout(&types, true, 0);
    mpi_check(!made || made->type == MPI_DATATYPE_NULL, name);
    rebuilt_types_clear(&rebuilt);
}

#define REFUSED(name, ...)                                     \
    check_refused(name, (uint64_t[]){1, __VA_ARGS__, 1, 0, 0}, \
                  sizeof((uint64_t[]){1, __VA_ARGS__, 1, 0, 0}) / sizeof(uint64_t))

static void check_bad_definitions(void)
{
    const uint64_t large = UINT64_MAX / 2;
    REFUSED("an unknown layout", SILAS_LAYOUT_UNKNOWN, 2, 0, 8, 16);
    REFUSED("a kind that does not exist", 99, 1, 1, 3, DOUBLE);
    REFUSED("a count that is not an int", SILAS_LAYOUT_CONTIGUOUS, 1, 1, large, DOUBLE);
    REFUSED("more blocks than numbers", SILAS_LAYOUT_STRUCT, 3, 1, 9, 1, 0, DOUBLE);
    REFUSED("more numbers than there are", SILAS_LAYOUT_VECTOR, large, 1, 3, 1, 2, DOUBLE);
    REFUSED("more inner layouts than there are", SILAS_LAYOUT_STRUCT, 1, large, 0, DOUBLE);
    REFUSED("arguments that MPI refuses", SILAS_LAYOUT_CONTIGUOUS, 1, 1, UINT64_MAX, INT);
}

/* Two blocks of MPI_BOTTOM: one on the heap, one on the stack. */
static void check_far_blocks(void)
{
    uint64_t numbers[] = {
        1, SILAS_LAYOUT_STRUCT, 5, 2, 2, 4, 8, 0x7ffdd5a013a8, 0x55bc431c9d50, DOUBLE, DOUBLE, 1, 0,
        0};
    struct rebuilt_types rebuilt;
    MPI_Aint lowest = -1;
    const struct call_types types = read_definition(numbers, sizeof numbers / 8, &rebuilt);
    const struct rebuilt_type *made = call_types_layout(&types, true, 0);
    const uint64_t span = made ? datatype_span(made->type, 1, &lowest) : 0;
    mpi_check(made && made->size == 12 * sizeof(double) && span < 1 << 22 && lowest >= 0 &&
                  lowest < 1 << 22,
              "blocks that are far apart are moved together");
    mpi_check(lowest % 4096 == 0xd50, "and keep their places in their pages");
    rebuilt_types_clear(&rebuilt);
}

static double seconds_of(MPI_Op op, int count)
{
    static double in[4096], out[4096];
    double shortest = 1;
    for (int i = 0; i < 20; i++) {
        const double begin = MPI_Wtime();
        MPI_Reduce_local(in, out, count, MPI_DOUBLE, op);
        const double length = MPI_Wtime() - begin;
        shortest = length < shortest ? length : shortest;
    }
    return shortest;
}

static void check_operators(void)
{
    const uint64_t us = (uint64_t)(ticking.ticks_per_second * 1e-6);
    uint64_t numbers[] = {1, DOUBLE, 1, 1, 0, 0, 0, 80, 100 * us, 800, 1000 * us};
    struct rebuilt_types rebuilt;
    int commutes = 1;
    bool measured;
    const struct call_types types = read_definition(numbers, sizeof numbers / 8, &rebuilt);
    if (types.operation != MPI_OP_NULL)
        MPI_Op_commutative(types.operation, &commutes);
    mpi_check(types.operation != MPI_OP_NULL && !commutes, "an operator that does not commute");
    mpi_check(rebuilt_types_operator(rebuilt.definitions, 1, &measured) == 1 && measured,
              "and is measured");
    const struct {
        int count;
        double us;
    } wanted[] = {{1, 100}, {10, 100}, {55, 550}, {100, 1000}, {200, 2000}};
    for (int i = 0; types.operation != MPI_OP_NULL && i < 5; i++) {
        const double taken = seconds_of(types.operation, wanted[i].count) * 1e6;
        mpi_check(taken > 0.99 * wanted[i].us && taken < 2 * wanted[i].us + 50,
                  "takes the recorded time, or as much between and beyond the sizes");
    }
    rebuilt_types_clear(&rebuilt);
    const struct call_types unmeasured = read_definition(numbers, 11, &rebuilt);
    mpi_check(unmeasured.operation != MPI_OP_NULL &&
                  rebuilt_types_operator(rebuilt.definitions, 1, &measured) == 1 && !measured,
              "an operator without times");
    rebuilt_types_clear(&rebuilt);
}

int main(int argc, char **argv)
{
    mpi_check_begin(&argc, &argv);
    clock_open(&ticking);
    check_layouts();
    check_bad_definitions();
    check_far_blocks();
    check_operators();
    return mpi_check_end();
}
