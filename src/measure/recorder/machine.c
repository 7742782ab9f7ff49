#include "config.h" /* the version */

#include "measure/recorder/measurement.h"

#include "measure/recorder/definitions.h"
#include "measure/recorder/keeper.h"
#include "measure/recorder/records.h"
#include "measure/recorder/user_regions.h"

#include "base/cpus.h"
#include "base/host.h"
#include "base/map.h"
#include "base/otf2_attributes.h"
#include "base/sort.h"

#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern char **environ;

/* Writes the CPUs that this process may run on, as "0-3,8". */
static void format_cpus(char *text, size_t size)
{
    struct cpu_mask mask;
    size_t used = 0;
    text[0] = '\0';
    cpus_of_process(&mask);
    for (int first = 0, next; first < CPUS_MAX && used < size; first = next) {
        next = first + 1;
        if (!cpus_has(&mask, first))
            continue;
        while (next < CPUS_MAX && cpus_has(&mask, next))
            next++;
        used += (size_t)snprintf(text + used, size - used, "%s%d", used ? "," : "", first);
        if (next > first + 1 && used < size)
            used += (size_t)snprintf(text + used, size - used, "-%d", next - 1);
    }
}

/* Puts the command line, which is read from the kernel because main's argv is not accessible. */
static void put_arguments(struct definition *definition)
{
    enum { LONGEST = 1 << 16 };
    char *text = malloc(LONGEST);
    FILE *file = fopen("/proc/self/cmdline", "re");
    size_t length = text && file ? fread(text, 1, LONGEST - 1, file) : 0;
    if (text)
        text[length] = '\0';
    size_t first = length ? strlen(text) + 1 : 0; /* skips the program's name */
    uint32_t count = 0;
    for (size_t at = first; at < length; at += strlen(text + at) + 1)
        count++;
    definition_put(definition, &count, sizeof count);
    for (size_t at = first; at < length; at += strlen(text + at) + 1)
        definition_put_text(definition, text + at);
    if (file)
        fclose(file);
    free(text);
}

void machine_define_process(uint32_t rank, uint32_t size)
{
    char host[256] = "", boot[64], cpus[8192], program[4096];
    struct definition definition;
    gethostname(host, sizeof host - 1);
    host_boot_id(boot, sizeof boot);
    format_cpus(cpus, sizeof cpus);
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    const uint32_t numbers[] = {rank, size, tracer_clock.tsc};
    definition_begin(&definition, DEFINITION_PROCESS, numbers, 3);
    definition_put_text(&definition, host);
    definition_put_text(&definition, boot);
    definition_put_text(&definition, cpus);
    definition_put_text(&definition, program);
    put_arguments(&definition);
    definition_end(&definition);
}

uint64_t machine_clock_identity(void)
{
    return map_mix(host_identity() ^ tracer_clock.tsc);
}

/* A piece is so short that it is rarely interrupted. The pieces' memory exceeds several levels of
 * cache and is not cached yet, like a segment of an event file. */
enum { PIECE_EVENTS = 200, PIECES = 400 };
static_assert(PIECE_EVENTS % 2 == 0, "call_hooks records pairs");

#define MEMORY_SIZE (PIECES * PIECE_EVENTS * sizeof(struct record_slot))

/* Reads the clock and stores a record, as a wrapper does twice. */
static void record_enters(struct recorder *recorder)
{
    for (int i = 0; i < PIECE_EVENTS; i++)
        record_enter(recorder, record_now(), 0);
}

static char no_function; /* its address is unique */

/* Enters and leaves of a function compiled with -finstrument-functions: the call of the hook, the
 * search for the function, the record. */
static void call_hooks(struct recorder *recorder)
{
    static void (*volatile const enter)(void *, void *) = __cyg_profile_func_enter;
    static void (*volatile const leave)(void *, void *) = __cyg_profile_func_exit;
    (void)recorder; /* the thread's own */
    for (int i = 0; i < PIECE_EVENTS / 2; i++) {
        enter(&no_function, NULL);
        leave(&no_function, NULL);
    }
}

/* The cost in ns of an event that `record` records: the median over the pieces, which is the cost
 * without interruptions. The recorder given to it is the thread's own during the call. The records
 * are discarded. 0 if out of memory. */
