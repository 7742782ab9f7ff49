#include "report/cubex/rows.h"

#include <stdlib.h>
#include <string.h>

bool cubex_rows_preorder(const uint32_t *parents, uint32_t count, uint32_t *order)
{
    uint32_t *sizes = malloc((count + (size_t)1) * 2 * sizeof *sizes);
    if (!sizes)
        return false;
    uint32_t *free_place = sizes + count; /* where the next child of a node goes; last: roots */
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = 1;
    for (uint32_t i = count; i-- > 0;)
        if (parents[i] != CUBEX_NO_PARENT)
            sizes[parents[i]] += sizes[i];
    free_place[count] = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *place = &free_place[parents[i] == CUBEX_NO_PARENT ? count : parents[i]];
        order[*place] = i;
        free_place[i] = *place + 1;
        *place += sizes[i];
    }
    free(sizes);
    return true;
}

bool cubex_rows_by_siblings(const uint32_t *parents, uint32_t count, uint32_t *order)
{
    /* Children in lists, and the nodes in preorder. */
    uint32_t *first = malloc((count + (size_t)1) * 3 * sizeof *first);
    if (!first)
        return false;
    uint32_t *next = first + count, *preorder = next + count, place = 0;
    memset(first, 0xff, (size_t)count * sizeof *first); /* CUBEX_NO_PARENT: none */
    for (uint32_t i = count; i-- > 0;)
        if (parents[i] != CUBEX_NO_PARENT) {
            next[i] = first[parents[i]];
            first[parents[i]] = i;
        }
    bool done = cubex_rows_preorder(parents, count, preorder);
    for (uint32_t i = 0; done && i < count; i++) {
        if (parents[preorder[i]] == CUBEX_NO_PARENT)
            order[place++] = preorder[i];
        for (uint32_t child = first[preorder[i]]; child != CUBEX_NO_PARENT; child = next[child])
            order[place++] = child;
    }
    free(first);
    return done;
}
