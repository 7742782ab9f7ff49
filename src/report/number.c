/* A double is m x 2^-s, m < 2^53. Of one that is not whole and not below SMALLEST, m x 10^k with 17
 * digits before the point has less than 128 bits: so its digits, and what is left behind them, are
 * found by a multiplication and a shift, without any error. */
#include "report/number.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 17, MANTISSA_BITS = 52, EXPONENT_BIAS = 1075 };

#define SMALLEST 0x1p-19            /* 10^22 is the largest power of ten that is needed */
#define WHOLE    9007199254740992.0 /* 2^53 */
#define LEAST    ((uint64_t)10000000000000000u) /* of 17 digits */

typedef unsigned __int128 wide;

struct decimal {
    uint64_t digits; /* 17 of them */
    int exponent;    /* the first one stands for 10^exponent */
};

static wide power_of_ten(int exponent)
{
    static const uint64_t powers[] = {1,       10,       100,       1000,       10000,      100000,
                                      1000000, 10000000, 100000000, 1000000000, 10000000000};
    enum { MOST = 10 };
    wide power = 1;
    for (; exponent > MOST; exponent -= MOST)
        power *= powers[MOST];
    return power * powers[exponent];
}

/* Rounds as printf does: to the nearest, of two that are equally near to the even one. */
static struct decimal find_digits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int shift = EXPONENT_BIAS - (int)(bits >> MANTISSA_BITS);
    const uint64_t one = (uint64_t)1 << MANTISSA_BITS, mantissa = (bits & (one - 1)) | one;
    /* Of 2^(52 - shift), which is not above the value: right, or one too little. */
    struct decimal decimal = {0, ((MANTISSA_BITS - shift) * 1233 >> 12) - 1};
    wide product;
    do {
        decimal.exponent++;
        product = mantissa * power_of_ten(DIGITS - 1 - decimal.exponent);
        decimal.digits = (uint64_t)(product >> shift);
    } while (decimal.digits >= 10 * LEAST);
    wide rest = product & (((wide)1 << shift) - 1), half = (wide)1 << (shift - 1);
    decimal.digits += rest > half || (rest == half && (decimal.digits & 1));
    if (decimal.digits == 10 * LEAST)
        decimal = (struct decimal){LEAST, decimal.exponent + 1};
    return decimal;
}

/* The digits of a whole number that is not 0, their count. */
static int write_digits(uint64_t number, char *text)
{
    char reversed[20];
    int count = 0;
    for (; number > 0; number /= 10)
        reversed[count++] = (char)('0' + number % 10);
    for (int i = 0; i < count; i++)
        text[i] = reversed[count - 1 - i];
    return count;
}

/* "%.17g" of a value from SMALLEST up to WHOLE that is not whole. */
static char *write_fraction(double value, char *text)
{
    struct decimal decimal = find_digits(value);
    char digits[20];
    int count = write_digits(decimal.digits, digits), before = decimal.exponent + 1;
    while (digits[count - 1] == '0')
        count--;
    if (decimal.exponent < -4) {
        *text++ = digits[0];
        if (count > 1) {
            *text++ = '.';
            memcpy(text, digits + 1, (size_t)count - 1);
            text += count - 1;
        }
        memcpy(text, "e-0", 3);
        text[3] = (char)('0' - decimal.exponent);
        return text + 4;
    }
    for (int i = 0; i < before; i++)
        *text++ = i < count ? digits[i] : '0';
    if (before <= 0)
        *text++ = '0';
    if (before < count)
        *text++ = '.';
    for (int i = before; i < count; i++)
        *text++ = i < 0 ? '0' : digits[i];
    return text;
}

size_t number_print(double value, char text[NUMBER_SIZE])
{
    const double size = value < 0 ? -value : value;
    char *end = text;
    if (!(size >= SMALLEST && size < WHOLE))
        return (size_t)snprintf(text, NUMBER_SIZE, "%.17g", value);
    if (value < 0)
        *end++ = '-';
    if (size == (double)(uint64_t)size)
        end += write_digits((uint64_t)size, end);
    else
        end = write_fraction(size, end);
    *end = '\0';
    return (size_t)(end - text);
}
