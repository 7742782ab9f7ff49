/* Numbers as text, exactly. */
#ifndef REPORT_NUMBER_H
#define REPORT_NUMBER_H

#include <stddef.h>

enum { NUMBER_SIZE = 32 }; /* room for any */

/* Writes a number with 17 significant digits, so that nothing is lost: the same characters as
 * printf's "%.17g", but those from 2 millionths up to 2^53 several times as fast. Returns their
 * count; the text ends with '\0'. */
size_t number_print(double value, char text[NUMBER_SIZE]);

#endif
