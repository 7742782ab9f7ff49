#include "config.h" /* dladdr */

#include "measure/recorder/call_sites.h"

#include "measure/recorder/address_regions.h"
#include "measure/recorder/code_library.h"
#include "measure/recorder/definitions.h"
#include "measure/recorder/user_regions.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include <unwind.h>

/* A function of MPI or of the tracer that calls another one has the same frame size at each of
 * these calls. So its caller's address is at the same distance from the callee's frame address.
 * Unwinding the stack finds the distance at the first call; then it is kept instead of a region. */
#define PASSED (UINT32_C(1) << 30) /* plus the distance, bytes */

bool call_sites_recorded;

enum {
    LARGEST_FRAME = 1 << 20, /* bytes */
    DEEPEST = 8,             /* frames of MPI and of the tracer */
};

struct stack_frame {
    const void *return_address, *frame;
    bool found;
    uint32_t size; /* of the caller's frame, in bytes; 0: unknown */
};

/* The unwinder gives the stack pointer of each function's caller, which is the frame address of the
 * function. */
static _Unwind_Reason_Code see_frame(struct _Unwind_Context *context, void *data)
{
    struct stack_frame *wanted = data;
    const uintptr_t own = (uintptr_t)wanted->frame;
    const uintptr_t frame = (uintptr_t)_Unwind_GetCFA(context);
    if (frame > own) {
        if (wanted->found && frame - own <= LARGEST_FRAME)
            wanted->size = (uint32_t)(frame - own);
        return _URC_END_OF_STACK;
    }
    if (frame == own)
        wanted->found = (uintptr_t)_Unwind_GetIP(context) == (uintptr_t)wanted->return_address;
    return _URC_NO_REASON;
}

enum place { IN_PROGRAM, IN_MPI, IN_BINDING };

static bool is_in_tracer(const void *address)
{
    Dl_info object, tracer;
    return dladdr(address, &object) && dladdr((const void *)see_frame, &tracer) &&
           object.dli_fbase == tracer.dli_fbase;
}

/* Where an address is. IN_MPI: in MPI or the tracer. IN_BINDING: in a library by which Python calls
 * MPI (the module MPI of mpi4py, or libffi), which says nothing about the place in the program. */
static enum place locate_code(const void *address)
{
    static const char *const mpi[] = {"libmpi"};
    static const char *const bindings[] = {"libffi.", "MPI.so", "MPI.cpython-", "MPI.abi3.",
                                           "MPI.pypy"};
    if (is_in_tracer(address) || code_library_begins(address, mpi, 1))
        return IN_MPI;
    return code_library_begins(address, bindings, sizeof bindings / sizeof *bindings) ? IN_BINDING
                                                                                      : IN_PROGRAM;
}

static uint32_t define_site(unsigned kind, uint32_t object, uint64_t address, const void *data)
{
    struct stack_frame frame = *(const struct stack_frame *)data;
    _Unwind_Backtrace(see_frame, &frame);
    if (!frame.found || object == RECORD_NONE)
        return USER_REGION_EXCLUDED;
    switch (locate_code(frame.return_address)) {
    case IN_MPI:
        return frame.size ? PASSED + frame.size : USER_REGION_EXCLUDED;
    case IN_PROGRAM:
        return define_call(object, address, (enum mpi_call)(kind - ADDRESS_OF_CALL));
    default:
        return USER_REGION_EXCLUDED;
    }
}

uint32_t call_site_region(enum mpi_call call, const void *return_address, const void *frame,
                          bool *direct)
{
    struct stack_frame place = {.return_address = return_address, .frame = frame};
    const void *before = NULL;
    for (int depth = 0; depth < DEEPEST; depth++) {
        const uint32_t region =
            address_region(ADDRESS_OF_CALL + call, place.return_address, define_site, &place);
        if (region == USER_REGION_EXCLUDED && before) /* the size of the frame varies */
            address_region_set(ADDRESS_OF_CALL + call, before, USER_REGION_EXCLUDED);
        *direct = depth == 0;
        if (region == USER_REGION_EXCLUDED || !(region & PASSED))
            return region;
        before = place.return_address;
        place.frame = (const char *)place.frame + (region - PASSED);
        memcpy(&place.return_address, (const char *)place.frame - sizeof(void *),
               sizeof place.return_address);
    }
    return USER_REGION_EXCLUDED;
}
