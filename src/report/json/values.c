#include "report/json/values.h"

#include "report/utf8.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

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

json_t *json_texts(const char *const *lines, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_append(&array, json_text(lines[i]));
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
