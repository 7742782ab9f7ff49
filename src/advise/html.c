/* Advice as a page for a browser: the JSON document, drawn by advice.js. */
#include "advise/format.h"

#include "base/command_line.h"
#include "report/page/page.h"

extern const struct page_kind advice_page;

/* {"mpi_latesender": "Late Sender"} for all metrics of waiting. */
static json_t *titles_json(void)
{
    json_t *titles = json_object();
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
        if (metric_is_wait(metric))
            titles = json_joined(titles, JSON_MEMBERS({metric_infos[metric].name,
                                                       json_text(metric_infos[metric].title)}));
    return titles;
}

bool advice_write_html(const struct advice *advice, FILE *stream)
{
    return page_write(&advice_page, "Advice",
                      JSON_MEMBERS({"advice", advice_json(advice)}, {"titles", titles_json()},
                                   {"command", json_text(command_line_text())}),
                      stream);
}
