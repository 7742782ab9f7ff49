/* The table of collective operations: bytes and blocks, and which member waits for which. */
#include "../check_tap.h"

#include "base/mpi_call.h"
#include "trace/calls/collective_operations.h"

#include <otf2/OTF2_Events.h>
#include <stdio.h>

enum { BLOCK = 24, TYPE = 8 };

static struct collective recorded(enum collective_op op, uint32_t root, uint32_t size, uint32_t me)
{
    struct collective collective = {
        .op = (uint8_t)op,
        .root = collective_op_is_rooted(op) ? root : ROOT_NONE,
        .type_size = TYPE,
    };
    collective_set_block(&collective, BLOCK, size, me);
    return collective;
}

START_TEST(every_operation_has_a_row)
{
    for (int op = 0; op < COLLECTIVE_OP_COUNT; op++)
        ck_assert_ptr_nonnull(collective_operations[op].name);
    ck_assert_str_eq(collective_op_name(COLLECTIVE_REDUCE_SCATTER_BLOCK), "reduce_scatter_block");
    ck_assert_str_eq(collective_op_name(COLLECTIVE_OP_COUNT), "unknown collective operation");
}
END_TEST

START_TEST(numbers_are_those_of_otf2)
{
#define CHECK(op) ck_assert_int_eq((int)COLLECTIVE_##op, (int)OTF2_COLLECTIVE_OP_##op)
    CHECK(BARRIER);
    CHECK(BCAST);
    CHECK(GATHER);
    CHECK(GATHERV);
    CHECK(SCATTER);
    CHECK(SCATTERV);
    CHECK(ALLGATHER);
    CHECK(ALLGATHERV);
    CHECK(ALLTOALL);
    CHECK(ALLTOALLV);
    CHECK(ALLTOALLW);
    CHECK(ALLREDUCE);
    CHECK(REDUCE);
    CHECK(REDUCE_SCATTER);
    CHECK(SCAN);
    CHECK(EXSCAN);
    CHECK(REDUCE_SCATTER_BLOCK);
    CHECK(CREATE_HANDLE);
    CHECK(DESTROY_HANDLE);
    CHECK(ALLOCATE);
    CHECK(DEALLOCATE);
    CHECK(CREATE_HANDLE_AND_ALLOCATE);
    CHECK(DESTROY_HANDLE_AND_DEALLOCATE);
}
END_TEST

START_TEST(calls_have_the_operation_of_their_name)
{
    ck_assert_int_eq(mpi_call_infos[MPI_CALL_BCAST].operation, COLLECTIVE_BCAST);
    ck_assert_int_eq(mpi_call_infos[MPI_CALL_IALLTOALLW].operation, COLLECTIVE_ALLTOALLW);
    ck_assert_int_eq(mpi_call_infos[MPI_CALL_INEIGHBOR_ALLGATHERV].operation,
                     COLLECTIVE_ALLGATHERV);
    ck_assert_int_eq(mpi_call_infos[MPI_CALL_COMM_IDUP].operation, COLLECTIVE_CREATE_HANDLE);
    ck_assert_int_eq(mpi_call_infos[MPI_CALL_COMM_FREE].operation, COLLECTIVE_DESTROY_HANDLE);
    ck_assert_int_eq(mpi_call_infos[MPI_CALL_SEND].operation, COLLECTIVE_OP_COUNT);
}
END_TEST

/* "a": others wait for the member; "w": it waits for others; "s": for those of lower rank only. */
static const char *role_of(enum collective_op op, enum root_side side, bool sends, bool receives)
{
    static char text[4];
    const struct collective_role role = collective_op_role(op, side, sends, receives);
    snprintf(text, sizeof text, "%s%s%s", role.arrives ? "a" : "", role.waits ? "w" : "",
             role.scans ? "s" : "");
    return text;
}

