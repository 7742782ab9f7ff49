/* Marks regions of a program by hand, for tracing with silas-trace:
 *
 *     SILAS_REGION_BEGIN("assemble");
 *     ...
 *     SILAS_REGION_END("assemble");
 *
 * Regions must be properly nested, and the name must be a string literal. C and C++ programs need
 * to link nothing; without the tracer each macro costs one test of a pointer. Fortran programs link
 * libsilas-region and call silas_region_begin('assemble') and silas_region_end('assemble').
 */
#ifndef SILAS_REGION_H
#define SILAS_REGION_H

#ifdef __cplusplus
extern "C" {
#endif

/* The tracer defines these functions; without it their addresses are null. `*cache` belongs to one
 * place in the source and is initially 0. Without noplt, a program that is not position-independent
 * would not find them at its start. */
#if defined(__GNUC__) && !defined(__clang__)
#define SILAS_REGION_ATTRIBUTES __attribute__((weak, noplt))
#else
#define SILAS_REGION_ATTRIBUTES __attribute__((weak))
#endif
extern void silas_region_begin_at(unsigned *cache, const char *name, const char *file,
                                  int line) SILAS_REGION_ATTRIBUTES;
extern void silas_region_end_at(unsigned *cache, const char *name) SILAS_REGION_ATTRIBUTES;

#ifdef __cplusplus
}
#endif

#define SILAS_REGION_BEGIN(name)                                                  \
    do {                                                                          \
        static unsigned silas_region_cache;                                       \
        if (silas_region_begin_at)                                                \
            silas_region_begin_at(&silas_region_cache, name, __FILE__, __LINE__); \
    } while (0)

#define SILAS_REGION_END(name)                              \
    do {                                                    \
        static unsigned silas_region_cache;                 \
        if (silas_region_end_at)                            \
            silas_region_end_at(&silas_region_cache, name); \
    } while (0)

#endif
