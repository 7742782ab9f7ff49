/* silas-trace --python: the functions of a Python program as regions. Without it nothing here has
 * any effect. The rest of the folder: attach.c hooks itself to the interpreter, hooks.h is told of
 * calls, functions.h knows the regions, interpreter.h the interpreter. */
#ifndef MEASURE_PYTHON_ATTACH_H
#define MEASURE_PYTHON_ATTACH_H

/* Called after MPI_Init, when the rank is known: attaches to an interpreter that runs inside of
 * another program, and has not been seen yet. If functions cannot be recorded, rank 0 warns. */
void python_initialised(void);

#endif
