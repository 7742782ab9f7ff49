/* Compilers must neither drop nor vectorise the work: an empty asm statement after each operation
 * claims to change its result in place. It costs nothing. */
#include "replay/calibrate/kernels.h"

/* A double in a register, "m" where its name is not known here. */
#if defined(__x86_64__) || defined(__i386__)
#define KEEP_DOUBLE(variable) __asm__ volatile("" : "+x"(variable))
#elif defined(__aarch64__)
#define KEEP_DOUBLE(variable) __asm__ volatile("" : "+w"(variable))
#elif defined(__powerpc64__) || defined(__riscv)
#define KEEP_DOUBLE(variable) __asm__ volatile("" : "+f"(variable))
#else
#define KEEP_DOUBLE(variable) __asm__ volatile("" : "+m"(variable))
#endif
#define KEEP_INTEGER(variable) __asm__ volatile("" : "+r"(variable))

/* Eight independent operations: as many as a core needs to be busy at four cycles each, two at a
 * time. */
#define EIGHT(OPERATION) \
    OPERATION(a0)        \
    OPERATION(a1)        \
    OPERATION(a2)        \
    OPERATION(a3)        \
    OPERATION(a4)        \
    OPERATION(a5)        \
    OPERATION(a6)        \
    OPERATION(a7)

/* Eight operations, each of which needs the result of the one before. */
#define CHAIN(OPERATION) \
    OPERATION(a0)        \
    OPERATION(a0)        \
    OPERATION(a0)        \
    OPERATION(a0)        \
    OPERATION(a0)        \
    OPERATION(a0)        \
    OPERATION(a0)        \
    OPERATION(a0)

/* Defines name_few and name_many, with BODY, of 8 operations, once and three times in a loop. */
#define KERNEL_PAIR(name, attribute, SETUP, BODY)                        \
    attribute static void name##_few(uint64_t iterations, void *buffer)  \
    {                                                                    \
        (void)buffer;                                                    \
        SETUP                                                            \
        for (; iterations > 0; iterations--) {                           \
            BODY                                                         \
        }                                                                \
    }                                                                    \
    attribute static void name##_many(uint64_t iterations, void *buffer) \
    {                                                                    \
        (void)buffer;                                                    \
        SETUP                                                            \
        for (; iterations > 0; iterations--) {                           \
            BODY BODY BODY                                               \
        }                                                                \
    }
#define NO_ATTRIBUTE

/* Operands that are no powers of two, which some dividers are faster with, and results that stay
 * ordinary numbers. */
#define DOUBLES                                                                            \
    double x = 1.0000001, y = 1.23456789;                                                  \
    double a0 = 1.1, a1 = 1.2, a2 = 1.3, a3 = 1.4, a4 = 1.5, a5 = 1.6, a6 = 1.7, a7 = 1.8; \
    KEEP_DOUBLE(x);                                                                        \
    KEEP_DOUBLE(y);
#define ONE_DOUBLE /* for chains */                 \
    double x = 1.0000001, y = 1.23456789, a0 = 1.1; \
    KEEP_DOUBLE(x);                                 \
    KEEP_DOUBLE(y);
#define ADD(a) \
    a += x;    \
    KEEP_DOUBLE(a);
#define MULTIPLY(a) \
    a *= x;         \
    KEEP_DOUBLE(a);
#define MULTIPLY_ADD(a)         \
    a = __builtin_fma(a, x, y); \
    KEEP_DOUBLE(a);
/* These two have no operand that changes, so the compiler would do them once. */
#define DIVIDE(a)   \
    KEEP_DOUBLE(y); \
    a = y / x;      \
    KEEP_DOUBLE(a);
#define ROOT(a)            \
    KEEP_DOUBLE(y);        \
    a = __builtin_sqrt(y); \
    KEEP_DOUBLE(a);

KERNEL_PAIR(add, NO_ATTRIBUTE, DOUBLES, EIGHT(ADD))
KERNEL_PAIR(multiply, NO_ATTRIBUTE, DOUBLES, EIGHT(MULTIPLY))
KERNEL_PAIR(divide, NO_ATTRIBUTE, DOUBLES, EIGHT(DIVIDE))
KERNEL_PAIR(root, NO_ATTRIBUTE, DOUBLES, EIGHT(ROOT))