START_TEST(roles_follow_from_the_flow)
{
    ck_assert_str_eq(role_of(COLLECTIVE_BARRIER, SIDE_WITHOUT_ROOT, false, false), "aw");
    ck_assert_str_eq(role_of(COLLECTIVE_ALLREDUCE, SIDE_WITHOUT_ROOT, false, false), "aw");
    ck_assert_str_eq(role_of(COLLECTIVE_ALLTOALLV, SIDE_WITHOUT_ROOT, true, false), "a");
    ck_assert_str_eq(role_of(COLLECTIVE_ALLGATHERV, SIDE_WITHOUT_ROOT, false, true), "w");
    ck_assert_str_eq(role_of(COLLECTIVE_EXSCAN, SIDE_WITHOUT_ROOT, false, false), "aws");
    ck_assert_str_eq(role_of(COLLECTIVE_SCATTERV, SIDE_ROOT, true, true), "a");
    ck_assert_str_eq(role_of(COLLECTIVE_SCATTERV, SIDE_MEMBER, false, false), "w");
    ck_assert_str_eq(role_of(COLLECTIVE_BCAST, SIDE_OUTSIDE, true, true), "");
    ck_assert_str_eq(role_of(COLLECTIVE_REDUCE, SIDE_ROOT, true, true), "w");
    ck_assert_str_eq(role_of(COLLECTIVE_REDUCE, SIDE_MEMBER, false, false), "a");
    ck_assert_str_eq(role_of(COLLECTIVE_GATHERV, SIDE_MEMBER, true, false), "a");
    ck_assert_str_eq(role_of(COLLECTIVE_GATHERV, SIDE_MEMBER, false, false), "");
    ck_assert_str_eq(role_of(COLLECTIVE_GATHERV, SIDE_WITHOUT_ROOT, true, true), "aw");
}
END_TEST

START_TEST(blocks_come_back_from_bytes)
{
    for (enum collective_op op = COLLECTIVE_BCAST; op <= COLLECTIVE_REDUCE_SCATTER_BLOCK; op++)
        for (uint32_t size = 2; size <= 5; size++)
            for (uint32_t me = 0; me < size; me++) {
                struct collective collective = recorded(op, size - 1, size, me);
                ck_assert_int_eq(collective_block(&collective, size, me), BLOCK);
            }
}
END_TEST

/* As Score-P counts: to and from itself, too. */
START_TEST(bytes_are_those_of_the_dialect)
{
    struct collective root = recorded(COLLECTIVE_BCAST, 1, 4, 1);
    ck_assert_uint_eq(root.sent, 4 * BLOCK);
    ck_assert_uint_eq(root.received, BLOCK);
    struct collective reduced = recorded(COLLECTIVE_REDUCE, 1, 4, 0);
    ck_assert_uint_eq(reduced.sent, BLOCK);
    ck_assert_uint_eq(reduced.received, 0);
    struct collective scanned = recorded(COLLECTIVE_SCAN, 0, 4, 1);
    ck_assert_uint_eq(scanned.sent, 3 * BLOCK);
    ck_assert_uint_eq(scanned.received, 2 * BLOCK);
    struct collective before = recorded(COLLECTIVE_EXSCAN, 0, 4, 1);
    ck_assert_uint_eq(before.sent, 2 * BLOCK);
    ck_assert_uint_eq(before.received, BLOCK);
    struct collective barrier = recorded(COLLECTIVE_BARRIER, 0, 4, 1);
    ck_assert_uint_eq(barrier.sent + barrier.received, 0);
}
END_TEST

/* MPI_IN_PLACE as the tracer records it: the own part does not count. */
START_TEST(blocks_of_calls_in_place_come_back_too)
{
    static const enum collective_op ops[] = {
        COLLECTIVE_GATHER,    COLLECTIVE_SCATTER,   COLLECTIVE_ALLGATHER,
        COLLECTIVE_ALLTOALL,  COLLECTIVE_ALLTOALLV, COLLECTIVE_ALLREDUCE,
        COLLECTIVE_REDUCE,    COLLECTIVE_SCAN,      COLLECTIVE_REDUCE_SCATTER_BLOCK,
        COLLECTIVE_ALLGATHERV};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        for (uint32_t size = 2; size <= 5; size++)
            for (uint32_t me = 0; me < size; me++) {
                if (collective_op_is_rooted(ops[i]) && me != size - 1)
                    continue; /* only the root's call may be in place */
                struct collective collective = {.op = (uint8_t)ops[i],
                                                .root = collective_op_is_rooted(ops[i]) ? me
                                                                                        : ROOT_NONE,
                                                .flags = COLLECTIVE_IN_PLACE};
                collective_set_block(&collective, BLOCK, size, me);
                ck_assert_int_eq(collective_block(&collective, size, me), BLOCK);
            }
}
END_TEST

