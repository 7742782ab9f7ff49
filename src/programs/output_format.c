#include "programs/output_format.h"

#include "programs/option_values.h"

#include <assert.h>
#include <string.h>

int output_format_choose(const struct program *program, const char *name, const char *path,
                         const char *const *names, int *choice)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    assert(names[0]);
    *choice = 0;
    if (name)
        return option_choice(program, "--format", name, names, choice);
    for (int i = 0; dot && names[i]; i++)
        if (strcmp(names[i], dot + 1) == 0) {
            *choice = i;
            return 0;
        }
    return 0;
}
