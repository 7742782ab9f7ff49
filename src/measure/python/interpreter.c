#include "config.h" /* RTLD_DEFAULT */

#include "measure/python/interpreter.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct python python;

static void *find_symbol(const char *name, const char *other)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);
    return symbol || !*other ? symbol : dlsym(RTLD_DEFAULT, other);
}

static int version_of(const char *text)
{
    int major = 0, minor = 0;
    return text && sscanf(text, "%d.%d", &major, &minor) == 2 ? 100 * major + minor : 0;
}

bool python_find(void)
{
    if (python.usable)
        return true;
    python.usable = true;
#define X(result, name, parameters, symbol, other)               \
    *(void **)(void *)&python.name = find_symbol(symbol, other); \
    python.usable = python.usable && python.name;
    PYTHON_FUNCTIONS(X)
#undef X
    python.none = find_symbol("_Py_NoneStruct", "");
    *(void **)(void *)&python.frame_code = find_symbol("PyFrame_GetCode", "");
    python.version = python.version_text ? version_of(python.version_text()) : 0;
    python.usable = python.usable && python.none && python.version >= 308;
    return python.usable;
}

struct python_object *python_code_of(struct python_object *frame)
{
    assert(python.usable);
    struct python_object *code =
        python.frame_code ? python.frame_code(frame) : python.attribute(frame, "f_code");
    if (code)
        python.drop(code); /* the frame holds another reference */
    else
        python.clear_error();
    return code;
}

char *python_text_copy(struct python_object *string)
{
    const char *text = string ? python.text(string) : NULL;
    if (!text) { /* no string, or one that UTF-8 cannot say */
        python.clear_error();
        return NULL;
    }
    return strdup(text);
}

char *python_text_attribute(struct python_object *object, const char *name)
{
    struct python_object *value = python.attribute(object, name);
    char *copy = python_text_copy(value);
    if (value)
        python.drop(value);
    return copy;
}

long python_number_attribute(struct python_object *object, const char *name)
{
    struct python_object *value = python.attribute(object, name);
    long number = value ? python.number(value) : 0;
    if (value)
        python.drop(value);
    python.clear_error();
    return number;
}
