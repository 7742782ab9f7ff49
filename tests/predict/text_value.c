#include "tests/predict/text_value.h"

#include "predict/grid.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *at, *text;
    const struct text_names *names;
};

static double read_choice(struct reader *reader);

static void skip(struct reader *reader)
{
    while (isspace((unsigned char)*reader->at))
        reader->at++;
}

static bool take(struct reader *reader, const char *token)
{
    skip(reader);
    size_t length = strlen(token);
    if (strncmp(reader->at, token, length) != 0 ||
        (isalpha((unsigned char)*token) &&
         (isalnum((unsigned char)reader->at[length]) || reader->at[length] == '_')))
        return false;
    reader->at += length;
    return true;
}

static _Noreturn void give_up(const struct reader *reader, const char *what)
{
    fprintf(stderr, "%s at '%s' of '%s'\n", what, reader->at, reader->text);
    abort();
}

static void expect(struct reader *reader, const char *token)
{
    if (!take(reader, token))
        give_up(reader, token);
}

static double read_number(struct reader *reader)
{
    char *end;
    double value = strtod(reader->at, &end);
    reader->at = end;
    if (take(reader, "ns"))
        return value * 1e-9;
    if (take(reader, "us"))
        return value * 1e-6;
    if (take(reader, "ms"))
        return value * 1e-3;
    take(reader, "s");
    return value;
}

static double table_item(const struct reader *reader, double index)
{
    const char *at = reader->names->table;
    if (at == NULL || index < 0)
        return NAN;
    for (uint32_t i = 0; i < (uint32_t)index; i++) {
        at = strchr(at + 1, ',');
        if (at == NULL)
            return NAN;
    }
    struct reader item = {at + 1, reader->names->table, reader->names};
    bool minus = take(&item, "-");
    skip(&item);
    double value = read_number(&item);
    return minus ? -value : value;
}

static double call(struct reader *reader, const char *name, size_t length)
{
    double a[3] = {0};
    uint32_t count = 0;
    do
        a[count++] = read_choice(reader);
    while (count < 3 && take(reader, ","));
    expect(reader, ")");
    char function[16] = "";
    snprintf(function, sizeof function, "%.*s", (int)length, name);
#define FUNCTION(text, arguments, value)                     \
    if (strcmp(function, text) == 0 && count == (arguments)) \
    return (value)
    FUNCTION("min", 2, fmin(a[0], a[1]));
    FUNCTION("max", 2, fmax(a[0], a[1]));
    FUNCTION("floor", 1, floor(a[0]));
    FUNCTION("ceil", 1, ceil(a[0]));
    FUNCTION("round", 1, round(a[0]));
    FUNCTION("sqrt", 1, sqrt(a[0]));
    FUNCTION("log2", 1, log2(a[0]));
    FUNCTION("xor", 2, (double)((uint64_t)a[0] ^ (uint64_t)a[1]));
    FUNCTION("dims", 3, grid_extent((uint32_t)a[0], (uint32_t)a[1], (uint32_t)a[2]));
    give_up(reader, function);
}

static double read_primary(struct reader *reader)
{
    skip(reader);
    if (take(reader, "(")) {
        double value = read_choice(reader);
        expect(reader, ")");
        return value;
    }
    if (isdigit((unsigned char)*reader->at))
        return read_number(reader);
    const char *name = reader->at;
    while (isalnum((unsigned char)*reader->at) || *reader->at == '_')
        reader->at++;
    size_t length = (size_t)(reader->at - name);
    if (take(reader, "("))
        return call(reader, name, length);
    const struct text_names *names = reader->names;
    if (names->table_name != NULL && strlen(names->table_name) == length &&
        strncmp(name, names->table_name, length) == 0) {
        expect(reader, "[");
        double index = read_choice(reader);
        expect(reader, "]");
        return table_item(reader, index);
    }
    for (uint32_t i = 0; i < names->count; i++)
        if (strlen(names->items[i].name) == length &&
            strncmp(name, names->items[i].name, length) == 0)
            return names->items[i].value;
    reader->at = name;
    give_up(reader, "unknown name");
}

static double read_power(struct reader *reader)
{
    double base = read_primary(reader);
    return take(reader, "^") ? pow(base, read_power(reader)) : base;
}

static double read_minus(struct reader *reader)
{
    return take(reader, "-") ? -read_minus(reader) : read_power(reader);
}

static double read_product(struct reader *reader)
{
    double value = read_minus(reader);
    for (;;) {
        if (take(reader, "*"))
            value *= read_minus(reader);
        else if (take(reader, "//"))
            value = floor(value / read_minus(reader));
        else if (take(reader, "/"))
            value /= read_minus(reader);
        else if (take(reader, "%")) {
            double divisor = read_minus(reader);
            value -= divisor * floor(value / divisor);
        } else
            return value;
    }
}

static double read_sum(struct reader *reader)
{
    double value = read_product(reader);
    for (;;) {
        if (take(reader, "+"))
            value += read_product(reader);
        else if (take(reader, "-"))
            value -= read_product(reader);
        else
            return value;
    }
}

static double read_comparison(struct reader *reader)
{
    double value = read_sum(reader);
    if (take(reader, "=="))
        return value == read_sum(reader);
    if (take(reader, "!="))
        return value != read_sum(reader);
    if (take(reader, "<="))
        return value <= read_sum(reader);
    if (take(reader, ">="))
        return value >= read_sum(reader);
    if (take(reader, "<"))
        return value < read_sum(reader);
    if (take(reader, ">"))
        return value > read_sum(reader);
    return value;
}

static double read_and(struct reader *reader)
{
    double value = read_comparison(reader);
    while (take(reader, "and")) {
        double other = read_comparison(reader);
        value = value != 0 && other != 0;
    }
    return value;
}

static double read_or(struct reader *reader)
{
    double value = read_and(reader);
    while (take(reader, "or")) {
        double other = read_and(reader);
        value = value != 0 || other != 0;
    }
    return value;
}

static double read_choice(struct reader *reader)
{
    double condition = read_or(reader);
    if (!take(reader, "?"))
        return condition;
    double yes = read_choice(reader);
    expect(reader, ":");
    double no = read_choice(reader);
    return condition != 0 ? yes : no;
}

double text_value(const char *text, const struct text_names *names)
{
    struct reader reader = {text, text, names};
    double value = read_choice(&reader);
    skip(&reader);
    if (*reader.at != '\0')
        give_up(&reader, "unexpected text");
    return value;
}
