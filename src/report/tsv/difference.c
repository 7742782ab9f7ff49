#include "report/tsv/difference.h"

#include "report/tsv/severity.h"

#include <stdlib.h>

/* One metric in one call path, a line for each location. */
static void write_path(const struct comparison *comparison, enum metric metric, uint32_t path,
                       FILE *file)
{
    const struct severity *names = comparison->before;
    char *text = NULL;
    for (uint32_t i = 0; i < names->location_count; i++) {
        double before = severity_get(comparison->before, metric, path, i);
        double after = severity_get(comparison->after, metric, path, i);
        if (before == 0 && after == 0)
            continue;
        if (!text)
            text = severity_tsv_path(names, path);
        fprintf(file, "%s\t%s\t%u.%u\t%.17g\t%.17g\t%.17g\n", metric_infos[metric].name,
                text ? text : "?", names->locations[i].rank, names->locations[i].thread, before,
                after, before - after);
    }
    free(text);
}

void difference_tsv_write(const struct comparison *comparison, FILE *file)
{
    fputs(DIFFERENCE_TSV_HEADER "\n", file);
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        if (comparison->before->values[metric] || comparison->after->values[metric])
            for (uint32_t path = 0; path < comparison->before->path_count; path++)
                write_path(comparison, (enum metric)metric, path, file);
}
