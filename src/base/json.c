#include "base/json.h"

#include "base/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, DIGITS = 12 /* enough for picoseconds in a run of a second */ };

json_t *json_text(const char *text)
{
    if (!text)
        return json_null();
    char *clean = utf8_clean(text);
    json_t *string = clean ? json_string(clean) : NULL;
    free(clean);
    return string;
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_number_if(bool known, double value)
{
    return known ? json_number(value) : json_null();
}

json_t *json_count(uint64_t count)
{
    return json_integer((json_int_t)count);
}

json_t *json_interval(const struct estimate *interval)
{
    const bool claimed = interval->level > 0;
    return JSON_MEMBERS(
        {"median", json_number(interval->median)}, {"low", json_number_if(claimed, interval->low)},
        {"high", json_number_if(claimed, interval->high)}, {"level", json_number(interval->level)});
}

json_t *json_texts(const char *const *lines, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_append(&array, json_text(lines[i]));
    return array;
}

json_t *json_numbers(const double *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_append(&array, json_number(values[i]));
    return array;
}

json_t *json_list(json_t *const *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_append(&array, values[i]);
    return array;
}

void json_append(json_t **array, json_t *value)
{
    if (json_array_append_new(*array, value) == 0)
        return;
    json_decref(*array);
    *array = NULL;
}

json_t *json_members(const struct json_member *members, size_t count)
{
    json_t *object = json_object();
    bool complete = object != NULL;
    for (size_t i = 0; i < count; i++)
        complete = json_object_set_new(object, members[i].name, members[i].value) == 0 && complete;
    if (complete)
        return object;
    json_decref(object);
    return NULL;
}

json_t *json_joined(json_t *object, json_t *more)
{
    if (object && more && json_object_update(object, more) == 0) {
        json_decref(more);
        return object;
    }
    json_decref(object);
    json_decref(more);
    return NULL;
}

double json_number_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *json_text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

enum status json_read_file(const char *file, const char *what, json_t **document,
                           struct error *error)
{
    json_error_t detail;
    *document = json_load_file(file, 0, &detail);
    if (*document)
        return STATUS_OK;
    if (json_error_code(&detail) == json_error_out_of_memory)
        return error_memory(error, file);
    return error_set(error, STATUS_INPUT, "%s is not %s: %s", file, what, detail.text);
}

/* jansson writes a document in pieces of a few bytes, for each of which fwrite would lock the
 * stream. */
struct json_pieces {
    FILE *stream;
    size_t used;
    char bytes[1 << 14];
};

/* 0, or -1 if writing fails. */
static int put_piece(const char *text, size_t size, void *data)
{
    struct json_pieces *pieces = data;
    if (size > sizeof pieces->bytes - pieces->used) {
        fwrite(pieces->bytes, 1, pieces->used, pieces->stream);
        pieces->used = 0;
    }
    if (size > sizeof pieces->bytes)
        return fwrite(text, 1, size, pieces->stream) == size ? 0 : -1;
    memcpy(pieces->bytes + pieces->used, text, size);
    pieces->used += size;
    return ferror(pieces->stream) ? -1 : 0;
}

bool json_write(json_t *document, FILE *stream)
{
    struct json_pieces pieces;
    pieces.stream = stream;
    pieces.used = 0;
    const bool written =
        document &&
        json_dump_callback(document, put_piece, &pieces,
                           JSON_INDENT(INDENT) | JSON_REAL_PRECISION(DIGITS)) == 0 &&
        fwrite(pieces.bytes, 1, pieces.used, stream) == pieces.used && fputc('\n', stream) != EOF;
    json_decref(document);
    return written && !ferror(stream);
}
