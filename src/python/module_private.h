/* The parts of the extension module silas._silas. It uses CPython's stable interface of 3.9, so one
 * file works with all later versions.
 *
 *   tables.c   the tables of a trace, without Python
 *   column.c   columns as Python objects: buffers, Arrow's C data interface
 *   work.c     runs SILAS's functions in a thread, so that Python continues and can interrupt them
 *   module.c   traces, what-ifs, and the module */
#ifndef PYTHON_MODULE_PRIVATE_H
#define PYTHON_MODULE_PRIVATE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include "base/status.h"
#include "python/tables.h"

#include <stdbool.h>

/* Makes the types and functions of columns. Returns -1 with an exception. */
int column_type_add(PyObject *module);

/* A column over `data`, which `owner` keeps in memory, or over a block from malloc, which the
 * column frees (`owner` NULL). `categories`: a tuple of texts, or NULL. NULL with an exception;
 * then the block is freed. */
PyObject *column_new(PyObject *owner, void *data, size_t length, char format, bool nullable,
                     PyObject *categories);

/* A schema, an array or a stream of Arrow for columns with these names (tuples of the same length).
 */
PyObject *arrow_schema(PyObject *module, PyObject *arguments);
PyObject *arrow_array(PyObject *module, PyObject *arguments);
PyObject *arrow_stream(PyObject *module, PyObject *arguments);

/* silas.Error and silas.Warning. */
extern PyObject *silas_error, *silas_warning;

/* Runs a function of SILAS in another thread, one at a time, while other Python threads run. If a
 * signal handler of Python raises an exception (Ctrl-C), the function is ended
 * (processes_stop_by). False with an exception: that of the signal handler, silas.Error with the
 * function's error, or a warning that is to be an exception. */
typedef enum status work_function(void *data, struct error *error);
bool work_run(work_function *function, void *data);

#endif
