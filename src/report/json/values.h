/* Values of JSON documents. All functions return NULL when memory is out; jansson takes a NULL
 * member to mean that the whole array or object is NULL (json_pack with "o"). */
#ifndef REPORT_JSON_VALUES_H
#define REPORT_JSON_VALUES_H

#include <jansson.h>
#include <stddef.h>

/* A string, or null for NULL. Bytes that are not UTF-8 are taken as Latin-1 (report/utf8.h). */
json_t *json_text(const char *text);

/* A number, or null for one that is not finite. */
json_t *json_number(double value);

/* An array of strings. */
json_t *json_texts(const char *const *lines, size_t count);

/* Appends to an array and takes over `value`. If either is NULL or memory is out, the array becomes
 * NULL. */
void json_append(json_t **array, json_t *value);

struct json_member {
    const char *name;
    json_t *value;
};

/* An object of `count` members, whose values it takes over. NULL if one of them is NULL. */
json_t *json_members(const struct json_member *members, size_t count);

#endif
