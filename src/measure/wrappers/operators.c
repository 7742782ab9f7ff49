#include "measure/wrappers/operators.h"

#include "measure/wrappers/datatypes.h"

#include "base/each_of_32.h"
#include "base/map.h"
#include "base/sort.h"

#include <stdlib.h>

/* Functions of the program that can be measured. Further ones are called directly, and reductions
 * by them are recorded without an operator. */
enum { FUNCTIONS = 32 };

/* Sizes are sorted into classes by their number of binary digits. For each, the last calls count.
 */
enum { SIZE_CLASSES = 40, CALLS_KEPT = 64 };

struct operator_call {
    uint64_t bytes, ticks;
};

struct size_class {
    struct operator_call calls[CALLS_KEPT];
    uint64_t count; /* of all calls */
};

/* A function, whose operators differ in whether they commute. */
struct reducing_function {
    MPI_User_function *function;
    struct size_class *classes[SIZE_CLASSES]; /* NULL: no call yet */
    uint32_t numbers[2];                      /* of its operators; RECORD_NONE: not defined */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static struct reducing_function functions[FUNCTIONS];
static int function_count;
static struct map operators; /* handle -> number */
static uint32_t operator_count;

/* Notes the time of a call. It is lost if out of memory. */
static void note_operator_call(struct reducing_function *function, uint64_t bytes, uint64_t ticks)
{
    const int class = bytes ? 64 - __builtin_clzll(bytes) : 0;
    if (class >= SIZE_CLASSES)
        return;
    pthread_mutex_lock(&mutex);
    struct size_class *calls = function->classes[class];
    if (!calls)
        calls = function->classes[class] = calloc(1, sizeof *calls);
    if (calls)
        calls->calls[calls->count++ % CALLS_KEPT] = (struct operator_call){bytes, ticks};
    pthread_mutex_unlock(&mutex);
}

static void call_function(int index, void *in, void *inout, int *count, MPI_Datatype *type)
{
    struct reducing_function *function = &functions[index];
    const uint64_t bytes = (uint64_t)*count * type_size(*type);
    const uint64_t begin = record_now();
    function->function(in, inout, count, type);
    note_operator_call(function, bytes, record_now() - begin);
}

/* MPI does not tell a function which operator it is called for, so there is one for each function
 * of the program, which MPI calls instead. */
#define X(index)                                                                    \
    static void call_##index(void *in, void *inout, int *count, MPI_Datatype *type) \
    {                                                                               \
        call_function(index, in, inout, count, type);                               \
    }
EACH_OF_32(X)
#undef X

static MPI_User_function *const callers[FUNCTIONS] = {
#define X(index) call_##index,
    EACH_OF_32(X)
#undef X
};

/* The index of the function; -1 if it cannot be measured. */
static int measured_function(MPI_User_function *function)
{
    int index = 0;
    if (measurement_state != MEASUREMENT_FILES || !function)
        return -1;
    pthread_mutex_lock(&mutex);
    while (index < function_count && functions[index].function != function)
        index++;
    if (index == FUNCTIONS) {
        index = -1;
    } else if (index == function_count) {
        functions[index].function = function;
        functions[index].numbers[0] = functions[index].numbers[1] = RECORD_NONE;
        function_count++;
    }
    pthread_mutex_unlock(&mutex);
    return index;
}

static void add_operator(int index, bool commutes, MPI_Op op)
{
    pthread_mutex_lock(&mutex);
    uint32_t *number = &functions[index].numbers[commutes];
    const bool added = *number == RECORD_NONE;
    if (added)
        *number = operator_count++;
    const bool room = map_set(&operators, (uintptr_t)op, *number);
    pthread_mutex_unlock(&mutex);
    if (added)
        define_operator(*number, commutes, NULL, 0);
    if (!room)
        measurement_out_of_memory();
}

uint32_t operator_number(MPI_Op op)
{
    pthread_mutex_lock(&mutex);
    const uint32_t number = operators.count ? map_get(&operators, (uintptr_t)op) : RECORD_NONE;
    pthread_mutex_unlock(&mutex);
    return number;
}

static_assert(MAP_NONE == RECORD_NONE, "operator_number");

ORDER_BY(by_ticks, struct operator_call, ASCENDING(ticks))

/* Writes the mean size and the mean ticks of the calls of a class. Calls that took more than
 * three times as long as the median do not count: the process had lost its core. */
static void write_class_means(struct size_class *class, uint64_t *means)
{
    const uint64_t kept = class->count < CALLS_KEPT ? class->count : CALLS_KEPT;
    uint64_t bytes = 0, ticks = 0, count = 0;
    assert(kept > 0);
    qsort(class->calls, kept, sizeof class->calls[0], by_ticks);
    const uint64_t longest = 3 * class->calls[kept / 2].ticks;
    for (; count < kept && class->calls[count].ticks <= longest; count++) {
        bytes += class->calls[count].bytes;
        ticks += class->calls[count].ticks;
    }
    assert(count > 0); /* the median counts */
    means[0] = bytes / count;
    means[1] = ticks / count;
}

void operators_define(void)
{
    uint64_t means[2 * SIZE_CLASSES];
    for (int i = 0; i < function_count; i++) {
        const struct reducing_function *function = &functions[i];
        size_t count = 0;
        pthread_mutex_lock(&mutex);
        for (int class = 0; class < SIZE_CLASSES; class ++)
            if (function->classes[class]) {
                write_class_means(function->classes[class], means + count);
                count += 2;
            }
        pthread_mutex_unlock(&mutex);
        for (int commutes = 0; commutes < 2; commutes++)
            if (function->numbers[commutes] != RECORD_NONE)
                define_operator(function->numbers[commutes], commutes, means, count);
    }
}

CALL_EXPORTED int MPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op)
{
    const int index = measured_function(user_fn);
    const int result = PMPI_Op_create(index < 0 ? user_fn : callers[index], commute, op);
    if (result == MPI_SUCCESS && index >= 0)
        add_operator(index, commute != 0, *op);
    return result;
}

CALL_EXPORTED int MPI_Op_free(MPI_Op *op)
{
    pthread_mutex_lock(&mutex);
    map_take(&operators, (uintptr_t)*op);
    pthread_mutex_unlock(&mutex);
    return PMPI_Op_free(op);
}
