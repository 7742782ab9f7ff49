#include "replay/realtime/approximations.h"

#include <stdio.h>
#include <stdlib.h>

char *approximations_format(const struct approximations *approximations,
                            const struct processes *processes)
{
    static const char *const texts[APPROXIMATION_COUNT] = {
#define X(identifier, text) [APPROXIMATION_##identifier] = text,
        APPROXIMATIONS(X)
#undef X
    };
    struct approximations all = *approximations;
    processes_sum(processes, all.counts, APPROXIMATION_COUNT);
    char *lines = NULL;
    size_t size;
    FILE *stream = open_memstream(&lines, &size);
    if (!stream)
        return NULL;
    for (int i = 0; i < APPROXIMATION_COUNT; i++)
        if (all.counts[i] > 0)
            fprintf(stream, "%lld %s\n", (long long)all.counts[i], texts[i]);
    if (fclose(stream) != 0) {
        free(lines);
        return NULL;
    }
    return lines;
}
