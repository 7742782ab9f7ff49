#include "structure/sampling.h"

#include "base/descriptors.h"

#include <assert.h>
#include <stdlib.h>

static const struct signal_kind *const none[] = {NULL};
static const struct signal_kind **extended; /* NULL: no plug-in has added a signal */

const struct signal_kind *const *signal_list(void)
{
    return extended ? (const struct signal_kind *const *)extended : none;
}

bool signal_list_add(const struct signal_kind *kind)
{
    const struct signal_kind **longer = descriptors_with(signal_list(), kind, 0);
    if (!longer)
        return false;
    free(extended);
    extended = longer;
    return true;
}

void sampling_add(struct sampling *sampling, uint64_t from, uint64_t to, double value)
{
    assert(sampling->count > 0 && sampling->width > 0);
    from = from > sampling->begin ? from : sampling->begin;
    to = to < sampling->end ? to : sampling->end;
    if (from >= to)
        return;
    size_t bin = (size_t)((double)(from - sampling->begin) / sampling->width);
    for (; from < to && bin < sampling->count; bin++) {
        uint64_t next = sampling->begin + (uint64_t)(sampling->width * (double)(bin + 1));
        uint64_t stop = next < to && bin + 1 < sampling->count ? next : to;
        if (stop <= from)
            continue;
        sampling->sums[bin] += value * (double)(stop - from);
        from = stop;
    }
}
