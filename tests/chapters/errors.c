/* Calls that fail: what they did not do is in no trace, and the program goes on. */
#include "tests/chapters/chapter.h"

static int handled;

static void note(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    handled++;
}

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

static void refused_arguments(void)
{
    int value = rank, other;
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT(class_of(MPI_Send(&value, 1, MPI_INT, size, 0, WORLD)) == MPI_ERR_RANK);
    EXPECT(class_of(MPI_Send(&value, -1, MPI_INT, right, 0, WORLD)) == MPI_ERR_COUNT);
    EXPECT(class_of(MPI_Send(&value, 1, MPI_INT, right, -7, WORLD)) == MPI_ERR_TAG);
    EXPECT(class_of(MPI_Isend(&value, 1, MPI_INT, size + 3, 0, WORLD, &request)) == MPI_ERR_RANK);
    EXPECT(class_of(MPI_Irecv(&value, 1, MPI_INT, -9, 0, WORLD, &request)) == MPI_ERR_RANK);
    EXPECT(class_of(MPI_Sendrecv(&value, 1, MPI_INT, size, 0, &other, 1, MPI_INT, left, 0, WORLD,
                                 MPI_STATUS_IGNORE)) == MPI_ERR_RANK);
    EXPECT(class_of(MPI_Bcast(&value, 1, MPI_INT, size, WORLD)) == MPI_ERR_ROOT);
    EXPECT(MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_NULL) != MPI_SUCCESS);
    EXPECT(MPI_Send(&value, 1, MPI_DATATYPE_NULL, right, 0, WORLD) != MPI_SUCCESS);
    EXPECT(MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_OP_NULL, WORLD) != MPI_SUCCESS);
}

/* The message is there, but the receive takes only half of it. */
static void truncated(void)
{
    int sent[20] = {rank}, taken[20];
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(taken, 10, MPI_INT, left, 1, WORLD, &requests[0]);
    compute(1000);
    MPI_Send(sent, 20, MPI_INT, right, 1, WORLD);
    EXPECT(class_of(MPI_Wait(&requests[0], &statuses[0])) == MPI_ERR_TRUNCATE);

    MPI_Irecv(taken, 5, MPI_INT, left, 2, WORLD, &requests[0]);
    MPI_Irecv(taken + 10, 5, MPI_INT, left, 3, WORLD, &requests[1]);
    MPI_Send(sent, 20, MPI_INT, right, 2, WORLD);
    MPI_Send(sent, 5, MPI_INT, right, 3, WORLD);
    const int code = MPI_Waitall(2, requests, statuses);
    EXPECT(class_of(code) == MPI_ERR_IN_STATUS);
    EXPECT(class_of(statuses[0].MPI_ERROR) == MPI_ERR_TRUNCATE);
    if (requests[1] != MPI_REQUEST_NULL)
        EXPECT(MPI_Wait(&requests[1], MPI_STATUS_IGNORE) == MPI_SUCCESS);
    EXPECT(taken[10] == left);

    MPI_Send(sent, 20, MPI_INT, right, 4, WORLD);
    EXPECT(class_of(MPI_Recv(taken, 2, MPI_INT, left, 4, WORLD, &statuses[0])) == MPI_ERR_TRUNCATE);
}

static void own_handler(void)
{
    MPI_Errhandler handler;
    MPI_Comm copy;
    int class, code, value = 1, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Comm_dup(WORLD, &copy);
    MPI_Comm_create_errhandler(note, &handler);
    MPI_Comm_set_errhandler(copy, handler);
    MPI_Errhandler_free(&handler);
    EXPECT(MPI_Send(&value, 1, MPI_INT, size, 0, copy) != MPI_SUCCESS);
    EXPECT(handled == 1);
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "our own error");
    MPI_Comm_call_errhandler(copy, code);
    EXPECT(handled == 2);
    MPI_Error_string(code, text, &length);
    EXPECT(strcmp(text, "our own error") == 0);
    MPI_Comm_free(&copy);
}

static void files_and_windows(void)
{
    MPI_File file;
    MPI_Win window;
    WINDOW_MEMORY int memory[4] = {0};
    int value = 1;
    EXPECT(MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) !=
           MPI_SUCCESS);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, window);
    EXPECT(class_of(MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, window)) == MPI_ERR_RANK);
    MPI_Put(&value, 1, MPI_INT, right, 2, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    EXPECT(memory[2] == 1);
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    int value = 5, sum;
    chapter_begin(&argc, &argv);
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    refused_arguments();
    truncated();
    own_handler();
    files_and_windows();
    EXPECT(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, WORLD) == MPI_SUCCESS);
    EXPECT(sum == 5 * size);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
