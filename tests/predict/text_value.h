/* The value of an expression in the language of scripts, for tests of fitting: written
 * independently of the fit and of the language. Aborts at unknown functions and operators. */
#ifndef TESTS_TEXT_VALUE_H
#define TESTS_TEXT_VALUE_H

#include <stdint.h>

struct text_name {
    const char *name;
    double value;
};

struct text_names {
    const struct text_name *items;
    uint32_t count;
    const char *table_name, *table; /* the one table, "[1, 2, 3]"; NULL: none */
};

/* Not a number for an index outside of the table. */
double text_value(const char *text, const struct text_names *names);

#endif
