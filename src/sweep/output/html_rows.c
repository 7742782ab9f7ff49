#include "sweep/output/html_parts.h"

#include <math.h>

void html_settings(const struct table *table, const struct sweep_run *run, FILE *stream)
{
    bool any = false;
    for (size_t k = 0; k < table->key_count; k++) {
        const char *value = run_setting(run, table->keys[k].name);
        if (!table->keys[k].varies || !value)
            continue;
        fputs(any ? ", " : "", stream);
        html_text(table->keys[k].label, stream);
        fputs(" = ", stream);
        html_text(value, stream);
        any = true;
    }
    if (!any)
        fputs("-", stream);
}

double html_percent(double fraction)
{
    const double percent = 100 * fraction;
    return fabs(percent) < 0.005 ? 0 : percent;
}

bool html_has_figures(const struct table_row *row)
{
    return row->result->state == RUN_DONE && isfinite(row->objective.median);
}

size_t html_count_figures(const struct table *table)
{
    size_t count = 0;
    while (count < table->row_count && html_has_figures(&table->rows[count]))
        count++;
    return count;
}

const char *html_class(const struct table_row *row, bool better)
{
    if (row->significant)
        return better ? "gain" : "loss";
    return better ? "gain unsure" : "loss unsure";
}
