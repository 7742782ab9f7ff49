/* silas-trace --python records the functions of a Python program as regions. Without this option
 * the code of this folder has no effect. attach.c attaches to the interpreter, hooks.h has the
 * functions that the interpreter calls, functions.h finds regions, interpreter.h wraps the
 * interpreter. */
#ifndef MEASURE_PYTHON_ATTACH_H
#define MEASURE_PYTHON_ATTACH_H

/* Called after measurement_begin. Attaches to an interpreter that runs inside another program, if
 * the audit hook has not attached yet. If functions cannot be recorded, rank 0 warns. */
void python_initialised(void);

#endif