static double cost_of(void (*record)(struct recorder *recorder))
{
    double cost[PIECES];
    struct record_slot *memory = mmap(NULL, MEMORY_SIZE, PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED)
        return 0;
    struct recorder *own = recorder_own;
    struct recorder scratch = {.next = memory, .end = memory + PIECES * PIECE_EVENTS};
    recorder_own = &scratch;
    for (int piece = 0; piece < PIECES; piece++) {
        uint64_t before = tracer_clock_moment().monotonic;
        record(&scratch);
        cost[piece] = (double)(tracer_clock_moment().monotonic - before) / PIECE_EVENTS;
    }
    recorder_own = own;
    munmap(memory, MEMORY_SIZE);
    qsort(cost, PIECES, sizeof cost[0], order_double);
    return cost[PIECES / 2];
}

static void define_property(const char *name, const char *value)
{
    struct definition definition;
    definition_begin(&definition, DEFINITION_PROPERTY, NULL, 0);
    definition_put_text(&definition, name);
    definition_put_text(&definition, value);
    definition_end(&definition);
}

static bool moves_eager_limit(const char *variable)
{
    size_t length = strcspn(variable, "=");
    char name[256];
    if (length >= sizeof name)
        return false;
    memcpy(name, variable, length);
    name[length] = '\0';
    bool mpi = strncmp(name, "MPIR_", 5) == 0 || strncmp(name, "MPICH_", 6) == 0 ||
               strncmp(name, "UCX_", 4) == 0 || strncmp(name, "FI_", 3) == 0 ||
               strncmp(name, "I_MPI_", 6) == 0 || strncmp(name, "MV2_", 4) == 0;
    return mpi && (strstr(name, "EAGER") || strstr(name, "RNDV") || strstr(name, "THRESH"));
}

static void define_eager_limits(void)
{
    char text[4096] = "";
    size_t used = 0;
    for (char **variable = environ; *variable; variable++)
        if (moves_eager_limit(*variable) && used + strlen(*variable) + 2 < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "",
                                     *variable);
    define_property(SILAS_PROPERTY_EAGER_LIMITS, text);
}

/* What silas-trace has found out before the program began. */
static void define_environment(const char *name, const char *variable)
{
    const char *value = getenv(variable);
    define_property(name, value ? value : "");
}

static void define_nanoseconds(const char *name, double ns)
{
    char text[32];
    snprintf(text, sizeof text, "%.1f", ns);
    define_property(name, text);
}

/* The archive states the filter and the options of the recording, so that silas-verify can record
 * a changed program in the same way. */
static void define_options(void)
{
    char *filter = user_filter_text();
    char options[128];
    snprintf(options, sizeof options, "%s%s%s%s%s%s",
             measurement_settings.every_test ? " --every-test" : "",
             measurement_settings.sites == SITES_ALWAYS  ? " --call-sites"
             : measurement_settings.sites == SITES_NEVER ? " --no-call-sites"
                                                         : "",
             getenv(KEEPER_ENV_OPENMP) ? " --openmp" : "",
             measurement_settings.pthreads ? " --pthread" : "",
             getenv(KEEPER_ENV_PYTHON) ? " --python" : "",
             measurement_settings.compatible ? " --compatible scalasca-2.6" : "");
    define_property(SILAS_PROPERTY_FILTER, filter ? filter : "");
    define_property(SILAS_PROPERTY_OPTIONS, options[0] ? options + 1 : "");
    free(filter);
}

void machine_define_properties(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "", standard[32];
    int length, version, subversion;
    PMPI_Get_library_version(library, &length);
    for (char *at = library; *at; at++)
        *at = *at == '\t' ? ' ' : *at;
    library[strcspn(library, "\n")] = '\0';
    PMPI_Get_version(&version, &subversion);
    snprintf(standard, sizeof standard, "%d.%d", version, subversion);
    define_property(SILAS_PROPERTY_VERSION, PACKAGE_VERSION);
    define_property(SILAS_PROPERTY_MPI_STANDARD, standard);
    define_property(SILAS_PROPERTY_MPI_LIBRARY, library);
    define_property(SILAS_PROPERTY_CLOCK, tracer_clock.tsc ? "tsc" : "clock_gettime");
    define_eager_limits();
    define_options();
    define_environment(SILAS_PROPERTY_TEAM_COSTS, KEEPER_ENV_TEAMS);
    define_environment(SILAS_PROPERTY_OMP_THREADS, KEEPER_ENV_THREADS);
    define_nanoseconds(SILAS_PROPERTY_EVENT_COST, cost_of(record_enters));
    define_nanoseconds(SILAS_PROPERTY_CLOCK_COST, tracer_clock.read_ns);
    define_nanoseconds(SILAS_PROPERTY_FUNCTION_COST,
                       user_function_known_as(&no_function, 0) ? cost_of(call_hooks) : 0);
}
