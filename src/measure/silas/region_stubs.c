/* libsilas-region, which Fortran programs with regions set by hand are linked with. Its functions
 * do nothing; under silas-trace the tracer's functions of the same names replace them. */
#include <stddef.h>

void silas_region_begin_(const char *name, size_t length);
void silas_region_end_(const char *name, size_t length);

void silas_region_begin_(const char *name, size_t length)
{
    (void)name, (void)length;
}

void silas_region_end_(const char *name, size_t length)
{
    (void)name, (void)length;
}
