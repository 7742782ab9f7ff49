#include "config.h" /* asprintf */

#include "measure/python/functions.h"

#include "measure/recorder/definitions.h"

#include "base/array.h"

#include <assert.h>
#include <ctype.h>
#include <otf2/OTF2_Definitions.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ssize_t functions_place = -1;

/* The interpreter's own library is in "lib/pythonX.Y" of these folders. */
static char *prefixes[4];

bool functions_open(void)
{
    static const char *const names[] = {"base_prefix", "prefix", "base_exec_prefix", "exec_prefix"};
    functions_place = python.request_extra(NULL);
    struct python_object *sys = python.import("sys");
    for (size_t i = 0; sys && i < sizeof names / sizeof *names; i++)
        prefixes[i] = python_text_attribute(sys, names[i]);
    if (sys)
        python.drop(sys);
    python.clear_error();
    return functions_place >= 0;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Whether `attribute`, an item of a class's dictionary, may be the function of `code`. Of plain
 * functions the code is compared. Properties and decorated functions may be it, because their names
 * agree: reading an attribute of such an object may run code of the program. */
static bool may_be(struct python_object *attribute, struct python_object *code)
{
    struct python_object *type = python.type_of(attribute);
    char *type_name = type ? python_text_attribute(type, "__name__") : NULL;
    bool plain = type_name && strcmp(type_name, "function") == 0, same = true;
    if (plain) {
        struct python_object *its = python.attribute(attribute, "__code__");
        same = its == code;
        if (its)
            python.drop(its);
    }
    free(type_name);
    if (type)
        python.drop(type);
    return same;
}

/* The qualified name of the class in `mro` that defines the function; NULL: none does. */
static char *defining_class(struct python_object *mro, struct python_object *code, const char *name)
{
    char *found = NULL;
    for (ssize_t i = 0; !found && i < python.length(mro); i++) {
        struct python_object *class = python.element(mro, i);
        struct python_object *dictionary = class ? python.attribute(class, "__dict__") : NULL;
        struct python_object *attribute = dictionary ? python.mapped(dictionary, name) : NULL;
        if (attribute && may_be(attribute, code))
            found = python_text_attribute(class, "__qualname__");
        python.clear_error();
        if (attribute)
            python.drop(attribute);
        if (dictionary)
            python.drop(dictionary);
        if (class)
            python.drop(class);
    }
    return found;
}

/* Before 3.11, code objects do not have the name of their class. It is the class of the argument
 * `self`, or the argument `cls`, or a class that it inherits from. NULL if this is not a method. */
static char *class_of_method(struct python_object *code, struct python_object *frame,
                             const char *name)
{
    struct python_object *names = python.attribute(code, "co_varnames");
    struct python_object *first =
        names && python.length(names) > 0 && python_number_attribute(code, "co_argcount") > 0
            ? python.element(names, 0)
            : NULL;
    char *argument = first ? python_text_copy(first) : NULL, *found = NULL;
    bool is_class = argument && strcmp(argument, "cls") == 0;
    if (frame && argument && (is_class || strcmp(argument, "self") == 0)) {
        struct python_object *locals = python.attribute(frame, "f_locals");
        struct python_object *object = locals ? python.item(locals, argument) : NULL;
        struct python_object *class = object ? python.type_of(object) : NULL;
        struct python_object *mro =
            class ? python.attribute(is_class ? object : class, "__mro__") : NULL;
        if (mro)
            found = defining_class(mro, code, name);
        if (mro)
            python.drop(mro);
        if (class)
            python.drop(class);
        if (locals)
            python.drop(locals);
    }
    python.clear_error();
    free(argument);
    if (first)
        python.drop(first);
    if (names)
        python.drop(names);
    return found;
}

/* The name within the module; the caller frees it. */
static char *qualified_name(struct python_object *code, struct python_object *frame)
{
    char *qualified = python_text_attribute(code, "co_qualname"), *whole = NULL;
    if (qualified)
        return qualified;
    python.clear_error();
    char *name = python_text_attribute(code, "co_name");
    char *class = name && name[0] != '<' ? class_of_method(code, frame, name) : NULL;
    if (!class || asprintf(&whole, "%s.%s", class, name) < 0)
        whole = name;
    else
        free(name);
    free(class);
    return whole;
}

/* "solver" for "/some/where/solver.py". */
static char *stem(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

/* Python calls the program itself "__main__". Users know it by the name of the file that they
 * started or, with "python3 -m", of the module or package. */
static char *started_program_name(struct python_object *globals, const char *path)
{
    struct python_object *spec = python.item(globals, "__spec__");
    char *name = spec && spec != python.none ? python_text_attribute(spec, "name") : NULL;
    python.clear_error();
    if (!name)
        return path[0] == '<' ? strdup("__main__") : stem(path);
    char *suffix = strrchr(name, '.');
    if (suffix && strcmp(suffix, ".__main__") == 0)
        *suffix = '\0';
    return name;
}

/* The module that contains the function; "" if it is unknown. The caller frees it. */
static char *module_name(struct python_object *frame, const char *path, bool *is_program)
{
    struct python_object *globals = frame ? python.attribute(frame, "f_globals") : NULL;
    struct python_object *value = globals ? python.item(globals, "__name__") : NULL;
    char *name = python_text_copy(value);
    *is_program = name && strcmp(name, "__main__") == 0;
    if (*is_program) {
        free(name);
        name = started_program_name(globals, path);
    }
    if (globals)
        python.drop(globals);
    python.clear_error();
    return name ? name : strdup("");
}

/* Whether a file belongs to the standard library or to an installed package. */
static bool is_library(const char *path)
{
    if (strstr(path, "/site-packages/") || strstr(path, "/dist-packages/"))
        return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (!prefixes[i] || !begins(path, prefixes[i]))
            continue;
        const char *rest = path + strlen(prefixes[i]);
        if (!begins(rest, "/lib"))
            continue;
        rest += strlen("/lib") + strspn(rest + strlen("/lib"), "0123456789");
        if (begins(rest, "/python") && isdigit((unsigned char)rest[strlen("/python")]))
            return true;
    }
    return false;
}

/* Parts of a function, such as comprehensions, which some versions of Python run as functions. */
static bool is_part(const char *name)
{
    const char *last = strrchr(name, '.');
    last = last ? last + 1 : name;
    return last[0] == '<' && strcmp(last, "<module>") != 0 && strcmp(last, "<lambda>") != 0;
}

/* Whether a function is excluded if no rule of the user matches it. Text that was compiled while
 * the program ran ("<string>") is excluded unless it is the program itself (python3 -c). */
static bool excluded_by_default(const char *name, const char *path, bool is_program)
{
    return is_part(name) || is_library(path) || (path[0] == '<' && !is_program);
}

static uint32_t define_code_region(struct python_object *code, struct python_object *frame)
{
    char *path = python_text_attribute(code, "co_filename");
    char *name = qualified_name(code, frame), *module = NULL, *whole = NULL;
    uint32_t region = USER_REGION_EXCLUDED;
    bool is_program = false;
    if (!path || !name || !(module = module_name(frame, path, &is_program)) ||
        asprintf(&whole, "%s%s%s", module, *module ? "." : "", name) < 0)
        goto done;
    const char *const names[] = {whole, name, path};
    if (!user_filter_decides(names, sizeof names / sizeof *names,
                             excluded_by_default(name, path, is_program)))
        region = define_region(whole, NULL, path,
                               (uint32_t)python_number_attribute(code, "co_firstlineno"),
                               OTF2_PARADIGM_USER, OTF2_REGION_ROLE_FUNCTION);
done:
    free(whole);
    free(module);
    free(name);
    free(path);
    return region;
}

uint32_t function_define(struct python_object *code, struct python_object *frame)
{
    assert(functions_place >= 0);
    if (!frame) {
        frame = python.current_frame();
        if (frame && python_code_of(frame) != code)
            frame = NULL;
    }
    uint32_t region = define_code_region(code, frame);
    python.clear_error();
    python.set_extra(code, functions_place, (void *)((uintptr_t)region + 2));
    return region;
}

void functions_enter_open(void)
{
    ARRAY(struct python_object *) frames = {0};
    struct python_object *frame = python.current_frame();
    if (frame)
        python.take(frame);
    while (frame && frame != python.none && array_push(&frames, frame))
        frame = python.attribute(frame, "f_back");
    python.clear_error();
    for (size_t i = frames.count; i-- > 0;) {
        struct python_object *code = python_code_of(frames.items[i]);
        if (code)
            function_enter(code, function_region(code, frames.items[i]));
        python.drop(frames.items[i]);
    }
    free(frames.items);
}
