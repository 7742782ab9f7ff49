/* Attributes, names and info: callbacks that communicate while a communicator is copied or freed,
 * and one that MPI_Finalize calls. */
#include "tests/chapters/chapter.h"

static int copies, deletions;

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    int sum, one = 1, members;
    (void)key;
    (void)extra;
    MPI_Comm_size(comm, &members);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT(sum == members);
    *(void **)out = in;
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}

static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)key;
    (void)extra;
    MPI_Barrier(comm);
    deletions += value != NULL;
    return MPI_SUCCESS;
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first, and MPI still works then. */
static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    int given = rank, taken;
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    MPI_Sendrecv(&given, 1, MPI_INT, right, 9, &taken, 1, MPI_INT, left, 9, WORLD,
                 MPI_STATUS_IGNORE);
    EXPECT(taken == left);
    return MPI_SUCCESS;
}

static int on_type(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type;
    (void)key;
    (void)value;
    (void)extra;
    deletions++;
    return MPI_SUCCESS;
}

static void communicators(void)
{
    int key, found, value = 7, *got, length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm first, second;
    MPI_Comm_create_keyval(copy, forget, &key, NULL);
    MPI_Comm_dup(WORLD, &first);
    EXPECT(copies == 0);
    MPI_Comm_set_attr(first, key, &value);
    MPI_Comm_set_name(first, "with an attribute");
    MPI_Comm_dup(first, &second);
    EXPECT(copies == 1);
    MPI_Comm_get_attr(second, key, &got, &found);
    EXPECT(found && *got == 7);
    MPI_Comm_get_name(first, name, &length);
    EXPECT(strcmp(name, "with an attribute") == 0);
    MPI_Comm_delete_attr(first, key);
    EXPECT(deletions == 1);
    MPI_Comm_free(&second);
    EXPECT(deletions == 2);
    MPI_Comm_free(&first);
    MPI_Comm_free_keyval(&key);
    EXPECT(key == MPI_KEYVAL_INVALID);
}

static void predefined(void)
{
    int found, *limit, *root;
    MPI_Comm_get_attr(WORLD, MPI_TAG_UB, &limit, &found);
    EXPECT(found && *limit >= 32767);
    MPI_Comm_get_attr(WORLD, MPI_HOST, &root, &found);
    MPI_Comm_get_attr(WORLD, MPI_WTIME_IS_GLOBAL, &root, &found);
    const int largest = *limit;
    int given = 1, taken = 0;
    MPI_Sendrecv(&given, 1, MPI_INT, right, largest, &taken, 1, MPI_INT, left, largest, WORLD,
                 MPI_STATUS_IGNORE);
    EXPECT(taken == 1);
}

static void types_and_windows(void)
{
    WINDOW_MEMORY int memory[2] = {0};
    int key, window_key, found, *unit, *model;
    void *base;
    MPI_Datatype type;
    MPI_Win window;
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, on_type, &key, NULL);
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_set_attr(type, key, memory);
    const int before = deletions;
    MPI_Type_free(&type);
    EXPECT(deletions == before + 1);
    MPI_Type_free_keyval(&key);
    MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_set_name(window, "two numbers");
    MPI_Win_get_attr(window, MPI_WIN_BASE, &base, &found);
    EXPECT(found && base == memory);
    MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, &unit, &found);
    EXPECT(found && *unit == 4);
    MPI_Win_get_attr(window, MPI_WIN_MODEL, &model, &found);
    EXPECT(found);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &window_key, NULL);
    MPI_Win_set_attr(window, window_key, memory);
    MPI_Win_delete_attr(window, window_key);
    MPI_Win_free_keyval(&window_key);
    MPI_Win_free(&window);
}

static void info(void)
{
    MPI_Info hints, more;
    MPI_Comm comm;
    char value[20];
    int found, keys;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "mpi_assert_no_any_tag", "true");
    MPI_Info_dup(hints, &more);
    MPI_Info_get(more, "mpi_assert_no_any_tag", sizeof value - 1, value, &found);
    EXPECT(found && strcmp(value, "true") == 0);
    MPI_Info_get_nkeys(more, &keys);
    EXPECT(keys == 1);
    MPI_Comm_dup_with_info(WORLD, more, &comm);
    MPI_Comm_set_info(comm, hints);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, rank, more, &comm);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Info_free(&more);
    MPI_Info_free(&hints);
}

int main(int argc, char **argv)
{
    int key;
    chapter_begin(&argc, &argv);
    communicators();
    predefined();
    types_and_windows();
    info();
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &key);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
