/* Every way to read and write a file: alone and together, at a place and at a pointer, of one's own
 * and shared, at once and in two steps. The argument is a folder. */
#include "tests/chapters/chapter.h"

enum { LENGTH = 100 };

static int sent[LENGTH], taken[LENGTH];
static MPI_File file;

static void renew(int salt)
{
    for (int i = 0; i < LENGTH; i++) {
        sent[i] = 10000 * salt + 1000 * rank + i;
        taken[i] = -1;
    }
}

static void check(int salt)
{
    for (int i = 0; i < LENGTH; i++)
        EXPECT(taken[i] == 10000 * salt + 1000 * rank + i);
}

static MPI_Offset own_place(void)
{
    return (MPI_Offset)rank * LENGTH * (MPI_Offset)sizeof(int);
}

static void at_places(void)
{
    MPI_Status status;
    MPI_Request request;
    int count;
    renew(1);
    MPI_File_write_at(file, own_place(), sent, LENGTH, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT(count == LENGTH);
    MPI_File_read_at(file, own_place(), taken, LENGTH, MPI_INT, &status);
    check(1);
    renew(2);
    MPI_File_write_at_all(file, own_place(), sent, LENGTH, MPI_INT, &status);
    MPI_File_read_at_all(file, own_place(), taken, LENGTH, MPI_INT, &status);
    check(2);
    renew(3);
    MPI_File_write_at_all_begin(file, own_place(), sent, LENGTH, MPI_INT);
    compute(100);
    MPI_File_write_at_all_end(file, sent, &status);
    MPI_File_read_at_all_begin(file, own_place(), taken, LENGTH, MPI_INT);
    MPI_File_read_at_all_end(file, taken, &status);
    check(3);
    renew(4);
    MPI_File_iwrite_at(file, own_place(), sent, LENGTH, MPI_INT, &request);
    MPI_Wait(&request, &status);
    MPI_File_iread_at(file, own_place(), taken, LENGTH, MPI_INT, &request);
    MPI_Wait(&request, &status);
    check(4);
    renew(5);
    MPI_File_iwrite_at_all(file, own_place(), sent, LENGTH, MPI_INT, &request);
    MPI_Wait(&request, &status);
    MPI_File_iread_at_all(file, own_place(), taken, LENGTH, MPI_INT, &request);
    MPI_Wait(&request, &status);
    check(5);
}

static void rewind_own(void)
{
    MPI_File_seek(file, own_place(), MPI_SEEK_SET);
}

static void at_own_pointers(void)
{
    MPI_Status status;
    MPI_Request request;
    MPI_Offset place;
    renew(6);
    rewind_own();
    MPI_File_write(file, sent, LENGTH, MPI_INT, &status);
    MPI_File_get_position(file, &place);
    EXPECT(place == own_place() + (MPI_Offset)sizeof sent);
    rewind_own();
    MPI_File_read(file, taken, LENGTH, MPI_INT, &status);
    check(6);
    renew(7);
    rewind_own();
    MPI_File_write_all(file, sent, LENGTH, MPI_INT, &status);
    rewind_own();
    MPI_File_read_all(file, taken, LENGTH, MPI_INT, &status);
    check(7);
    renew(8);
    rewind_own();
    MPI_File_write_all_begin(file, sent, LENGTH, MPI_INT);
    MPI_File_write_all_end(file, sent, &status);
    rewind_own();
    MPI_File_read_all_begin(file, taken, LENGTH, MPI_INT);
    MPI_File_read_all_end(file, taken, &status);
    check(8);
    renew(9);
    rewind_own();
    MPI_File_iwrite(file, sent, LENGTH, MPI_INT, &request);
    MPI_Wait(&request, &status);
    rewind_own();
    MPI_File_iread(file, taken, LENGTH, MPI_INT, &request);
    MPI_Wait(&request, &status);
    check(9);
    renew(10);
    rewind_own();
    MPI_File_iwrite_all(file, sent, LENGTH, MPI_INT, &request);
    MPI_Wait(&request, &status);
    rewind_own();
    MPI_File_iread_all(file, taken, LENGTH, MPI_INT, &request);
    MPI_Wait(&request, &status);
    check(10);
}

/* What many write at the shared pointer is there once, in some order or in that of the ranks. */
static void at_the_shared_pointer(void)
{
    MPI_Status status;
    MPI_Request request;
    MPI_Offset place;
    int sum = 0, all, mine = rank;
    MPI_Barrier(WORLD);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_write_shared(file, &mine, 1, MPI_INT, &status);
    MPI_File_iwrite_shared(file, &mine, 1, MPI_INT, &request);
    MPI_Wait(&request, &status);
    MPI_Barrier(WORLD);
    MPI_File_get_position_shared(file, &place);
    EXPECT(place == 2 * size * (MPI_Offset)sizeof(int));
    MPI_Barrier(WORLD);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_shared(file, &mine, 1, MPI_INT, &status);
    sum += mine;
    MPI_File_iread_shared(file, &mine, 1, MPI_INT, &request);
    MPI_Wait(&request, &status);
    sum += mine;
    MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, WORLD);
    EXPECT(all == size * (size - 1));
    renew(11);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_write_ordered(file, sent, LENGTH, MPI_INT, &status);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_ordered(file, taken, LENGTH, MPI_INT, &status);
    check(11);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_write_ordered_begin(file, sent, LENGTH, MPI_INT);
    MPI_File_write_ordered_end(file, sent, &status);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_ordered_begin(file, taken, LENGTH, MPI_INT);
    MPI_File_read_ordered_end(file, taken, &status);
    check(11);
}

