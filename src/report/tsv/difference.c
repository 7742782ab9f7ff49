#include "report/tsv/parts.h"

#include <stdlib.h>

/* One metric in one call path, a line for each location. */
static bool write_path(const struct comparison *comparison, enum metric metric, uint32_t path,
                       FILE *stream)
{
    const struct severity *names = comparison->before;
    char *text = NULL;
    for (uint32_t i = 0; i < names->location_count; i++) {
        double before = severity_get(comparison->before, metric, path, i);
        double after = severity_get(comparison->after, metric, path, i);
        if (before == 0 && after == 0)
            continue;
        if (!text && !(text = tsv_path(names, path)))
            return false;
        fprintf(stream, "%s\t%s\t%u.%u\t%.17g\t%.17g\t%.17g\n", metric_infos[metric].name, text,
                names->locations[i].rank, names->locations[i].thread, before, after,
                before - after);
    }
    free(text);
    return true;
}

bool tsv_difference_write(const struct replay_report *report, FILE *stream)
{
    const struct comparison *comparison = &report->comparison;
    fputs(DIFFERENCE_TSV_HEADER "\n", stream);
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        if (comparison->before->values[metric] || comparison->after->values[metric])
            for (uint32_t path = 0; path < comparison->before->path_count; path++)
                if (!write_path(comparison, (enum metric)metric, path, stream))
                    return false;
    return !ferror(stream);
}
