/* Numbers as text, for tables of millions of values. */
#ifndef REPORT_TSV_NUMBER_TEXT_H
#define REPORT_TSV_NUMBER_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum { NUMBER_TEXT_SIZE = 32 }; /* bytes that any text of this file needs */

/* Writes what printf's "%.17g" prints, which is read back as the same number, and returns its
 * length; it writes no terminating zero byte. Ten times faster for integers below 2^53 and for
 * values from 1e-10 to 1e16; others are left to snprintf. */
size_t number_text(double value, char *text);

/* The same for an unsigned integer. */
size_t unsigned_text(uint64_t value, char *text);

#endif
