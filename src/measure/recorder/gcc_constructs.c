#include "measure/recorder/gcc_constructs.h"

#include "measure/recorder/imported_functions.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define OWN_TLS __attribute__((tls_model("initial-exec")))

/* Between the two questions at the start of a loop there are only a few instructions, unless the
 * code has asked one of them before. */
enum { MOST_BYTES_BETWEEN = 64 };

/* X(NAME): functions of the runtime without arguments that all threads of a team call at the end of
 * a construct. */
#define ENDS(X)             \
    X(GOMP_barrier)         \
    X(GOMP_loop_end)        \
    X(GOMP_loop_end_nowait) \
    X(GOMP_sections_end)    \
    X(GOMP_sections_end_nowait)

/* The runtime's functions. */
static struct {
    int (*num_threads)(void), (*thread_num)(void);
    unsigned (*sections_start)(unsigned count);
#define X(name) void (*name)(void);
    ENDS(X)
#undef X
} runtime;

static void (*begins)(const void *place);

/* The calling thread. */
static __thread struct {
    const char *asked;    /* where it has just asked for the number of threads; NULL: it has not */
    const void *frame;    /* of the call of the function that contains the last loop; NULL: none */
    const void *numbered; /* of the last one that has asked for the thread's number */
    const void *caller;   /* of the function of the runtime that it executes; NULL: none */
    bool begins_sections;
} self OWN_TLS;

/* Each replacement below has a separate frame, whose address depends only on the caller's
 * call. So two calls from one execution of a function have the same one. */
#define CALLED_FROM ((const char *)__builtin_return_address(0))
#define FRAME       ((const void *)__builtin_frame_address(0))

static void begin_static_loop(const void *place, const void *frame)
{
    self.frame = frame;
    self.asked = NULL;
    begins(place);
}

/* The code may know the thread's number already. */
static int num_threads(void)
{
    const void *frame = FRAME;
    self.asked = CALLED_FROM;
    if (self.numbered == frame && self.frame != frame)
        begin_static_loop(self.asked, frame);
    return runtime.num_threads();
}

static int thread_num(void)
{
    const char *place = CALLED_FROM, *asked = self.asked;
    const void *frame = FRAME;
    const int number = runtime.thread_num();
    self.numbered = frame;
    if (asked && place > asked && place - asked <= MOST_BYTES_BETWEEN)
        begin_static_loop(asked, frame);
    self.asked = NULL;
    return number;
}

static unsigned sections_start(unsigned count)
{
    self.caller = CALLED_FROM;
    self.begins_sections = true;
    const unsigned section = runtime.sections_start(count);
    self.caller = NULL;
    self.begins_sections = false;
    return section;
}

/* A function that the compiler has made to end with such a call jumps there: then this is a call by
 * its caller. */
static void call_end(void (*end)(void), const void *place, const void *frame)
{
    self.caller = place;
    end();
    self.caller = NULL;
    if (self.frame && self.frame == frame)
        begins(place);
    else
        self.frame = NULL;
}

#define X(name)                                     \
    static void name(void)                          \
    {                                               \
        call_end(runtime.name, CALLED_FROM, FRAME); \
    }
ENDS(X)
#undef X

void gcc_constructs_new_region(void)
{
    self.asked = NULL;
    self.frame = self.numbered = NULL;
}

const void *gcc_construct_place(const void *place)
{
    return self.caller ? self.caller : place;
}

bool gcc_construct_is_sections(void)
{
    return self.begins_sections;
}

void gcc_constructs_watch(void (*loop_begins)(const void *place))
{
    static const struct {
        struct replaced_function replacement;
        void *function; /* of the runtime: where its address is kept */
    } list[] = {{{"omp_get_num_threads", (void (*)(void))num_threads}, &runtime.num_threads},
                {{"omp_get_thread_num", (void (*)(void))thread_num}, &runtime.thread_num},
                {{"GOMP_sections_start", (void (*)(void))sections_start}, &runtime.sections_start},
#define X(name) {{#name, name}, &runtime.name},
                ENDS(X)
#undef X
    };
    enum { COUNT = sizeof list / sizeof *list };
    struct replaced_function replacements[COUNT];
    for (int i = 0; i < COUNT; i++) {
        replacements[i] = list[i].replacement;
        void *address = dlsym(RTLD_DEFAULT, replacements[i].name);
        if (!address)
            return; /* not a runtime for programs built by GCC */
        *(void **)list[i].function = address;
    }
    begins = loop_begins;
    imported_functions_replace("__kmpc_", replacements, COUNT);
}
