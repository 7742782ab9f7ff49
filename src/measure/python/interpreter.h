/* The Python interpreter in this process. Its functions are looked up when the program runs, so one
 * tracer works with every version of CPython from 3.8 on, and no Python is needed to build it.
 * Objects are only accessed through functions of the C API. */
#ifndef MEASURE_PYTHON_INTERPRETER_H
#define MEASURE_PYTHON_INTERPRETER_H

#include "measure/recorder/measurement_state.h"

#include <stdbool.h>
#include <sys/types.h>

struct python_object; /* PyObject */

typedef struct python_object *
python_function(struct python_object *self, struct python_object *const *arguments, ssize_t count);

/* PyMethodDef of a function that takes its arguments as an array (METH_FASTCALL). */
struct python_method {
    const char *name;
    python_function *function;
    int flags;
    const char *documentation;
};
enum { PYTHON_METHOD_ARRAY = 0x0080 };

typedef int python_audit_hook(const char *event, struct python_object *arguments, void *data);
typedef int python_profile_hook(struct python_object *self, struct python_object *frame, int what,
                                struct python_object *argument);

/* Result, our name, parameters, the interpreter's name, its name in other versions. */
#define PYTHON_FUNCTIONS(X)                                                                        \
    X(int, is_initialised, (void), "Py_IsInitialized", "")                                         \
    X(int, holds_lock, (void), "PyGILState_Check", "")                                             \
    X(int, add_audit_hook, (python_audit_hook * hook, void *data), "PySys_AddAuditHook", "")       \
    X(void, set_profile, (python_profile_hook * hook, struct python_object * self),                \
      "PyEval_SetProfile", "")                                                                     \
    X(int, add_pending_call, (int (*function)(void *), void *data), "Py_AddPendingCall", "")       \
    X(struct python_object *, current_frame, (void), "PyEval_GetFrame", "")                        \
    X(ssize_t, request_extra, (void (*release)(void *)), "PyUnstable_Eval_RequestCodeExtraIndex",  \
      "_PyEval_RequestCodeExtraIndex")                                                             \
    X(int, get_extra, (struct python_object * code, ssize_t index, void **extra),                  \
      "PyUnstable_Code_GetExtra", "_PyCode_GetExtra")                                              \
    X(int, set_extra, (struct python_object * code, ssize_t index, void *extra),                   \
      "PyUnstable_Code_SetExtra", "_PyCode_SetExtra")                                              \
    X(void, take, (struct python_object * object), "Py_IncRef", "")                                \
    X(void, drop, (struct python_object * object), "Py_DecRef", "")                                \
    X(struct python_object *, type_of, (struct python_object * object), "PyObject_Type", "")       \
    X(struct python_object *, attribute, (struct python_object * object, const char *name),        \
      "PyObject_GetAttrString", "")                                                                \
    X(struct python_object *, item, (struct python_object * dictionary, const char *key),          \
      "PyDict_GetItemString", "")                                                                  \
    X(struct python_object *, element, (struct python_object * sequence, ssize_t index),           \
      "PySequence_GetItem", "")                                                                    \
    X(ssize_t, length, (struct python_object * sequence), "PySequence_Size", "")                   \
    X(struct python_object *, mapped, (struct python_object * mapping, const char *key),           \
      "PyMapping_GetItemString", "")                                                               \
    X(const char *, text, (struct python_object * string), "PyUnicode_AsUTF8", "")                 \
    X(long, number, (struct python_object * integer), "PyLong_AsLong", "")                         \
    X(struct python_object *, call,                                                                \
      (struct python_object * object, const char *method, const char *format, ...),                \
      "PyObject_CallMethod", "")                                                                   \
    X(struct python_object *, make_function,                                                       \
      (struct python_method * method, struct python_object * self, struct python_object * module), \
      "PyCFunction_NewEx", "")                                                                     \
    X(struct python_object *, import, (const char *module), "PyImport_ImportModule", "")           \
    X(void, clear_error, (void), "PyErr_Clear", "")                                                \
    X(const char *, version_text, (void), "Py_GetVersion", "")

struct python {
    int version; /* 311 for 3.11; 0: no interpreter has been found */
    bool usable; /* all functions have been found */
    struct python_object *none;
    struct python_object *(*frame_code)(struct python_object *frame); /* NULL before 3.9 */
#define X(result, name, parameters, symbol, other) result(*name) parameters;
    PYTHON_FUNCTIONS(X)
#undef X
};

extern struct python python RECORD_HIDDEN;

/* Looks for the interpreter in the program and its libraries. Sets `version` and `usable`; whether
 * it is usable. */
bool python_find(void);

/* The code of a frame, which the frame keeps alive; NULL on failure. */
struct python_object *python_code_of(struct python_object *frame);

/* An attribute's text or number, a copy that the caller frees; NULL or 0 if there is none. */
char *python_text_attribute(struct python_object *object, const char *name);
long python_number_attribute(struct python_object *object, const char *name);

/* A copy of a string's text, which the caller frees; NULL if it is none. */
char *python_text_copy(struct python_object *string);

#endif
