#include "config.h" /* dl_iterate_phdr */

#include "measure/python/interpreter.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct python python;

/* A program may have loaded the interpreter's library for itself only: then it is asked by name. */
static int find_library(struct dl_phdr_info *library, size_t size, void *found)
{
    const char *slash = strrchr(library->dlpi_name, '/');
    (void)size;
    if (!slash || strncmp(slash, "/libpython3", strlen("/libpython3")) != 0)
        return 0;
    *(void **)found = dlopen(library->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
    return *(void **)found != NULL;
}

static void *find_symbol(void *library, const char *name, const char *other)
{
    void *symbol = *name ? dlsym(library, name) : NULL;
    return symbol || !*other ? symbol : dlsym(library, other);
}

static int version_of(const char *text)
{
    int major = 0, minor = 0;
    return text && sscanf(text, "%d.%d", &major, &minor) == 2 ? 100 * major + minor : 0;
}

bool python_find(void)
{
    void *library = RTLD_DEFAULT;
    if (python.usable)
        return true;
    if (!dlsym(library, "Py_GetVersion"))
        dl_iterate_phdr(find_library, &library);
    python.usable = true;
#define X(result, name, parameters, symbol, other)                        \
    *(void **)(void *)&python.name = find_symbol(library, symbol, other); \
    python.usable = python.usable && python.name;
    PYTHON_FUNCTIONS(X)
#undef X
    python.none = find_symbol(library, "_Py_NoneStruct", "");
    *(void **)(void *)&python.frame_code = find_symbol(library, "PyFrame_GetCode", "");
    python.version = python.version_text ? version_of(python.version_text()) : 0;
    python.usable = python.usable && python.none && python.version >= 308;
    return python.usable;
}

struct python_object *python_code_of(struct python_object *frame)
{
    struct python_object *code =
        python.frame_code ? python.frame_code(frame) : python.attribute(frame, "f_code");
    if (code)
        python.drop(code); /* the frame has a reference of its own */
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
