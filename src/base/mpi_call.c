#include "base/mpi_call.h"

#include <ctype.h>
#include <string.h>

const struct mpi_call_info mpi_call_infos[MPI_CALL_COUNT] = {
    [MPI_CALL_NONE] = {"", MPI_CLASS_NONE, COLLECTIVE_OP_COUNT},
#include "base/mpi_call_infos.inc"
};

static enum mpi_call find_call_of_name(const char *name, size_t length)
{
    for (int call = MPI_CALL_NONE + 1; call < MPI_CALL_COUNT; call++)
        if (strncasecmp(mpi_call_infos[call].name, name, length) == 0 &&
            mpi_call_infos[call].name[length] == '\0')
            return (enum mpi_call)call;
    return MPI_CALL_NONE;
}

static size_t skip_blanks(const char *name, size_t at)
{
    return at + strspn(name + at, " \t");
}

/* The place after the parenthesis that closes the one at `at`; `at` itself if there is none. */
static size_t behind_parentheses(const char *name, size_t at)
{
    int depth = 0;
    for (size_t i = at; name[i]; i++) {
        depth += (name[i] == '(') - (name[i] == ')');
        if (depth == 0)
            return i + 1;
    }
    return at;
}

/* The length of the identifier at the start of `name`; 0 if something else follows than arguments
 * in parentheses, and what tools add to names: places in the source in brackets or braces, remarks
 * such as TAU's [THROTTLED], versions of symbols after an '@'. */
static size_t identifier_length(const char *name)
{
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || name[length] == '_')
        length++;
    size_t end = skip_blanks(name, length);
    if (name[end] == '(')
        end = skip_blanks(name, behind_parentheses(name, end));
    return name[end] == '\0' || strchr("[{<@", name[end]) ? length : 0;
}

static bool cut_ending(const char *name, size_t *length, const char *ending)
{
    const size_t size = strlen(ending);
    if (*length < size || strncasecmp(name + *length - size, ending, size) != 0)
        return false;
    *length -= size;
    return true;
}

enum mpi_call mpi_call_from_name(const char *name)
{
    name += skip_blanks(name, 0);
    name += name[0] == 'p' || name[0] == 'P';
    size_t length = identifier_length(name);
    while (length > 0 && name[length - 1] == '_')
        length--;
    if (!cut_ending(name, &length, "_f08ts"))
        cut_ending(name, &length, "_f08");
    if (length < 5 || strncasecmp(name, "mpi_", 4) != 0)
        return MPI_CALL_NONE;
    enum mpi_call call = find_call_of_name(name, length);
    bool large =
        call != MPI_CALL_NONE && length > 2 && strncasecmp(name + length - 2, "_c", 2) == 0;
    return large ? find_call_of_name(name, length - 2) : call;
}
