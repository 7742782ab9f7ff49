/* EMPTY-MESSAGES: particles that leave a rank's cells go to the neighbours, by one message for each
 * of many kinds of particles, after each half of a time step. Nearly all of these messages are
 * empty. They cost time themselves, and each exchange synchronises neighbours that are alternately
 * slow and fast. With --fixed no empty message is sent: both sides know which kinds cannot move. */
#include "examples/example.h"
#include <silas/region.h>

enum { KINDS = 32, LEAVING = 4 };

/* How much longer than the mean a slow part takes, and how much shorter a fast one. */
static const double VARIATION = 0.3;

static void push(const struct example *example)
{
    double share = 1 + (example->rank % 2 == 0 ? VARIATION : -VARIATION);
    SILAS_REGION_BEGIN("push");
    compute(share * 0.5 * example->work_s);
    SILAS_REGION_END("push");
}

static void deposit(const struct example *example)
{
    double share = 1 + (example->rank % 2 == 0 ? -VARIATION : VARIATION);
    SILAS_REGION_BEGIN("deposit");
    compute(share * 0.5 * example->work_s);
    SILAS_REGION_END("deposit");
}

/* One message around the ring; returns whether its contents are right. Only the first kind of every
 * eighth iteration moves. */
static bool exchange_kind(const struct example *example, int iteration, int kind)
{
    int sent[LEAVING], received[LEAVING] = {0}, count = 0;
    int count_sent = kind == 0 && iteration % 8 == 7 ? LEAVING : 0;
    int left = (example->rank + example->size - 1) % example->size;
    int right = (example->rank + 1) % example->size;
    MPI_Status status;
    if (count_sent == 0 && example->fixed)
        return true;
    for (int i = 0; i < LEAVING; i++)
        sent[i] = example->rank;
    MPI_Sendrecv(sent, count_sent, MPI_INT, right, kind, received, LEAVING, MPI_INT, left, kind,
                 MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    return count == count_sent && (count == 0 || received[LEAVING - 1] == left);
}

static bool exchange_particles(const struct example *example, int iteration)
{
    bool correct = true;
    SILAS_REGION_BEGIN("exchange_particles");
    for (int kind = 0; kind < KINDS; kind++)
        correct = exchange_kind(example, iteration, kind) && correct;
    SILAS_REGION_END("exchange_particles");
    return correct;
}

int main(int argc, char **argv)
{
    struct example example = {
        .name = "empty-messages",
        .description = "Particles move to the neighbours by many messages, nearly all empty.",
        .fix = "fixed",
        .fix_description = "skips the messages that are empty",
        .iterations = 96,
        .work_s = 0.006,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;

    bool correct = true;
    for (int i = 0; i < example.iterations; i++) {
        push(&example);
        correct = exchange_particles(&example, i) && correct;
        deposit(&example);
        correct = exchange_particles(&example, i) && correct;
    }
    example_report(&example);
    return example_end(&example, correct);
}
