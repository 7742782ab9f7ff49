/* One-sided communication as programs use it: counters, locks with many owners, requests beside
 * messages, windows of parts of the processes, shared memory. */
#include "tests/chapters/chapter.h"

static void counter(void)
{
    MPI_Win window;
    int *memory, one = 1, before, sum, all, minus = -1, zero = 0;
    MPI_Win_allocate(rank == 0 ? 2 * sizeof *memory : 0, sizeof *memory, MPI_INFO_NULL, WORLD,
                     &memory, &window);
    if (rank == 0)
        memory[0] = memory[1] = 0;
    MPI_Barrier(WORLD);
    MPI_Win_lock_all(0, window);
    sum = 0;
    for (int i = 0; i < 5; i++) {
        MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 0, MPI_SUM, window);
        MPI_Win_flush(0, window);
        sum += before;
    }
    MPI_Fetch_and_op(&zero, &before, MPI_INT, 0, 0, MPI_NO_OP, window);
    MPI_Compare_and_swap(&minus, &zero, &all, MPI_INT, 0, 1, window);
    MPI_Win_flush_local_all(window);
    MPI_Win_unlock_all(window);
    MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, WORLD);
    EXPECT(all == 5 * size * (5 * size - 1) / 2);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Get(&before, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    EXPECT(before == -1);
    MPI_Win_free(&window);
}

static void exclusive(void)
{
    MPI_Win window;
    WINDOW_MEMORY long cells[4] = {0};
    MPI_Win_create(cells, sizeof cells, sizeof *cells, MPI_INFO_NULL, WORLD, &window);
    for (int target = 0; target < size; target++)
        for (int i = 0; i < 3; i++) {
            long value;
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
            MPI_Get(&value, 1, MPI_LONG, target, 2, 1, MPI_LONG, window);
            MPI_Win_flush(target, window);
            value += rank + 1;
            compute(20);
            MPI_Put(&value, 1, MPI_LONG, target, 2, 1, MPI_LONG, window);
            MPI_Win_unlock(target, window);
        }
    MPI_Barrier(WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    EXPECT(cells[2] == 3 * size * (size + 1) / 2);
    MPI_Win_unlock(rank, window);
    MPI_Win_free(&window);
}

static void requests(void)
{
    MPI_Win window;
    MPI_Request all[5];
    WINDOW_MEMORY int cells[100];
    int got[100], put[100], old[10], ones[10], token = rank, taken;
    for (int i = 0; i < 100; i++) {
        cells[i] = 1000 * rank + i;
        put[i] = -rank;
    }
    for (int i = 0; i < 10; i++)
        ones[i] = 1;
    MPI_Win_create(cells, sizeof cells, sizeof *cells, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Rget(got, 50, MPI_INT, right, 0, 50, MPI_INT, window, &all[0]);
    MPI_Rput(put, 20, MPI_INT, right, 50, 20, MPI_INT, window, &all[1]);
    MPI_Rget_accumulate(ones, 10, MPI_INT, old, 10, MPI_INT, right, 80, 10, MPI_INT, MPI_SUM,
                        window, &all[2]);
    MPI_Irecv(&taken, 1, MPI_INT, left, 0, WORLD, &all[3]);
    MPI_Isend(&token, 1, MPI_INT, right, 0, WORLD, &all[4]);
    compute(100 * (rank + 1));
    MPI_Waitall(5, all, MPI_STATUSES_IGNORE);
    EXPECT(got[49] == 1000 * right + 49 && old[0] == 1000 * right + 80 && taken == left);
    MPI_Raccumulate(ones, 10, MPI_INT, right, 90, 10, MPI_INT, MPI_MAX, window, &all[0]);
    MPI_Wait(&all[0], MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);
    MPI_Barrier(WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    EXPECT(cells[50] == -left && cells[80] == 1000 * rank + 81);
    MPI_Win_unlock(rank, window);
    MPI_Win_free(&window);
}

/* Post, start, complete, wait, with tests; on a window of two halves. */
static void exposed(void)
{
    MPI_Group all, from, to;
    MPI_Comm half;
    MPI_Win window;
    WINDOW_MEMORY int cell = -1;
    int value = rank + 50, members, place, flag = 0;
    MPI_Comm_split(WORLD, rank % 2, rank, &half);
    MPI_Comm_size(half, &members);
    MPI_Comm_rank(half, &place);
    MPI_Win_create(&cell, sizeof cell, 1, MPI_INFO_NULL, half, &window);
    MPI_Win_get_group(window, &all);
    MPI_Group_incl(all, 1, (int[]){(place + members - 1) % members}, &from);
    MPI_Group_incl(all, 1, (int[]){(place + 1) % members}, &to);
    for (int i = 0; i < 3; i++) {
        MPI_Win_post(from, 0, window);
        MPI_Win_start(to, 0, window);
        MPI_Put(&value, 1, MPI_INT, (place + 1) % members, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
        if (i == 1)
            for (flag = 0; !flag;)
                MPI_Win_test(window, &flag);
        else
            MPI_Win_wait(window);
        EXPECT(cell == 2 * ((place + members - 1) % members) + rank % 2 + 50);
    }
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Get(&value, 1, MPI_INT, (place + 1) % members, 0, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, window);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
    MPI_Comm_free(&half);
}

static void shared(void)
{
    MPI_Comm node;
    MPI_Win window;
    MPI_Aint bytes;
    int *own, *first, unit, members, place;
    MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &members);
    MPI_Comm_rank(node, &place);
    MPI_Win_allocate_shared(sizeof *own, sizeof *own, MPI_INFO_NULL, node, &own, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &first);
    EXPECT(bytes == sizeof *own && unit == sizeof *own);
    MPI_Win_lock_all(0, window);
    *own = 7 * place;
    MPI_Win_sync(window);
    MPI_Barrier(node);
    MPI_Win_sync(window);
    EXPECT(first[members - 1] == 7 * (members - 1));
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Comm_free(&node);
}

static void dynamic(void)
{
    MPI_Win window;
    MPI_Aint mine, theirs;
    int *memory, value = rank;
    MPI_Alloc_mem(10 * sizeof *memory, MPI_INFO_NULL, &memory);
    memory[3] = -1;
    MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &window);
    MPI_Win_attach(window, memory, 10 * sizeof *memory);
    MPI_Get_address(&memory[3], &mine);
    MPI_Sendrecv(&mine, 1, MPI_AINT, left, 0, &theirs, 1, MPI_AINT, right, 0, WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, right, theirs, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    EXPECT(memory[3] == left);
    MPI_Win_detach(window, memory);
    MPI_Win_free(&window);
    MPI_Free_mem(memory);
}

/* The target's type has one element, which is the last one of the window; the displacement is 0. */
static void behind(void)
{
    MPI_Win window;
    MPI_Datatype last;
    const int length = 1, place = 9;
    int memory[10] = {0}, value = rank;
    MPI_Type_indexed(1, &length, &place, MPI_INT, &last);
    MPI_Type_commit(&last);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, right, 0, 1, last, window);
    MPI_Win_fence(0, window);
    EXPECT(memory[9] == left);
    MPI_Win_free(&window);
    MPI_Type_free(&last);
}

int main(int argc, char **argv)
{
    chapter_begin(&argc, &argv);
    counter();
    exclusive();
    requests();
    exposed();
    shared();
    dynamic();
    behind();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