static void with_a_view(void)
{
    MPI_Datatype every;
    MPI_Status status;
    MPI_Offset bytes;
    renew(12);
    MPI_Type_vector(LENGTH, 1, size, MPI_INT, &every);
    MPI_Type_commit(&every);
    MPI_File_set_view(file, rank * (MPI_Offset)sizeof(int), MPI_INT, every, "native",
                      MPI_INFO_NULL);
    MPI_File_write_all(file, sent, LENGTH, MPI_INT, &status);
    MPI_File_sync(file);
    MPI_Barrier(WORLD);
    MPI_File_read_at_all(file, 0, taken, LENGTH, MPI_INT, &status);
    check(12);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_get_size(file, &bytes);
    EXPECT(bytes == size * (MPI_Offset)sizeof sent);
    MPI_Barrier(WORLD); /* before another rank changes the size */
    MPI_Type_free(&every);
}

static void sizes(void)
{
    MPI_Offset bytes;
    int atomic, mode;
    MPI_File_preallocate(file, 1 << 16);
    MPI_Barrier(WORLD);
    MPI_File_get_size(file, &bytes);
    EXPECT(bytes == 1 << 16);
    MPI_Barrier(WORLD);
    MPI_File_set_size(file, 1000);
    MPI_Barrier(WORLD);
    MPI_File_get_size(file, &bytes);
    EXPECT(bytes == 1000);
    MPI_File_set_atomicity(file, 1);
    MPI_File_get_atomicity(file, &atomic);
    EXPECT(atomic);
    MPI_File_get_amode(file, &mode);
    EXPECT(mode & MPI_MODE_RDWR);
}

int main(int argc, char **argv)
{
    char name[4000];
    chapter_begin(&argc, &argv);
    snprintf(name, sizeof name, "%s/chapter-file", argc > 1 ? argv[1] : ".");
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    at_places();
    at_own_pointers();
    at_the_shared_pointer();
    with_a_view();
    sizes();
    MPI_File_close(&file);
    MPI_Barrier(WORLD);
    if (rank == 0)
        MPI_File_delete(name, MPI_INFO_NULL);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
