/* TRANSPOSE: the communication of a parallel Fourier transform. The ranks form a grid; the members
 * of each row and of each column of the grid share a matrix, with one block of lines each. Lines
 * are transformed, then the matrix is transposed with MPI_Alltoallv on the row's or column's
 * communicator. The number of lines does not divide evenly, so the counts differ.
 *
 * transform() is slower on higher ranks; --balanced makes it equal. */
#include "examples/example.h"
#include <silas/region.h>

#include <stdlib.h>

/* A square matrix shared by the members of a communicator, in blocks of lines. */
struct matrix {
    MPI_Comm comm;
    int n, members, rank;
    int first, lines; /* this rank's */
    double *values;   /* [lines][n] */
    double *packed, *received;
    int *send_counts, *send_offsets, *receive_counts, *receive_offsets; /* [members] */
};

static int first_line(const struct matrix *matrix, int member)
{
    int each = matrix->n / matrix->members, rest = matrix->n % matrix->members;
    return member * each + (member < rest ? member : rest);
}

static int line_count(const struct matrix *matrix, int member)
{
    return first_line(matrix, member + 1) - first_line(matrix, member);
}

static void *allocate(size_t size)
{
    void *memory = malloc(size ? size : 1);
    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 3);
    return memory;
}

/* A number that identifies row and column. */
static double element(int row, int column)
{
    return row + 1e-5 * column;
}

/* Takes over `comm`. */
static void matrix_open(struct matrix *matrix, MPI_Comm comm, int n)
{
    matrix->comm = comm;
    matrix->n = n;
    MPI_Comm_size(comm, &matrix->members);
    MPI_Comm_rank(comm, &matrix->rank);
    matrix->first = first_line(matrix, matrix->rank);
    matrix->lines = line_count(matrix, matrix->rank);

    size_t bytes = (size_t)matrix->lines * (size_t)n * sizeof(double);
    matrix->values = allocate(bytes);
    matrix->packed = allocate(bytes);
    matrix->received = allocate(bytes);
    int **vectors[] = {&matrix->send_counts, &matrix->send_offsets, &matrix->receive_counts,
                       &matrix->receive_offsets};
    for (int i = 0; i < 4; i++)
        *vectors[i] = allocate((size_t)matrix->members * sizeof(int));

    for (int line = 0; line < matrix->lines; line++)
        for (int column = 0; column < n; column++)
            matrix->values[line * n + column] = element(matrix->first + line, column);
    /* Block (mine, theirs) goes to them, block (theirs, mine) comes from them: the same size. */
    for (int member = 0; member < matrix->members; member++) {
        int count = matrix->lines * line_count(matrix, member);
        int offset = matrix->lines * first_line(matrix, member);
        matrix->send_counts[member] = matrix->receive_counts[member] = count;
        matrix->send_offsets[member] = matrix->receive_offsets[member] = offset;
    }
}

static void matrix_close(struct matrix *matrix)
{
    free(matrix->values);
    free(matrix->packed);
    free(matrix->received);
    free(matrix->send_counts);
    free(matrix->send_offsets);
    free(matrix->receive_counts);
    free(matrix->receive_offsets);
    MPI_Comm_free(&matrix->comm);
}

static void transform(const struct matrix *matrix, double seconds)
{
    SILAS_REGION_BEGIN("transform");
    double end_s = clock_s() + seconds;
    for (int i = 0; i < matrix->lines * matrix->n; i++)
        matrix->values[i] = -matrix->values[i];
    compute_until(end_s);
    SILAS_REGION_END("transform");
}

/* The block for each member, already transposed. */
static void pack(const struct matrix *matrix)
{
    double *to = matrix->packed;
    for (int member = 0; member < matrix->members; member++) {
        int first = first_line(matrix, member), behind = first_line(matrix, member + 1);
        for (int column = first; column < behind; column++)
            for (int line = 0; line < matrix->lines; line++)
                *to++ = matrix->values[line * matrix->n + column];
    }
}

static void unpack(const struct matrix *matrix)
{
    const double *from = matrix->received;
    for (int member = 0; member < matrix->members; member++) {
        int first = first_line(matrix, member), behind = first_line(matrix, member + 1);
        for (int line = 0; line < matrix->lines; line++)
            for (int column = first; column < behind; column++)
                matrix->values[line * matrix->n + column] = *from++;
    }
}

static void transpose(const struct matrix *matrix)
{
    SILAS_REGION_BEGIN("transpose");
    pack(matrix);
    MPI_Alltoallv(matrix->packed, matrix->send_counts, matrix->send_offsets, MPI_DOUBLE,
                  matrix->received, matrix->receive_counts, matrix->receive_offsets, MPI_DOUBLE,
                  matrix->comm);
    unpack(matrix);
    SILAS_REGION_END("transpose");
}

/* Unchanged after an even number of steps; otherwise transposed, with the opposite sign. */
static bool is_correct(const struct matrix *matrix, int steps)
{
    bool correct = true;
    for (int line = 0; line < matrix->lines; line++) {
        for (int column = 0; column < matrix->n; column++) {
            int row = matrix->first + line;
            double expected = steps % 2 ? -element(column, row) : element(row, column);
            correct = correct && matrix->values[line * matrix->n + column] == expected;
        }
    }
    return correct;
}

int main(int argc, char **argv)
{
    int n = 101;
    const struct example_option options[] = {{"lines", "lines of a matrix", 1, &n}, {0}};
    struct example example = {
        .name = "transpose",
        .description = "Transposes matrices with MPI_Alltoallv on row and column communicators.",
        .fix = "balanced",
        .fix_description = "transform() takes the same time on every rank",
        .options = options,
        .iterations = 100,
        .work_s = 0.006,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;

    int dims[2] = {0, 0};
    MPI_Comm row_comm, column_comm;
    MPI_Dims_create(example.size, 2, dims);
    MPI_Comm_split(MPI_COMM_WORLD, example.rank / dims[1], example.rank, &row_comm);
    MPI_Comm_split(MPI_COMM_WORLD, example.rank % dims[1], example.rank, &column_comm);
    struct matrix row, column;
    matrix_open(&row, row_comm, n);
    matrix_open(&column, column_comm, n);

    double share = 1.0;
    if (!example.fixed && example.size > 1)
        share = 0.6 + 0.8 * example.rank / (example.size - 1);
    for (int i = 0; i < example.iterations; i++) {
        transform(&row, share * example.work_s / 2);
        transpose(&row);
        transform(&column, share * example.work_s / 2);
        transpose(&column);
    }

    bool correct = is_correct(&row, example.iterations) && is_correct(&column, example.iterations);
    matrix_close(&row);
    matrix_close(&column);
    example_report(&example);
    return example_end(&example, correct);
}
