/* To be preloaded: makes one allocation of a SILAS program fail. Allocations by our own code count,
 * in the program itself or in libsilas-*.so; those inside of MPI, OTF2 or hwloc do not, as some of
 * these libraries crash without memory. An allocation counts only the first time it is made from
 * its place: the function that makes it and some of ours that have called that. So a few hundred
 * numbers name all places of a program.
 *
 *   SILAS_TEST_FAIL_AT      the allocation that fails, from 1 on; it fails once
 *   SILAS_TEST_FAIL_RANK    on which rank of the job (as the launcher says); unset: on all
 *   SILAS_TEST_FAIL_DEPTH   how many of our functions are the place, from the innermost on; 3
 *   SILAS_TEST_FAIL_THREAD  set: no thread can be started by our code, on that rank
 *   SILAS_TEST_FAIL_COUNT   a file to which each process appends its rank and how many it has made
 *   SILAS_TEST_FAIL_WHERE   a file to which the chain of the failing allocation is appended */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's functions, which those below replace. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

enum { RANGES_MAX = 16, PLACES_MAX = 1 << 14, CHAIN_MAX = 48 };

static struct {
    uintptr_t begin, end;
} ranges[RANGES_MAX]; /* code that is ours */
static int range_count;
static uint64_t places[PLACES_MAX]; /* hashes of chains; 0: free */
static long made, fail_at, place_depth = 3;
static bool fail_threads;
static const char *rank = "0", *where;
static _Thread_local bool looking; /* at the chain: that allocates, too */
static volatile int lock;

static bool is_ours(const void *address)
{
    for (int i = 0; i < range_count; i++)
        if ((uintptr_t)address >= ranges[i].begin && (uintptr_t)address < ranges[i].end)
            return true;
    return false;
}

/* The program and our libraries. */
static int add_ranges(struct dl_phdr_info *object, size_t size, void *is_silas)
{
    (void)size;
    bool is_program = object->dlpi_name[0] == '\0';
    if (!(is_program && *(bool *)is_silas) && !strstr(object->dlpi_name, "/libsilas-"))
        return 0;
    for (int i = 0; i < object->dlpi_phnum && range_count < RANGES_MAX; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        ranges[range_count].begin = object->dlpi_addr + part->p_vaddr;
        ranges[range_count++].end = object->dlpi_addr + part->p_vaddr + part->p_memsz;
    }
    return 0;
}

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("SILAS_TEST_FAIL_AT"), *only = getenv("SILAS_TEST_FAIL_RANK");
    char program[4096] = "";
    void *first[2];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    const char *name = length > 0 && strrchr(program, '/') ? strrchr(program, '/') + 1 : program;
    bool is_silas = strncmp(name, "silas", 5) == 0 || strncmp(name, "lt-silas", 8) == 0;
    looking = true;
    backtrace(first, 2); /* loads its library */
    if (getenv("SILAS_TEST_FAIL_DEPTH"))
        place_depth = atol(getenv("SILAS_TEST_FAIL_DEPTH"));
    if (getenv("PMI_RANK"))
        rank = getenv("PMI_RANK");
    else if (getenv("OMPI_COMM_WORLD_RANK"))
        rank = getenv("OMPI_COMM_WORLD_RANK");
    where = getenv("SILAS_TEST_FAIL_WHERE");
    if (at && (!only || strcmp(only, rank) == 0))
        fail_at = atol(at);
    fail_threads = getenv("SILAS_TEST_FAIL_THREAD") && (!only || strcmp(only, rank) == 0);
    dl_iterate_phdr(add_ranges, &is_silas);
    looking = false;
}

static void append(const char *path, const char *line)
{
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0)
        return;
    ssize_t written = write(file, line, strlen(line));
    (void)written;
    close(file);
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("SILAS_TEST_FAIL_COUNT");
    char line[100];
    snprintf(line, sizeof line, "%s %ld\n", rank, made);
    if (path && range_count > 0)
        append(path, line);
}

/* False: it has been made before. */
static bool is_new(uint64_t hash)
{
    size_t place = hash % PLACES_MAX;
    for (int i = 0; i < PLACES_MAX; i++, place = (place + 1) % PLACES_MAX) {
        if (places[place] == hash)
            return false;
        if (places[place] == 0) {
            places[place] = hash;
            return true;
        }
    }
    return false;
}

/* Whether the allocation that `caller` makes is the one to fail. */
static bool fails(const void *caller)
{
    void *chain[CHAIN_MAX];
    uint64_t hash = 1;
    if (looking || !is_ours(caller))
        return false;
    looking = true;
    int count = backtrace(chain, CHAIN_MAX);
    for (int i = 0, depth = 0; i < count && depth < place_depth; i++)
        if (is_ours(chain[i]) && ++depth)
            hash = (hash ^ (uintptr_t)chain[i]) * 0x9e3779b97f4a7c15u;
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
        usleep(1);
    bool chosen = is_new(hash | 1) && ++made == fail_at;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    if (chosen && where) {
        int file = open(where, O_WRONLY | O_CREAT | O_APPEND, 0600);
        backtrace_symbols_fd(chain, count, file);
        close(file);
    }
    looking = false;
    if (chosen)
        errno = ENOMEM;
    return chosen;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
    return fails(CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(CALLER) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return fails(CALLER) ? NULL : __libc_realloc(block, size);
}

char *strndup(const char *text, size_t length)
{
    size_t size = strnlen(text, length);
    char *copy = fails(CALLER) ? NULL : __libc_malloc(size + 1);
    if (copy) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = fails(CALLER) ? NULL : __libc_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static int print(char **text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    *text = length < 0 ? NULL : __libc_malloc((size_t)length + 1);
    return *text ? vsnprintf(*text, (size_t)length + 1, format, arguments) : -1;
}

int vasprintf(char **text, const char *format, va_list arguments)
{
    return fails(CALLER) ? -1 : print(text, format, arguments);
}

int asprintf(char **text, const char *format, ...)
{
    va_list arguments;
    if (fails(CALLER))
        return -1;
    va_start(arguments, format);
    int length = print(text, format, arguments);
    va_end(arguments);
    return length;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                   void *argument)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return fail_threads && is_ours(CALLER) ? EAGAIN : real(thread, attributes, function, argument);
}
