#include "report/difference_tsv.h"

enum { PATH_TEXT = 4096 };

/* One metric in one call path, a line for each location. */
static void write_path(const struct comparison *comparison, enum metric metric, uint32_t path,
                       FILE *file)
{
    const struct severity *names = comparison->before;
    char text[PATH_TEXT] = "";
    for (uint32_t i = 0; i < names->location_count; i++) {
        double before = severity_get(comparison->before, metric, path, i);
        double after = severity_get(comparison->after, metric, path, i);
        if (before == 0 && after == 0)
            continue;
        if (!text[0])
            severity_path_format(names, path, text, sizeof text);
        fprintf(file, "%s\t%s\t%u.%u\t%.17g\t%.17g\t%.17g\n", metric_infos[metric].name, text,
                names->locations[i].rank, names->locations[i].thread, before, after,
                before - after);
    }
}

void difference_tsv_write(const struct comparison *comparison, FILE *file)
{
    fputs("metric\tcall path\tlocation\tbefore\tafter\tdifference\n", file);
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        if (comparison->before->values[metric] || comparison->after->values[metric])
            for (uint32_t path = 0; path < comparison->before->path_count; path++)
                write_path(comparison, (enum metric)metric, path, file);
}