#if defined(__x86_64__) || defined(__i386__)
#define HAS_FMA    1
#define FMA_TARGET __attribute__((target("fma")))
KERNEL_PAIR(multiply_add, FMA_TARGET, DOUBLES, EIGHT(MULTIPLY_ADD))
KERNEL_PAIR(multiply_add_chain, FMA_TARGET, ONE_DOUBLE, CHAIN(MULTIPLY_ADD))
static bool fma_is_available(void)
{
    return __builtin_cpu_supports("fma");
}
#elif defined(__FP_FAST_FMA)
#define HAS_FMA 1
KERNEL_PAIR(multiply_add, NO_ATTRIBUTE, DOUBLES, EIGHT(MULTIPLY_ADD))
KERNEL_PAIR(multiply_add_chain, NO_ATTRIBUTE, ONE_DOUBLE, CHAIN(MULTIPLY_ADD))
static bool fma_is_available(void)
{
    return true;
}
#endif

#define INTEGERS                                                                        \
    uint64_t x = 12345, a0 = 1, a1 = 2, a2 = 3, a3 = 4, a4 = 5, a5 = 6, a6 = 7, a7 = 8; \
    KEEP_INTEGER(x);
#define ADD_INTEGER(a) \
    a += x;            \
    KEEP_INTEGER(a);
#define MULTIPLY_INTEGER(a) \
    a *= x;                 \
    KEEP_INTEGER(a);

KERNEL_PAIR(add_integer, NO_ATTRIBUTE, INTEGERS, EIGHT(ADD_INTEGER))
KERNEL_PAIR(multiply_integer, NO_ATTRIBUTE, INTEGERS, EIGHT(MULTIPLY_INTEGER))

/* Flags that are never set, which the compiler cannot know. The code after the branch cannot be
 * replaced by a conditional move. */
#define FLAGS int a0 = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0, a7 = 0, taken = 0;
#define BRANCH(a)                 \
    KEEP_INTEGER(a);              \
    if (__builtin_expect(a, 0)) { \
        taken++;                  \
        KEEP_INTEGER(taken);      \
    }

KERNEL_PAIR(branch, NO_ATTRIBUTE, FLAGS, EIGHT(BRANCH))

/* One branch on a bit of Marsaglia's xorshift generator; `mask` 0: it is never taken. */
static void branch_on_random(uint64_t iterations, uint64_t mask)
{
    uint64_t random = 88172645463325252u;
    int taken = 0;
    KEEP_INTEGER(mask);
    for (; iterations > 0; iterations--) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        if (random & mask) {
            taken++;
            KEEP_INTEGER(taken);
        }
    }
}

static void miss_few(uint64_t iterations, void *buffer)
{
    (void)buffer;
    branch_on_random(iterations, 0);
}

static void miss_many(uint64_t iterations, void *buffer)
{
    (void)buffer;
    branch_on_random(iterations, 1 << 20);
}

static __attribute__((noinline)) void do_nothing(void)
{
    __asm__ volatile("");
}

static void (*volatile const callee)(void) = do_nothing;

#define NOTHING
#define CALL(a) callee();
KERNEL_PAIR(call, NO_ATTRIBUTE, NOTHING, EIGHT(CALL))

enum { STEP = 24, PLACES = 1024 }; /* doubles; PLACES + STEP fit the buffer */

#define LOAD(i)    \
    value = at[i]; \
    KEEP_DOUBLE(value);
#define STORE(i) at[i] = value;
#define EIGHT_FROM(i, MOVE) \
    MOVE(i)                 \
    MOVE(i + 1)             \
    MOVE(i + 2)             \
    MOVE(i + 3)             \
    MOVE(i + 4)             \
    MOVE(i + 5)             \
    MOVE(i + 6)             \
    MOVE(i + 7)
#define FEW_MOVES(MOVE) EIGHT_FROM(0, MOVE)
#define MANY_MOVES(MOVE) \
    EIGHT_FROM(0, MOVE)  \
    EIGHT_FROM(8, MOVE)  \
    EIGHT_FROM(16, MOVE)

/* The loop moves through the buffer, so that lines change as in loops over arrays. */
#define MEMORY_KERNEL(name, MOVES, MOVE)                    \
    static void name(uint64_t iterations, void *buffer)     \
    {                                                       \
        double value = 1;                                   \
        size_t place = 0;                                   \
        KEEP_DOUBLE(value);                                 \
        for (; iterations > 0; iterations--) {              \
            volatile double *at = (double *)buffer + place; \
            MOVES(MOVE)                                     \
            place = (place + STEP) % PLACES;                \
        }                                                   \
    }

MEMORY_KERNEL(load_few, FEW_MOVES, LOAD)
MEMORY_KERNEL(load_many, MANY_MOVES, LOAD)
MEMORY_KERNEL(store_few, FEW_MOVES, STORE)
MEMORY_KERNEL(store_many, MANY_MOVES, STORE)

/* Chains. The results of DIVIDE_BY alternate between two numbers. ROOT_OF_SQUARE is a
 * multiplication, too, because repeated roots would end at 1. */
