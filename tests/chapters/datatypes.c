/* Messages, collective operations and one-sided ones with types that are not contiguous, that start
 * below their address, or that are empty. */
#include "tests/chapters/chapter.h"

enum { ROWS = 12 };

static int grid[ROWS][ROWS];
static WINDOW_MEMORY int other[ROWS][ROWS];

static void fill(void)
{
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < ROWS; k++) {
            grid[i][k] = 1000 * rank + ROWS * i + k;
            other[i][k] = -1;
        }
}

/* Sends the type from `grid` and receives it into `other`; returns the basic elements received. */
static int exchange(MPI_Datatype type, int count)
{
    MPI_Status status;
    int elements;
    fill();
    MPI_Sendrecv(grid, count, type, right, 0, other, count, type, left, 0, WORLD, &status);
    MPI_Get_elements(&status, type, &elements);
    return elements;
}

static void regular(void)
{
    MPI_Datatype column, two, part, copy;
    MPI_Type_vector(ROWS, 1, ROWS, MPI_INT, &column);
    MPI_Type_commit(&column);
    EXPECT(exchange(column, 1) == ROWS);
    EXPECT(other[3][0] == 1000 * left + 36 && other[3][1] == -1);
    MPI_Type_create_resized(column, 0, sizeof(int), &two);
    MPI_Type_commit(&two);
    EXPECT(exchange(two, 2) == 2 * ROWS);
    EXPECT(other[3][1] == 1000 * left + 37);
    MPI_Type_create_subarray(2, (int[]){ROWS, ROWS}, (int[]){3, 4}, (int[]){2, 5}, MPI_ORDER_C,
                             MPI_INT, &part);
    MPI_Type_commit(&part);
    EXPECT(exchange(part, 1) == 12);
    EXPECT(other[4][8] == 1000 * left + 56 && other[4][9] == -1);
    MPI_Type_dup(part, &copy);
    EXPECT(exchange(copy, 1) == 12);
    MPI_Bcast(other, 1, part, 0, WORLD);
    EXPECT(other[2][5] == 1000 * (size - 1) + 29);
    MPI_Type_free(&copy);
    MPI_Type_free(&part);
    MPI_Type_free(&two);
    MPI_Type_free(&column);
}

static void irregular(void)
{
    MPI_Datatype type;
    MPI_Type_indexed(3, (int[]){2, 0, 4}, (int[]){1, 7, 20}, MPI_INT, &type);
    MPI_Type_commit(&type);
    EXPECT(exchange(type, 1) == 6);
    MPI_Type_free(&type);
    MPI_Type_create_indexed_block(3, 2, (int[]){0, 10, 30}, MPI_INT, &type);
    MPI_Type_commit(&type);
    EXPECT(exchange(type, 1) == 6);
    MPI_Type_free(&type);
    MPI_Type_create_hindexed_block(2, 3, (MPI_Aint[]){4, 80}, MPI_INT, &type);
    MPI_Type_commit(&type);
    EXPECT(exchange(type, 1) == 6);
    MPI_Type_free(&type);
    MPI_Type_create_hvector(3, 2, 40, MPI_INT, &type);
    MPI_Type_commit(&type);
    EXPECT(exchange(type, 1) == 6);
    MPI_Type_free(&type);
    struct {
        char letter;
        double number;
        short few[3];
    } own = {'x', 2.5 + rank, {1, 2, 3}}, taken = {0};
    MPI_Type_create_struct(
        3, (int[]){1, 1, 3},
        (MPI_Aint[]){0, (char *)&own.number - (char *)&own, (char *)own.few - (char *)&own},
        (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE, MPI_SHORT}, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(&own, 1, type, right, 1, &taken, 1, type, left, 1, WORLD, MPI_STATUS_IGNORE);
    EXPECT(taken.letter == 'x' && taken.number == 2.5 + left && taken.few[2] == 3);
    MPI_Type_free(&type);
}

/* Absolute addresses from MPI_BOTTOM, strides that go back, and no data at all. */
static void unusual(void)
{
    MPI_Datatype type, nothing;
    MPI_Aint places[2];
    int mine[2] = {rank, rank + 100}, taken[2] = {-1, -1}, count;
    MPI_Status status;
    MPI_Get_address(&mine[1], &places[0]);
    MPI_Get_address(&mine[0], &places[1]);
    MPI_Type_create_hindexed(2, (int[]){1, 1}, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(MPI_BOTTOM, 1, type, right, 2, taken, 2, MPI_INT, left, 2, WORLD, &status);
    EXPECT(taken[0] == left + 100 && taken[1] == left);
    MPI_Type_free(&type);
    MPI_Type_vector(ROWS, 1, -ROWS, MPI_INT, &type);
    MPI_Type_commit(&type);
    fill();
    MPI_Sendrecv(&grid[ROWS - 1][0], 1, type, right, 3, other, ROWS, MPI_INT, left, 3, WORLD,
                 &status);
    EXPECT(other[0][0] == 1000 * left + ROWS * (ROWS - 1) && other[0][ROWS - 1] == 1000 * left);
    MPI_Type_free(&type);
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Sendrecv(mine, 5, nothing, right, 4, taken, 5, nothing, left, 4, WORLD, &status);
    MPI_Get_count(&status, nothing, &count);
    EXPECT(count == 0 || count == 5 || count == MPI_UNDEFINED);
    MPI_Bcast(mine, 3, nothing, 0, WORLD);
    MPI_Type_free(&nothing);
    /* Two and a half of a pair. */
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(grid, 5, MPI_INT, right, 5, other, 3, type, left, 5, WORLD, &status);
    MPI_Get_count(&status, type, &count);
    EXPECT(count == MPI_UNDEFINED);
    MPI_Get_elements(&status, type, &count);
    EXPECT(count == 5);
    MPI_Type_free(&type);
}

static void packed(void)
{
    char box[200];
    int place = 0, number = rank, most;
    double fraction = rank / 4.0, taken_fraction;
    MPI_Pack_size(1, MPI_DOUBLE, WORLD, &most);
    EXPECT(most >= 8);
    MPI_Pack(&number, 1, MPI_INT, box, sizeof box, &place, WORLD);
    MPI_Pack(&fraction, 1, MPI_DOUBLE, box, sizeof box, &place, WORLD);
    MPI_Sendrecv_replace(box, place, MPI_PACKED, right, 6, left, 6, WORLD, MPI_STATUS_IGNORE);
    place = 0;
    MPI_Unpack(box, sizeof box, &place, &number, 1, MPI_INT, WORLD);
    MPI_Unpack(box, sizeof box, &place, &taken_fraction, 1, MPI_DOUBLE, WORLD);
    EXPECT(number == left && taken_fraction == left / 4.0);
}

static void one_sided(void)
{
    MPI_Win window;
    MPI_Datatype column;
    fill();
    MPI_Type_vector(ROWS, 1, ROWS, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Win_create(other, sizeof other, sizeof(int), MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(grid, 1, column, right, 1, 1, column, window);
    MPI_Accumulate(grid, ROWS, MPI_INT, right, 2, 1, column, MPI_REPLACE, window);
    MPI_Win_fence(0, window);
    EXPECT(other[5][1] == 1000 * left + 60 && other[5][2] == 1000 * left + 5 && other[5][3] == -1);
    MPI_Win_free(&window);
    MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
    chapter_begin(&argc, &argv);
    regular();
    irregular();
    unusual();
    packed();
    one_sided();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