/* 8 MiB each: the figures. Unknown, it stays an estimate. */
START_TEST(an_allreduce_in_place_keeps_its_size)
{
    const int64_t eight = 8 << 20;
    for (uint32_t size = 2; size <= 4; size += 2) {
        struct collective collective = {.op = COLLECTIVE_ALLREDUCE,
                                        .root = ROOT_NONE,
                                        .flags = COLLECTIVE_IN_PLACE,
                                        .type_size = 8};
        collective_set_block(&collective, (uint64_t)eight, size, 0);
        ck_assert_uint_eq(collective.sent, (uint64_t)(size - 1) * (uint64_t)eight);
        ck_assert_int_eq(collective_block(&collective, size, 0), eight);
        collective.flags = COLLECTIVE_MAYBE_IN_PLACE;
        ck_assert_int_eq(collective_block(&collective, size, 0),
                         size == 2 ? eight / 2 : eight / 4 * 3);
    }
    struct collective odd = {.op = COLLECTIVE_ALLREDUCE,
                             .root = ROOT_NONE,
                             .sent = 8,
                             .received = 8,
                             .flags = COLLECTIVE_MAYBE_IN_PLACE,
                             .type_size = 8};
    ck_assert_int_eq(collective_block(&odd, 2, 0), 8); /* half an element is none */
}
END_TEST

START_TEST(a_reduce_scatter_in_place_counts_its_own_part)
{
    /* three members with 16, 24 and 32 bytes; this is the second */
    struct collective collective = {.op = COLLECTIVE_REDUCE_SCATTER,
                                    .root = ROOT_NONE,
                                    .flags = COLLECTIVE_IN_PLACE,
                                    .sent = 48,
                                    .received = 48};
    ck_assert_int_eq(collective_block(&collective, 3, 1), 72);
}
END_TEST

/* A member of an Alltoallv exchanges different amounts with each: their mean is its block. */
START_TEST(a_block_of_uneven_parts_is_their_mean)
{
    struct collective uneven = {
        .op = COLLECTIVE_ALLTOALLV, .root = ROOT_NONE, .sent = 4096, .received = 1024};
    ck_assert_int_eq(collective_block(&uneven, 4, 2), 1024);
}
END_TEST

START_TEST(the_root_of_the_other_group_shows_the_block)
{
    struct collective root = {.op = COLLECTIVE_GATHER, .root = ROOT_SELF, .received = 3 * BLOCK};
    ck_assert_int_eq(collective_block(&root, 3, 0), BLOCK);
    struct collective scatters = {.op = COLLECTIVE_SCATTER, .root = ROOT_SELF, .sent = 3 * BLOCK};
    ck_assert_int_eq(collective_block(&scatters, 3, 0), BLOCK);
}
END_TEST

START_TEST(members_wait_for_whose_data_they_need)
{
    static const struct order_member begins[] = {{50, true, true, false},
                                                 {100, true, true, true},
                                                 {70, true, true, false},
                                                 {20, true, true, false}};
    int64_t limits[4];
    collective_limits(COLLECTIVE_BARRIER, begins, 4, limits);
    ck_assert_int_eq(limits[3], 100);
    collective_limits(COLLECTIVE_BCAST, begins, 4, limits);
    ck_assert_int_eq(limits[0], 100);
    ck_assert_int_eq(limits[1], INT64_MIN);
    collective_limits(COLLECTIVE_REDUCE, begins, 4, limits);
    ck_assert_int_eq(limits[0], INT64_MIN);
    ck_assert_int_eq(limits[1], 70);
    collective_limits(COLLECTIVE_SCAN, begins, 4, limits);
    ck_assert_int_eq(limits[0], 50);
    ck_assert_int_eq(limits[3], 100);
    collective_limits(COLLECTIVE_ALLTOALLV, begins, 4, limits);
    ck_assert_int_eq(limits[2], INT64_MIN);
    collective_caps(COLLECTIVE_SCAN, begins, 4, limits);
    ck_assert_int_eq(limits[0], 20);
    collective_caps(COLLECTIVE_BCAST, begins, 4, limits);
    ck_assert_int_eq(limits[0], INT64_MAX);
    ck_assert_int_eq(limits[1], 20);
}
END_TEST

int main(void)
{
    TCase *table = tcase_create("table");
    tcase_add_test(table, every_operation_has_a_row);
    tcase_add_test(table, numbers_are_those_of_otf2);
    tcase_add_test(table, calls_have_the_operation_of_their_name);
    tcase_add_test(table, roles_follow_from_the_flow);
    tcase_add_test(table, blocks_come_back_from_bytes);
    tcase_add_test(table, bytes_are_those_of_the_dialect);
    tcase_add_test(table, blocks_of_calls_in_place_come_back_too);
    tcase_add_test(table, an_allreduce_in_place_keeps_its_size);
    tcase_add_test(table, a_reduce_scatter_in_place_counts_its_own_part);
    tcase_add_test(table, a_block_of_uneven_parts_is_their_mean);
    tcase_add_test(table, the_root_of_the_other_group_shows_the_block);
    tcase_add_test(table, members_wait_for_whose_data_they_need);
    Suite *suite = suite_create("collective operations");
    suite_add_tcase(suite, table);
    return check_tap(suite);
}