#define DIVIDE_BY(a) \
    a = y / a;       \
    KEEP_DOUBLE(a);
#define ROOT_OF_SQUARE(a)  \
    a *= a;                \
    KEEP_DOUBLE(a);        \
    a = __builtin_sqrt(a); \
    KEEP_DOUBLE(a);
#define ONE_INTEGER             \
    uint64_t x = 12345, a0 = 1; \
    KEEP_INTEGER(x);
#define FOLLOW(a) a = *(void *volatile *)a;
#define RING                        \
    void *cells[64], *a0 = cells;   \
    for (size_t i = 0; i < 64; i++) \
        cells[i] = &cells[(i + 1) % 64];

KERNEL_PAIR(add_chain, NO_ATTRIBUTE, ONE_DOUBLE, CHAIN(ADD))
KERNEL_PAIR(multiply_chain, NO_ATTRIBUTE, ONE_DOUBLE, CHAIN(MULTIPLY))
KERNEL_PAIR(divide_chain, NO_ATTRIBUTE, ONE_DOUBLE, CHAIN(DIVIDE_BY))
KERNEL_PAIR(root_chain, NO_ATTRIBUTE, ONE_DOUBLE, CHAIN(ROOT_OF_SQUARE))
KERNEL_PAIR(add_integer_chain, NO_ATTRIBUTE, ONE_INTEGER, CHAIN(ADD_INTEGER))
KERNEL_PAIR(multiply_integer_chain, NO_ATTRIBUTE, ONE_INTEGER, CHAIN(MULTIPLY_INTEGER))
KERNEL_PAIR(load_chain, NO_ATTRIBUTE, RING, CHAIN(FOLLOW))

/* Each place gets the value of the place before it, which has just been stored: the first iteration
 * begins where the one before has ended. */
static void carry(uint64_t iterations, volatile double *buffer, size_t step)
{
    size_t place = 0;
    for (; iterations > 0; iterations--) {
        for (size_t i = place; i < place + step; i++)
            buffer[i + 1] = buffer[i];
        place = (place + step) % PLACES;
    }
}

static void carry_few(uint64_t iterations, void *buffer)
{
    carry(iterations, buffer, STEP / 3);
}

static void carry_many(uint64_t iterations, void *buffer)
{
    carry(iterations, buffer, STEP);
}

const struct kernel chain_kernels[] = {
    {OPERATION_FLOP_ADD, add_chain_few, add_chain_many, 16, NULL},
    {OPERATION_FLOP_MUL, multiply_chain_few, multiply_chain_many, 16, NULL},
#ifdef HAS_FMA
    {OPERATION_FLOP_FMA, multiply_add_chain_few, multiply_add_chain_many, 16, fma_is_available},
#endif
    {OPERATION_FLOP_DIV, divide_chain_few, divide_chain_many, 16, NULL},
    {OPERATION_FLOP_SQRT, root_chain_few, root_chain_many, 16, NULL},
    {OPERATION_INT, add_integer_chain_few, add_integer_chain_many, 16, NULL},
    {OPERATION_INT_MUL, multiply_integer_chain_few, multiply_integer_chain_many, 16, NULL},
    {OPERATION_LOAD_L1, load_chain_few, load_chain_many, 16, NULL},
    {OPERATION_STORE, carry_few, carry_many, 16, NULL},
};
const size_t chain_kernel_count = sizeof chain_kernels / sizeof *chain_kernels;

const struct kernel kernels[] = {
    {OPERATION_FLOP_ADD, add_few, add_many, 16, NULL},
    {OPERATION_FLOP_MUL, multiply_few, multiply_many, 16, NULL},
#ifdef HAS_FMA
    {OPERATION_FLOP_FMA, multiply_add_few, multiply_add_many, 16, fma_is_available},
#endif
    {OPERATION_FLOP_DIV, divide_few, divide_many, 16, NULL},
    {OPERATION_FLOP_SQRT, root_few, root_many, 16, NULL},
    {OPERATION_INT, add_integer_few, add_integer_many, 16, NULL},
    {OPERATION_INT_MUL, multiply_integer_few, multiply_integer_many, 16, NULL},
    {OPERATION_BRANCH, branch_few, branch_many, 16, NULL},
    {OPERATION_BRANCH_MISS, miss_few, miss_many, 0.5, NULL},
    {OPERATION_CALL, call_few, call_many, 16, NULL},
    {OPERATION_LOAD_L1, load_few, load_many, 16, NULL},
    {OPERATION_STORE, store_few, store_many, 16, NULL},
};
const size_t kernel_count = sizeof kernels / sizeof *kernels;
