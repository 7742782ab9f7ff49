/* JSON documents: the only header that includes jansson. A function that makes a value returns NULL
 * when memory is out, and takes over the values that it is given. An array or object with a NULL
 * member becomes NULL itself, so that only the caller that has the whole document needs to check
 * it. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/estimate.h"
#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A string, or null for NULL. Bytes that are not UTF-8 are taken as Latin-1 (base/utf8.h). */
json_t *json_text(const char *text);

/* A number, or null for one that is not finite. */
json_t *json_number(double value);
/* null if it is not known. */
json_t *json_number_if(bool known, double value);
json_t *json_count(uint64_t count);

/* {median, low, high, level}; low and high are null if no interval is claimed. */
json_t *json_interval(const struct estimate *interval);

json_t *json_texts(const char *const *lines, size_t count);
json_t *json_numbers(const double *values, size_t count);
json_t *json_list(json_t *const *values, size_t count);
/* An array: JSON_LIST(json_count(1), json_text("two")). Each value is evaluated once. */
#define JSON_LIST(...)                        \
    json_list((json_t *const[]){__VA_ARGS__}, \
              sizeof((json_t *const[]){__VA_ARGS__}) / sizeof(json_t *))
/* Appends to an array. If either is NULL or memory is out, the array becomes NULL. */
void json_append(json_t **array, json_t *value);

struct json_member {
    const char *name;
    json_t *value;
};

json_t *json_members(const struct json_member *members, size_t count);
/* An object: JSON_MEMBERS({"name", json_text(name)}, {"time_s", json_number(time)}). Each value is
 * evaluated once. */
#define JSON_MEMBERS(...)                                   \
    json_members((const struct json_member[]){__VA_ARGS__}, \
                 sizeof((const struct json_member[]){__VA_ARGS__}) / sizeof(struct json_member))
/* `object` with the members of the object `more` after its own. */
json_t *json_joined(json_t *object, json_t *more);

/* What an object has under a name: NAN or NULL if there is no number or string. */
double json_number_of(const json_t *object, const char *name);
const char *json_text_of(const json_t *object, const char *name);

/* Reads the document in a file; free it with json_decref. Fails with STATUS_INPUT ("FILE is not
 * WHAT: ...") if the file cannot be read or is not JSON, with STATUS_ENVIRONMENT when memory is
 * out.
 */
enum status json_read_file(const char *file, const char *what, json_t **document,
                           struct error *error);

/* Writes a document and a line feed, and frees it. False if it is NULL or cannot be written. */
bool json_write(json_t *document, FILE *stream);

#endif
