#include "base/nearest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

size_t nearest_distance(const char *a, const char *b)
{
    enum { LONGEST = 255 };
    size_t row[LONGEST + 1], lb = strlen(b);
    if (lb > LONGEST)
        lb = LONGEST;
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < lb; j++) {
            size_t differs = tolower((unsigned char)a[i]) != tolower((unsigned char)b[j]);
            size_t replaced = diagonal + differs;
            diagonal = row[j + 1];
            row[j + 1] = min3(replaced, row[j] + 1, diagonal + 1);
        }
    }
    return row[lb];
}

int nearest_name(const char *wanted, const char *const *names, size_t count)
{
    int best = -1;
    size_t best_distance = strlen(wanted) / 3 + 1; /* farther away is a guess, and no help */
    for (size_t i = 0; i < count; i++) {
        size_t distance = nearest_distance(wanted, names[i]);
        if (distance <= best_distance && (best < 0 || distance < best_distance)) {
            best = (int)i;
            best_distance = distance;
        }
    }
    return best;
}
