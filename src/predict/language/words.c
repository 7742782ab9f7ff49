#include "predict/language/words.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    double factor;
} units[] = {
    {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3},  {"s", 1},         {"kB", 1e3},
    {"MB", 1e6},  {"GB", 1e9},  {"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
};

enum { UNITS = sizeof units / sizeof *units, LONGEST_NUMBER = 100 };

void word_units_add(struct script_reader *reader, struct candidates *candidates)
{
    for (int i = 0; i < UNITS; i++)
        list_push(reader, &candidates->names, units[i].name);
}

/* strtod would also read hexadecimal numbers. */
static size_t number_length(const char *text)
{
    const char *digits = "0123456789";
    size_t length = strspn(text, digits);
    if (text[length] == '.')
        length += 1 + strspn(text + length + 1, digits);
    if (text[length] == 'e' || text[length] == 'E') {
        size_t sign = text[length + 1] == '-' || text[length + 1] == '+';
        size_t exponent = strspn(text + length + 1 + sign, digits);
        if (exponent > 0)
            length += 1 + sign + exponent;
    }
    return length;
}

double word_number(struct script_reader *reader, const char *text, struct script_position place)
{
    char copy[LONGEST_NUMBER + 1];
    size_t length = number_length(text);
    if (length > LONGEST_NUMBER)
        reader_refuse(reader, place, "a number has at most %d characters", LONGEST_NUMBER);
    memcpy(copy, text, length);
    copy[length] = '\0';
    errno = 0;
    double number = strtod(copy, NULL);
    if (errno == ERANGE)
        reader_refuse(reader, place, "%s is too %s for a number", copy,
                      fabs(number) > 1 ? "large" : "small");
    return number;
}

size_t word_number_with_unit(struct script_reader *reader, const char *text,
                             struct script_position place, double *number)
{
    *number = word_number(reader, text, place);
    size_t length = number_length(text);
    const char *unit = text + length + strspn(text + length, " \t\r");
    for (int i = 0; i < UNITS; i++)
        if (strcmp(units[i].name, unit) == 0) {
            *number *= units[i].factor;
            return (size_t)(unit - text) + strlen(unit);
        }
    if (unit != text + length)
        return length;
    struct candidates candidates = {0};
    word_units_add(reader, &candidates);
    const char *nearest = reader_nearest(reader, unit, &candidates);
    reader_refuse(reader, place, "unknown unit \"%.40s\" after the number%s", unit,
                  *nearest ? nearest : "; units are ns us ms s, kB MB GB, KiB MiB GiB");
}

const char *word_text(struct script_reader *reader, const char *quoted, size_t length,
                      struct script_position place)
{
    char *text = reader_strndup(reader, quoted + 1, length - 2), *to = text;
    for (const char *from = text; *from; from++) {
        if (*from == '\\' && *++from != '"' && *from != '\\')
            reader_refuse(reader, place,
                          "a backslash in a text stands before a \" or another backslash");
        *to++ = *from;
    }
    *to = '\0';
    return text;
}

size_t word_character(const char *text, size_t left)
{
    assert(left > 0);
    const unsigned char *byte = (const unsigned char *)text;
    if (byte[0] < 0x80)
        return byte[0] == '\t' || byte[0] == '\n' || byte[0] == '\r' || !iscntrl(byte[0]);
    size_t length = byte[0] >= 0xF0 ? 4 : byte[0] >= 0xE0 ? 3 : 2;
    if (byte[0] < 0xC2 || byte[0] > 0xF4 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((byte[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

uint32_t word_characters(const char *text, size_t length)
{
    uint32_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}
