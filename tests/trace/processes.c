/* Agreement and bulk exchange, on any number of processes. */
#include "../mpi_check.h"

#include "base/array.h"
#include "base/mpi/exchange.h"
#include "base/mpi/handles.h"

#include <string.h>

/* Everyone sends (p + q) % 3 * 1000 numbers of value p to q; some pairs nothing. */
static void exchange(const struct processes *p)
{
    struct exchange exchange = exchange_open(p, sizeof p->rank, "the test");
    struct received in;
    struct error error;
    for (int q = 0; q < p->size; q++)
        for (int i = 0; i < (p->rank + q) % 3 * 1000; i++)
            exchange_put(&exchange, q, &p->rank);
    int right = exchange_run(&exchange, &in, &error) == STATUS_OK;
    const int *received = in.items;
    size_t at = 0;
    for (int q = 0; right && q < p->size; q++)
        for (int i = 0; i < (p->rank + q) % 3 * 1000; i++, at++)
            right &= at < in.count && received[at] == q;
    mpi_check(right && at == in.count,
              "all processes receive the data, in the order of the senders");
    free(in.items);
}

/* Only some send at all, and one message is larger than others: to the next but one. */
static void exchange_few(const struct processes *p)
{
    size_t length = 3 << 20;
    char *data = calloc(length, 1);
    struct error error;
    int to = (p->rank + 2) % p->size, from = (p->rank + 2 * p->size - 2) % p->size, right = 1;
    for (int round = 0; round < 20; round++) { /* rounds must not get into each other */
        struct exchange exchange = exchange_open(p, length, "the test");
        struct received in;
        bool sends = p->rank % 2 == 0, receives = from % 2 == 0;
        data[0] = (char)(round + p->rank);
        if (sends)
            exchange_put(&exchange, to, data);
        right &= exchange_run(&exchange, &in, &error) == STATUS_OK;
        right &=
            in.count == receives && (!receives || ((char *)in.items)[0] == (char)(round + from));
        free(in.items);
    }
    mpi_check(right, "what few send arrives, in the same round");
    free(data);
}

/* The last process lacks memory: no process receives anything, all get the same error. */
static void exchange_fails(const struct processes *p)
{
    struct exchange exchange = exchange_open(p, 1, "the test of exchanges");
    struct received in;
    struct error error = {0};
    exchange_put(&exchange, 0, "x");
    exchange_check(&exchange, p->rank < p->size - 1);
    enum status status = exchange_run(&exchange, &in, &error);
    mpi_check(status == STATUS_ENVIRONMENT && in.count == 0 && !in.items &&
                  strstr(error.text, "the test of exchanges"),
              "where one process lacks memory, all fail with its error");
    exchange_close(&exchange);
    status = processes_agree(p, STATUS_OK, &error);
    mpi_check(status == STATUS_OK, "the processes can communicate afterwards");
}

/* Blocks of different sizes, some empty, stand in order of the processes. */
static void gather(const struct processes *p)
{
    const char *text = "abcdefgh";
    size_t *sizes = calloc((size_t)p->size, sizeof *sizes), size, at = 0;
    char *received;
    struct error error;
    int right =
        exchange_gather(p, text, (size_t)p->rank % 3, &received, &size, sizes, &error) == STATUS_OK;
    for (int q = 0; right && p->rank == 0 && q < p->size; at += (size_t)q++ % 3)
        right &= sizes[q] == (size_t)q % 3 && memcmp(received + at, text, sizes[q]) == 0;
    right &= p->rank == 0 ? size == at : !received && size == 0;
    mpi_check(right, "process 0 gets the data of all, in their order");
    free(received);
    free(sizes);
}

/* Process p comes with p % 3 * 700 records, so some with none. */
static void share(const struct processes *p)
{
    struct record {
        int owner, number, more;
    };
    ARRAY(struct record) all = {0};
    struct error error;
    bool right = true;
    for (int i = 0; i < p->rank % 3 * 700; i++)
        right &= array_push(&all, ((struct record){p->rank, i, p->rank + 7}));
    right &= processes_share(p, &all, "the test", &error) == STATUS_OK;
    size_t at = 0;
    for (int q = 0; q < p->size; q++)
        for (int i = 0; i < q % 3 * 700 && right; i++, at++)
            right &= at < all.count && all.items[at].owner == q && all.items[at].number == i &&
                     all.items[at].more == q + 7;
    mpi_check(right && at == all.count, "all have what each has, in order of processes");
    free(all.items);
}

static void agree(const struct processes *p)
{
    struct error error = {.status = STATUS_OK};
    mpi_check(processes_agree(p, STATUS_OK, &error) == STATUS_OK, "no error, no disagreement");
    enum status mine = STATUS_OK;
    int last = p->size - 1;
    if (p->rank == last)
        mine = error_set(&error, STATUS_ENVIRONMENT, "disk %d full", p->rank);
    mine = processes_agree(p, mine, &error);
    char expected[32];
    snprintf(expected, sizeof expected, "disk %d full", last);
    mpi_check(mine == STATUS_ENVIRONMENT && strcmp(error.text, expected) == 0,
              "one process's error is everybody's");
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    mpi_check_begin(&argc, &argv);
    mpi_check(processes_open(&processes, MPI_COMM_WORLD, &error) == STATUS_OK, "opened");
    agree(&processes);
    exchange(&processes);
    exchange_few(&processes);
    exchange_fails(&processes);
    gather(&processes);
    share(&processes);
    int64_t values[] = {processes.rank, -processes.rank};
    processes_max(&processes, values, 2);
    mpi_check(values[0] == processes.size - 1 && values[1] == 0, "maximum over all");
    processes_close(&processes);
    return mpi_check_end();
}
