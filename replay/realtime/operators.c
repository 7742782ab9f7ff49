#include "replay/realtime/operators.h"

#include "base/each_of_32.h"

#include <stdlib.h>
#include <string.h>

/* MPI does not tell a function which operator it is called for, so there is one for each. */
enum { OPERATORS = 32 };

struct operator_times {
    uint64_t *sizes_and_ticks; /* kept until the process ends, for equal operators made later */
    uint32_t count;
};

static struct operator_times operators[OPERATORS];
static int operators_made;
static struct clock operator_clock; /* of all of them */

static double ticks_of(const struct operator_times *times, double bytes)
{
    const uint64_t *at = times->sizes_and_ticks;
    if (times->count == 0)
        return 0;
    for (uint32_t i = 2; i < times->count; i += 2)
        if (bytes < (double)at[i] && at[i] > at[i - 2]) {
            const double from = (double)at[i - 2], part = (bytes - from) / ((double)at[i] - from);
            return part <= 0 ? (double)at[1]
                             : (double)at[i - 1] + part * ((double)at[i + 1] - (double)at[i - 1]);
        }
    const uint64_t *last = at + times->count - 2;
    return bytes > (double)last[0] && last[0] > 0 ? (double)last[1] * (bytes / (double)last[0])
                                                  : (double)last[1];
}

static void take_time(int index, const int *count, MPI_Datatype type)
{
    const uint64_t begin = clock_now(&operator_clock);
    int size = 0;
    MPI_Type_size(type, &size);
    const uint64_t ticks = (uint64_t)ticks_of(&operators[index], (double)*count * size);
    while (clock_now(&operator_clock) - begin < ticks)
        ;
}

#define X(index)                                                                       \
    static void operate_##index(void *in, void *inout, int *count, MPI_Datatype *type) \
    {                                                                                  \
        (void)in;                                                                      \
        (void)inout;                                                                   \
        take_time(index, count, *type);                                                \
    }
EACH_OF_32(X)
#undef X

static MPI_User_function *const functions[OPERATORS] = {
#define X(index) operate_##index,
    EACH_OF_32(X)
#undef X
};

/* The index of a function with these times; -1: there are too many, or out of memory. */
static int find_times(const uint64_t *times, uint32_t count)
{
    int index = 0;
    while (index < operators_made &&
           (operators[index].count != count ||
            (count && memcmp(operators[index].sizes_and_ticks, times, count * sizeof *times))))
        index++;
    if (index < operators_made || index == OPERATORS)
        return index < OPERATORS ? index : -1;
    uint64_t *copy = malloc((count + 1) * sizeof *copy);
    if (!copy)
        return -1;
    if (count)
        memcpy(copy, times, count * sizeof *copy);
    operators[operators_made++] = (struct operator_times){copy, count};
    return index;
}

MPI_Op operator_make(bool commutes, const uint64_t *times, uint32_t count, double ticks_scale,
                     const struct clock *running)
{
    MPI_Op made = MPI_OP_NULL;
    uint64_t *scaled = malloc((count + 1) * sizeof *scaled);
    for (uint32_t i = 0; scaled && i < count; i++)
        scaled[i] = i % 2 ? (uint64_t)((double)times[i] * ticks_scale + 0.5) : times[i];
    const int index = scaled ? find_times(scaled, count - count % 2) : -1;
    operator_clock = *running;
    if (index >= 0)
        MPI_Op_create(functions[index], commutes, &made);
    free(scaled);
    return made;
}
