/* Units of the trace core. */
#include "../check_tap.h"

#include "base/arena.h"
#include "trace/calls/regions.h"
#include "trace/load/load_builder.h"
#include "trace/trace.h"

#include <string.h>

START_TEST(paths_escape_slashes)
{
    struct region regions[] = {{.name = "app"}, {.name = "a/b"}};
    struct definitions definitions = {.regions = regions, .region_count = 2};
    struct calltree tree = {0};
    uint32_t root = calltree_child(&tree, CALLPATH_NONE, 0), leaf = calltree_child(&tree, root, 1);
    ck_assert_uint_eq(calltree_child(&tree, CALLPATH_NONE, 0), root);
    char text[32], small[6];
    ck_assert_uint_eq(callpath_format(&tree, &definitions, leaf, text, sizeof text), 8);
    ck_assert_str_eq(text, "app/a\\/b");
    ck_assert_uint_eq(callpath_format(&tree, &definitions, leaf, small, sizeof small), 8);
    ck_assert_str_eq(small, "app/a");
    calltree_clear(&tree);
}
END_TEST

/* A program that calls itself a million times. */
START_TEST(paths_may_be_deep)
{
    const uint32_t depth = 1000000;
    struct region region = {.name = "f"};
    struct definitions definitions = {.regions = &region, .region_count = 1};
    struct calltree tree = {0};
    uint32_t leaf = CALLPATH_NONE;
    for (uint32_t i = 0; i < depth; i++)
        leaf = calltree_child(&tree, leaf, 0);
    char text[6];
    ck_assert_uint_eq(callpath_format(&tree, &definitions, leaf, text, sizeof text), 2 * depth - 1);
    ck_assert_str_eq(text, "f/f/f");
    ck_assert_uint_eq(callpath_format(&tree, &definitions, CALLPATH_NONE, text, sizeof text), 9);
    ck_assert_str_eq(text, "no re");
    calltree_clear(&tree);
}
END_TEST

START_TEST(members_have_places)
{
    uint64_t first[] = {0, 1, 2, 3}, ascending[] = {1, 4, 5, 9}, any[] = {3, 0, 2, 7};
    uint64_t twice[] = {9, 5, 9, 4};
    struct group groups[] = {
        {.type = GROUP_COMM_LOCATIONS, .count = 4},
        {.type = GROUP_COMM_GROUP, .members = first, .count = 4, .ascends = true},
        {.type = GROUP_COMM_GROUP, .members = ascending, .count = 4, .ascends = true},
        {.type = GROUP_COMM_GROUP, .members = any, .count = 4},
        {.type = GROUP_COMM_GROUP, .members = any, .count = 4},
        {.type = GROUP_COMM_GROUP, .members = twice, .count = 4},
        {.type = GROUP_COMM_GROUP, .members = any, .count = 0}};
    const size_t known = 4, count = sizeof groups / sizeof *groups;
    struct arena *arena = arena_create();
    for (size_t g = known; g < count; g++)
        ck_assert(group_order(&groups[g], arena));
    ck_assert(!groups[known].ascends && groups[known].by_rank);
    for (size_t g = 0; g < count; g++)
        for (uint32_t rank = 0; rank < 12; rank++) {
            uint32_t place = INDEX_NONE;
            for (uint32_t i = groups[g].count; i-- > 0;)
                if (group_rank(&groups[g], i) == rank)
                    place = i;
            ck_assert_uint_eq(group_place(&groups[g], rank), place);
        }
    arena_destroy(arena);
}
END_TEST

START_TEST(columns_grow_up_to_the_limit)
{
    ck_assert_uint_eq(rows_grown(0), ROWS_FIRST);
    ck_assert_uint_eq(rows_grown(4096), 6144);
    ck_assert_uint_eq(rows_grown(2900000000u), ROWS_LIMIT); /* 4.35e9 do not fit 32 bits */
    for (uint32_t rows = 0; rows < ROWS_LIMIT; rows = rows_grown(rows))
        ck_assert_uint_gt(rows_grown(rows), rows);
}
END_TEST

START_TEST(times_move_with_their_neighbours)
{
    const uint64_t before[] = {100, 200, 200, 300}, after[] = {1000, 1200, 1300, 1350};
    uint64_t times[] = {90, 100, 150, 200, 250, 300, 320};
    const uint64_t expected[] = {990, 1000, 1100, 1200, 1325, 1350, 1370};
    warp_times(before, after, 4, times, 7);
    for (int i = 0; i < 7; i++)
        ck_assert_uint_eq(times[i], expected[i]);
}
END_TEST

START_TEST(ranks_are_owned_once)
{
    for (int size = 1; size < 12; size++)
        for (uint32_t ranks = 1; ranks < 20; ranks++) {
            struct processes processes = {.size = size};
            struct trace trace = {.processes = &processes, .rank_count = ranks};
            for (uint32_t r = 0; r < ranks; r++) {
                int owner = trace_owner(&trace, r);
                ck_assert_uint_le(trace_first_rank(ranks, size, owner), r);
                ck_assert_uint_gt(trace_first_rank(ranks, size, owner + 1), r);
            }
        }
}
END_TEST

