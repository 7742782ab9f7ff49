/* Computation that takes a factor of its time, in whole ticks. If C is the changed computation of a
 * rank up to an event, round(factor C) replaces it in the event's time. The sum is rounded, so
 * rounding errors do not add up. The arithmetic is exact, so it is the same on all processors. Also
 * in pages (live/program.h). */
#ifndef TRANSFORM_PACE_H
#define TRANSFORM_PACE_H

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* mantissa * 2^exponent */
struct exact_factor {
    uint64_t mantissa;
    int exponent;
};

static inline struct exact_factor factor_of(double factor)
{
    assert(factor >= 0 && isfinite(factor));
    int exponent;
    const double mantissa = ldexp(frexp(factor, &exponent), 53);
    return (struct exact_factor){(uint64_t)mantissa, exponent - 53};
}

/* 1 / divisor, in 64 bits. */
static inline struct exact_factor factor_inverse(double divisor)
{
    const struct exact_factor of = factor_of(divisor);
    assert(of.mantissa >> 52 == 1);
    if (of.mantissa == (uint64_t)1 << 52) /* a power of two */
        return (struct exact_factor){of.mantissa, -104 - of.exponent};
    const unsigned __int128 quotient =
        (((unsigned __int128)1 << 116) + of.mantissa / 2) / of.mantissa;
    return (struct exact_factor){(uint64_t)quotient, -116 - of.exponent};
}

/* The largest time that factors may lead to. */
#define PACE_TICKS_MOST (UINT64_MAX / 4)

/* round(factor * ticks), half a tick upwards; UINT64_MAX: more than PACE_TICKS_MOST. */
static inline uint64_t factor_ticks(struct exact_factor factor, uint64_t ticks)
{
    assert(ticks <= PACE_TICKS_MOST);
    unsigned __int128 product = (unsigned __int128)factor.mantissa * ticks;
    if (factor.exponent <= -127)
        return 0;
    if (factor.exponent < 0)
        product = (product + ((unsigned __int128)1 << (-factor.exponent - 1))) >> -factor.exponent;
    else if (factor.exponent > 63 || product > PACE_TICKS_MOST >> factor.exponent)
        return product > 0 ? UINT64_MAX : 0;
    else
        product <<= factor.exponent;
    return product > PACE_TICKS_MOST ? UINT64_MAX : (uint64_t)product;
}

/* Changes lengths one after the other, so that each sum of them becomes factor_ticks of the sum.
 * For lengths below 2^31 ticks, 64-bit arithmetic is enough; WebAssembly has no other. */
struct paced_lengths {
    uint64_t mantissa_high, mantissa_low; /* 32 bits each */
    uint64_t rest_high, rest_low;         /* that rounding has left: low is the last 32 bits */
    int shift;                            /* a tick is 2^shift units of the rest */
};

/* Whether paced_lengths_begin takes the factor. All from 1e-12 to 1e6 are taken. */
static inline bool paced_lengths_take(struct exact_factor factor)
{
    return -factor.exponent > 32 && -factor.exponent < 95;
}

static inline struct paced_lengths paced_lengths_begin(struct exact_factor factor)
{
    assert(paced_lengths_take(factor));
    return (struct paced_lengths){.mantissa_high = factor.mantissa >> 32,
                                  .mantissa_low = (uint32_t)factor.mantissa,
                                  .rest_high = (uint64_t)1 << (-factor.exponent - 33), /* half */
                                  .shift = -factor.exponent};
}

/* A length of 2^31 ticks or more. */
static inline uint64_t paced_lengths_long(struct paced_lengths *sum, uint64_t length)
{
    unsigned __int128 rest = (unsigned __int128)sum->rest_high << 32 | sum->rest_low;
    rest += ((unsigned __int128)sum->mantissa_high << 32 | sum->mantissa_low) * length;
    const uint64_t changed = (uint64_t)(rest >> sum->shift);
    rest &= ((unsigned __int128)1 << sum->shift) - 1;
    sum->rest_high = (uint64_t)(rest >> 32);
    sum->rest_low = (uint32_t)rest;
    return changed;
}

/* The next length, changed. The sum of the changed lengths is PACE_TICKS_MOST at most. */
static inline uint64_t paced_lengths_next(struct paced_lengths *sum, uint64_t length)
{
    assert(length <= PACE_TICKS_MOST);
    if (length >> 31)
        return paced_lengths_long(sum, length);
    const uint64_t low = sum->rest_low + length * sum->mantissa_low;
    const uint64_t high = sum->rest_high + length * sum->mantissa_high + (low >> 32);
    const int shift = sum->shift - 32;
    sum->rest_low = (uint32_t)low;
    sum->rest_high = high & (((uint64_t)1 << shift) - 1);
    return high >> shift;
}

#endif
