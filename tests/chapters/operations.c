/* Reductions with every predefined operation and with operations of the program, also such that do
 * not commute. */
#include "tests/chapters/chapter.h"

/* 2 x 2 matrices, whose product depends on the order. */
struct matrix {
    int a, b, c, d;
};

static struct matrix product(struct matrix x, struct matrix y)
{
    return (struct matrix){x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
                           x.c * y.b + x.d * y.d};
}

static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
    struct matrix *x = in, *y = inout;
    (void)type;
    for (int i = 0; i < *count; i++)
        y[i] = product(x[i], y[i]);
}

static struct matrix part_of(int i)
{
    return (struct matrix){1, i + 1, 0, i % 2 ? 1 : -1};
}

static bool same(struct matrix x, struct matrix y)
{
    return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d;
}

static void in_order(void)
{
    MPI_Op op;
    MPI_Datatype type;
    struct matrix own = part_of(rank), all, before = {0}, upto, parts[2];
    MPI_Op_create(multiply, 0, &op);
    int commutes;
    MPI_Op_commutative(op, &commutes);
    EXPECT(!commutes);
    MPI_Type_contiguous(4, MPI_INT, &type);
    MPI_Type_commit(&type);
    struct matrix expected = part_of(0), first = part_of(0);
    for (int i = 1; i < size; i++)
        expected = product(expected, part_of(i));
    for (int i = 1; i < rank; i++)
        first = product(first, part_of(i));
    MPI_Allreduce(&own, &all, 1, type, op, WORLD);
    EXPECT(same(all, expected));
    MPI_Reduce(&own, &all, 1, type, op, size - 1, WORLD);
    EXPECT(rank != size - 1 || same(all, expected));
    MPI_Exscan(&own, &before, 1, type, op, WORLD);
    EXPECT(rank == 0 || same(before, first));
    MPI_Scan(&own, &upto, 1, type, op, WORLD);
    EXPECT(same(upto, rank == 0 ? own : product(first, own)));
    parts[0] = own;
    parts[1] = part_of(rank + 1);
    MPI_Reduce_local(&parts[0], &parts[1], 1, type, op);
    EXPECT(same(parts[1], product(own, part_of(rank + 1))));
    MPI_Request request;
    MPI_Iallreduce(&own, &all, 1, type, op, WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(same(all, expected));
    MPI_Type_free(&type);
    MPI_Op_free(&op);
}

static void predefined(void)
{
    static const struct {
        MPI_Op *op;
        int first;
    } none;
    (void)none;
    MPI_Op ops[] = {MPI_MAX,  MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND,
                    MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        int own = rank + 1, result, sum;
        unsigned char byte = 1, bytes;
        long long wide = rank + 1, widest;
        MPI_Allreduce(&own, &result, 1, MPI_INT, ops[i], WORLD);
        MPI_Allreduce(&result, &sum, 1, MPI_INT, MPI_SUM, WORLD);
        EXPECT(sum == result * size);
        MPI_Allreduce(&byte, &bytes, 1, MPI_UNSIGNED_CHAR, ops[i], WORLD);
        MPI_Allreduce(&wide, &widest, 1, MPI_LONG_LONG, ops[i], WORLD);
        EXPECT(widest == result || ops[i] == MPI_PROD);
    }
    struct {
        double value;
        int place;
    } own = {rank * 3 % size, rank}, least, most;
    MPI_Allreduce(&own, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, WORLD);
    MPI_Allreduce(&own, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, WORLD);
    EXPECT(least.value == 0 && least.place == 0 && most.value >= least.value);
}

/* Parts of no length, in place, and several nonblocking ones that end in another order. */
static void uneven(void)
{
    int counts[64], data[64], result[64] = {0};
    MPI_Request requests[4];
    MPI_Comm copy;
    for (int i = 0; i < size; i++)
        counts[i] = i % 2 ? 3 : 0;
    for (int i = 0; i < 64; i++)
        data[i] = i;
    MPI_Reduce_scatter(data, result, counts, MPI_INT, MPI_SUM, WORLD);
    if (counts[rank])
        EXPECT(result[0] == size * 3 * (rank / 2));
    for (int i = 0; i < size; i++)
        counts[i] = 1;
    MPI_Reduce_scatter(MPI_IN_PLACE, data, counts, MPI_INT, MPI_SUM, WORLD);
    EXPECT(data[0] == rank * size);
    MPI_Reduce_scatter_block(result, data, 2, MPI_INT, MPI_MAX, WORLD);
    MPI_Allreduce(MPI_IN_PLACE, result, 0, MPI_INT, MPI_SUM, WORLD);
    MPI_Comm_dup(WORLD, &copy);
    int sum[4] = {0}, one = 1;
    for (int i = 0; i < 4; i++)
        MPI_Iallreduce(&one, &sum[i], 1, MPI_INT, MPI_SUM, i % 2 ? copy : WORLD, &requests[i]);
    compute(200 * (rank + 1));
    for (int i = 3; i >= 0; i--)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; i++)
        EXPECT(sum[i] == size);
    MPI_Request scans[2];
    int scan, exscan = 0;
    MPI_Iscan(&one, &scan, 1, MPI_INT, MPI_SUM, WORLD, &scans[0]);
    MPI_Iexscan(&one, &exscan, 1, MPI_INT, MPI_SUM, copy, &scans[1]);
    MPI_Waitall(2, scans, MPI_STATUSES_IGNORE);
    EXPECT(scan == rank + 1 && exscan == rank);
    MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
    chapter_begin(&argc, &argv);
    in_order();
    predefined();
    uneven();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