/* main [ a [] MPI_Send [send] ] */
START_TEST(calls_have_many_spellings)
{
    static const char *const receives[] = {"MPI_Recv",
                                           "MPI_Recv()",
                                           "MPI_Recv() ",
                                           " MPI_Recv (...)",
                                           "mpi_recv_",
                                           "mpi_recv__",
                                           "PMPI_Recv",
                                           "pmpi_recv_()",
                                           "mpi_recv_f08_",
                                           "MPI_Recv_f08ts",
                                           "MPI_Recv() [THROTTLED]",
                                           "MPI_Recv() [{/src/a(1).c} {12,3}-{14,9}]",
                                           "MPI_Recv(int (*)(void *), int) {a.c:7}",
                                           "MPI_Recv@LIBMPI_1.0",
                                           "MPI_Recv_c(void *, int)"};
    static const char *const others[] = {
        "MPI_Recv() loop", "MPI_Recv loop", "MPI_Recv(", "MPI_",
        "my_MPI_Recv",     "PPMPI_Recv",    "",          "MPI_Rec()",
        "MPI_Recv::run",   "MPI_Receive()", "()",        "MPI_Recv(]",
        "MPI_Recv.part.0"};
    for (size_t i = 0; i < sizeof receives / sizeof *receives; i++)
        ck_assert_msg(mpi_call_from_name(receives[i]) == MPI_CALL_RECV, "%s", receives[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_msg(mpi_call_from_name(others[i]) == MPI_CALL_NONE, "%s", others[i]);
}
END_TEST

START_TEST(rows_know_their_region)
{
    uint8_t kind[] = {EVENT_ENTER, EVENT_ENTER, EVENT_LEAVE, EVENT_ENTER,
                      EVENT_SEND,  EVENT_LEAVE, EVENT_LEAVE};
    uint32_t arg[] = {0, 1, 1, 2, 0, 3, 0};
    struct stream stream = {.count = 7, .kind = kind, .arg = arg};
    const uint32_t enters[] = {0, 1, 1, 3, 3, 3, 0};
    for (uint32_t row = 0; row < 7; row++)
        ck_assert_uint_eq(stream_enter_at(&stream, row), enters[row]);
    ck_assert_uint_eq(stream_callpath_at(&stream, 4), 2);
}
END_TEST

/* The record of a new request has the stamp of its call's Enter, or a later one. */
START_TEST(stamps_of_the_enter_do_not_end_calls)
{
    const uint8_t posted[] = {EVENT_IRECV_REQUEST, EVENT_NBC_REQUEST};
    for (int i = 0; i < 2; i++) {
        uint8_t kind[] = {EVENT_ENTER, posted[i], EVENT_LEAVE};
        uint32_t arg[] = {0, 0, 0};
        uint64_t time[] = {100, 100, 350};
        struct stream stream = {.count = 3, .kind = kind, .arg = arg, .time = time};
        const struct tracer_cost cost = {.enter = 10, .record = 10, .limit = 1000};
        const struct call_rows rows = call_rows_find(&stream, 0, 2, &cost);
        ck_assert_uint_eq(rows.begin, 1);
        ck_assert_uint_eq(rows.end, 2);
        ck_assert_uint_eq(rows.lead, 20); /* both rows are written before the call */
        time[1] = 320;
        ck_assert_uint_eq(call_rows_find(&stream, 0, 2, &cost).end, 1);
    }
    /* a blocking receive after the record of its request */
    uint8_t kind[] = {EVENT_ENTER, EVENT_IRECV_REQUEST, EVENT_IRECV, EVENT_LEAVE};
    uint32_t arg[] = {0, 0, 0, 0};
    uint64_t time[] = {100, 100, 340, 350};
    struct stream stream = {.count = 4, .kind = kind, .arg = arg, .time = time};
    const struct tracer_cost cost = {.enter = 10, .record = 10, .limit = 1000};
    ck_assert_uint_eq(call_rows_find(&stream, 0, 3, &cost).end, 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trace");
    TCase *units = tcase_create("units");
    tcase_add_test(units, paths_escape_slashes);
    tcase_add_test(units, paths_may_be_deep);
    tcase_add_test(units, members_have_places);
    tcase_add_test(units, columns_grow_up_to_the_limit);
    tcase_add_test(units, times_move_with_their_neighbours);
    tcase_add_test(units, ranks_are_owned_once);
    tcase_add_test(units, calls_have_many_spellings);
    tcase_add_test(units, rows_know_their_region);
    tcase_add_test(units, stamps_of_the_enter_do_not_end_calls);
    suite_add_tcase(suite, units);
    return check_tap(suite);
}
