/* A sweep's table as a page: the JSON document and further data of the page, drawn by
 * sweep.js. Links are relative to the sweep's folder, where result.html lies. */
#include "report/page/page.h"
#include "sweep/output/formats.h"

#include <math.h>

enum { MOST_RUNS = 2000 }; /* in a page, and the runs of the front; csv and json have all */

extern const struct page_kind sweep_page;

static json_t *keys_json(const struct sweep_table *table)
{
    json_t *keys = json_array();
    for (size_t i = 0; i < table->key_count; i++)
        json_append(&keys, JSON_MEMBERS({"name", json_text(table->keys[i].name)},
                                        {"label", json_text(table->keys[i].label)},
                                        {"varies", json_boolean(table->keys[i].varies)}));
    return keys;
}

static size_t count_gains(const struct sweep_table *table)
{
    size_t gains = 0;
    for (size_t i = 0; i < table->row_count; i++)
        gains += table->rows[i].significant && table->rows[i].objective.median > 0;
    return gains;
}

static bool write_table_page(const struct sweep_table *table, FILE *stream)
{
    json_t *more =
        JSON_MEMBERS({"keys", keys_json(table)}, {"gains", json_count(count_gains(table))},
                     {"replayed", json_count(table->replayed_count)});
    return page_write(&sweep_page, "Sweep", json_joined(table_json(table, MOST_RUNS), more),
                      stream);
}

const struct table_format html_table = {"html", "a page for a browser, with figures",
                                        write_table_page};
