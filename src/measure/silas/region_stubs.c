/* libsilas-region: what Fortran programs with hand-set regions are linked with. It does nothing;
 * under silas-trace the tracer's functions of the same names come first. */
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
