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
        return (struct exact_factor){1, -52 - of.exponent};
    const unsigned __int128 quotient =
        (((unsigned __int128)1 << 116) + of.mantissa / 2) / of.mantissa;
    return (struct exact_factor){(uint64_t)quotient, -116 - of.exponent};
}

/* The largest time that factors may lead to. */
#define PACE_TICKS_MOST (UINT64_MAX / 4)

#ifdef __wasm__
/* factor_ticks for usual factors and times by 64-bit arithmetic, because WebAssembly has no other.
 * False: not usual. */
static inline bool factor_ticks_usual(struct exact_factor factor, uint64_t ticks, uint64_t *result)
{
    const int shift = -factor.exponent;
    if (ticks >> 52 || factor.mantissa >> 53 || shift < 1 || shift > 63)
        return false;
    const uint64_t a = ticks >> 32, b = (uint32_t)ticks;
    const uint64_t c = factor.mantissa >> 32, d = (uint32_t)factor.mantissa;
    const uint64_t middle = a * d + b * c, half = (uint64_t)1 << (shift - 1);
    uint64_t low = b * d, high = a * c + (middle >> 32);
    low += middle << 32;
    high += low < middle << 32;
    low += half;
    high += low < half;
    *result = high << (64 - shift) | low >> shift;
    return high >> shift == 0 && *result <= PACE_TICKS_MOST;
}
#endif

/* round(factor * ticks), half a tick upwards; UINT64_MAX: more than PACE_TICKS_MOST. */
static inline uint64_t factor_ticks(struct exact_factor factor, uint64_t ticks)
{
    assert(ticks <= PACE_TICKS_MOST);
#ifdef __wasm__
    uint64_t result;
    if (factor_ticks_usual(factor, ticks, &result))
        return result;
#endif
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

#endif
