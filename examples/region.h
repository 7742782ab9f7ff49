/* The tracer's marks for regions. An example also builds where the header is not installed, as a
 * user's program may. */
#ifndef EXAMPLES_REGION_H
#define EXAMPLES_REGION_H

#if __has_include(<silas/region.h>)
#include <silas/region.h>
#else
#define SILAS_REGION_BEGIN(name) ((void)0)
#define SILAS_REGION_END(name)   ((void)0)
#endif

#endif
