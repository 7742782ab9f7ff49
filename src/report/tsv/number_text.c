/* A double is m 2^e with m < 2^53. For k <= 27 the product m 5^k has less than 128 bits, so
 *
 *     value 10^k = m 5^k 2^(e + k)
 *
 * is rounded to 17 digits exactly, by one shift. */
#include "report/tsv/number_text.h"

#include <endian.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 17, MOST_POWER = 27, MANTISSA_BITS = 53 };

#define EXACT 9007199254740992.0 /* 2^53 */

static const uint64_t ten_to_16 = 10000000000000000u;

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

size_t unsigned_text(uint64_t value, char *text)
{
    char digits[20];
    size_t first = sizeof digits;
    for (; value >= 10; value /= 100) {
        first -= 2;
        memcpy(digits + first, pairs + 2 * (value % 100), 2);
    }
    if (value > 0 || first == sizeof digits)
        digits[--first] = (char)('0' + value);
    memcpy(text, digits + first, sizeof digits - first);
    return sizeof digits - first;
}

/* [k] 5^k */
static const uint64_t fives[MOST_POWER + 1] = {
    1u,
    5u,
    25u,
    125u,
    625u,
    3125u,
    15625u,
    78125u,
    390625u,
    1953125u,
    9765625u,
    48828125u,
    244140625u,
    1220703125u,
    6103515625u,
    30517578125u,
    152587890625u,
    762939453125u,
    3814697265625u,
    19073486328125u,
    95367431640625u,
    476837158203125u,
    2384185791015625u,
    11920928955078125u,
    59604644775390625u,
    298023223876953125u,
    1490116119384765625u,
    7450580596923828125u,
};

/* value 10^k, rounded to the nearest integer and half to even. */
static uint64_t scaled(uint64_t mantissa, int exponent, int k)
{
    const unsigned __int128 product = (unsigned __int128)mantissa * fives[k];
    const int shift = -(exponent + k);
    if (shift <= 0)
        return (uint64_t)(product << -shift);
    const unsigned __int128 half = (unsigned __int128)1 << (shift - 1);
    const unsigned __int128 rest = product & (2 * half - 1);
    uint64_t whole = (uint64_t)(product >> shift);
    return whole + (rest > half || (rest == half && (whole & 1)));
}

/* The 17 digits of a positive value as an integer, and its decimal exponent: that of the first
 * digit. False where the arithmetic above is not exact. */
static bool find_digits(double value, uint64_t *digits, int *exponent)
{
    uint64_t bits;
    if (!(value >= 1e-10 && value < 1e16)) /* so it is no subnormal number */
        return false;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t leading = (uint64_t)1 << (MANTISSA_BITS - 1);
    const uint64_t mantissa = (bits & (leading - 1)) | leading;
    const int binary = (int)(bits >> (MANTISSA_BITS - 1)) - 1023; /* leading times 2^... */
    /* log10(2) is 0.30103; rounded down by the shift. It may be one more. */
    *exponent = binary * 78913 >> 18;
    for (int tries = 0; tries < 2; tries++, ++*exponent) {
        const int k = DIGITS - 1 - *exponent;
        if (k < 0 || k > MOST_POWER)
            return false;
        *digits = scaled(mantissa, binary - (MANTISSA_BITS - 1), k);
        if (*digits < 10 * ten_to_16)
            return *digits >= ten_to_16;
    }
    return false;
}

/* The digits of a number of eight, in one store: stores of pieces would have to be complete before
 * the next load of all of them. First the halves of four digits are side by side, then all quarters
 * of two, then the digits. Divisions by 100 and 10 are multiplications, exact for such numbers. */
static void put_8_digits(uint32_t value, char *text)
{
    const uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    const uint64_t hundreds = (fours * 5243 >> 19) & 0x0000007f0000007fu;
    const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    const uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000fu;
    const uint64_t digits = htole64((tens | (twos - 10 * tens) << 8) + 0x3030303030303030u);
    memcpy(text, &digits, sizeof digits);
}

static void put_17_digits(uint64_t value, char *text)
{
    const uint64_t high = value / 100000000;
    text[0] = (char)('0' + high / 100000000);
    put_8_digits((uint32_t)(high % 100000000), text + 1);
    put_8_digits((uint32_t)(value % 100000000), text + 9);
}

/* Puts the digits without the zeros at their end. Returns how many. */
static int put_digits(uint64_t number, char *text)
{
    int count = DIGITS;
    put_17_digits(number, text);
    while (text[count - 1] == '0')
        count--;
    return count;
}

/* Puts the digits with a point behind the first `before`, if some are left. Returns the length. */
static size_t put_with_point(uint64_t number, int before, char *text)
{
    const int count = put_digits(number, text + 1);
    for (int i = 0; i < before; i++)
        text[i] = text[i + 1];
    text[before] = '.';
    return (size_t)(count > before ? count + 1 : before);
}

/* As "%g" does it: the point stands between the digits where the exponent is from -4 to 16. */
static size_t put_as_g(uint64_t number, int exponent, char *text)
{
    if (exponent >= 0)
        return put_with_point(number, exponent + 1, text);
    if (exponent >= -4) {
        memcpy(text, "0.000", 5);
        return (size_t)(1 - exponent + put_digits(number, text + 1 - exponent));
    }
    const size_t length = put_with_point(number, 1, text);
    memcpy(text + length, "e-", 2);
    memcpy(text + length + 2, pairs + 2 * -exponent, 2);
    return length + 4;
}

size_t number_text(double value, char *text)
{
    uint64_t number;
    int exponent;
    size_t sign = 0;
    if (fabs(value) < EXACT && value == (double)(int64_t)value && !(value == 0 && signbit(value))) {
        if (value < 0)
            text[sign++] = '-';
        return sign + unsigned_text((uint64_t)fabs(value), text + sign);
    }
    if (!find_digits(fabs(value), &number, &exponent))
        return (size_t)snprintf(text, NUMBER_TEXT_SIZE, "%.17g", value);
    if (value < 0)
        text[sign++] = '-';
    return sign + put_as_g(number, exponent, text + sign);
}
