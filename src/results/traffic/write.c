/* Traffic as JSON, as a page, and as CSV. */
#include "results/traffic/traffic.h"

#include "base/json.h"
#include "report/csv.h"
#include "report/page/page.h"

extern const struct page_kind traffic_page;

enum { FORMAT_VERSION = 1 };

static json_t *amount_object(const struct traffic_amount *amount)
{
    return JSON_MEMBERS({"messages", json_number(amount->messages)},
                        {"bytes", json_number(amount->bytes)});
}

/* The pairs as columns. */
static json_t *pairs_object(const struct message_pairs *pairs)
{
    json_t *from = json_array(), *to = json_array(), *messages = json_array(),
           *bytes = json_array(), *transfers = json_array(), *transferred = json_array();
    for (size_t i = 0; i < pairs->count; i++) {
        const struct message_pair *pair = &pairs->items[i];
        json_append(&from, json_count(pair->from));
        json_append(&to, json_count(pair->to));
        json_append(&messages, json_count(pair->messages));
        json_append(&bytes, json_count(pair->bytes));
        json_append(&transfers, json_count(pair->transfers));
        json_append(&transferred, json_count(pair->transferred_bytes));
    }
    return JSON_MEMBERS({"from", from}, {"to", to}, {"messages", messages}, {"bytes", bytes},
                        {"transfers", transfers}, {"transferred_bytes", transferred});
}

static json_t *sizes_list(const struct traffic *traffic)
{
    json_t *list = json_array();
    for (int k = 0; k < TRAFFIC_SIZES; k++)
        if (traffic->sizes[k].messages > 0)
            json_append(&list, json_joined(JSON_MEMBERS({"least_bytes",
                                                         json_count(k ? 1ull << (k - 1) : 0)}),
                                           amount_object(&traffic->sizes[k])));
    return list;
}

static json_t *collectives_list(const struct traffic *traffic)
{
    json_t *list = json_array();
    for (int op = 0; op < COLLECTIVE_OP_COUNT; op++)
        if (traffic->collectives[op].calls > 0)
            json_append(&list, JSON_MEMBERS({"operation",
                                             json_text(collective_op_name((enum collective_op)op))},
                                            {"calls", json_count(traffic->collectives[op].calls)},
                                            {"bytes", json_count(traffic->collectives[op].bytes)}));
    return list;
}

static json_t *windows_object(const struct traffic *traffic)
{
    json_t *messages = json_array(), *bytes = json_array();
    for (uint32_t w = 0; w < traffic->window_count; w++) {
        json_append(&messages, json_number(traffic->windows[w].messages));
        json_append(&bytes, json_number(traffic->windows[w].bytes));
    }
    return JSON_MEMBERS({"mean", amount_object(&traffic->mean)},
                        {"most", amount_object(&traffic->most)},
                        {"window_s", json_number(traffic->length_s / traffic->window_count)},
                        {"messages", messages}, {"bytes", bytes});
}

static json_t *traffic_object(const struct traffic *traffic)
{
    json_t *node = json_array();
    for (uint32_t rank = 0; rank < traffic->rank_count; rank++)
        json_append(&node, json_count(traffic->node[rank]));
    return JSON_MEMBERS(
        {"format", json_text("silas-traffic")}, {"version", json_count(FORMAT_VERSION)},
        {"trace", json_text(traffic->path)}, {"ranks", json_count(traffic->rank_count)},
        {"node", node}, {"length_s", json_number(traffic->length_s)},
        {"sent", amount_object(&traffic->sent)},
        {"within_nodes", amount_object(&traffic->within_nodes)},
        {"unmatched", json_count(traffic->unmatched)},
        {"send_to_receive_s", json_number(traffic->in_flight_s)}, {"sizes", sizes_list(traffic)},
        {"collectives", collectives_list(traffic)}, {"pairs", pairs_object(&traffic->pairs)},
        {"in_flight", windows_object(traffic)});
}

bool traffic_write_json(const void *traffic, FILE *stream)
{
    return json_write(traffic_object(traffic), stream);
}

bool traffic_write_page(const void *traffic, FILE *stream)
{
    return page_write(&traffic_page, "Traffic", traffic_object(traffic), stream);
}

bool traffic_write_csv(const void *what, FILE *stream)
{
    static const char *const columns[] = {"from",  "to",        "messages",
                                          "bytes", "transfers", "transferred_bytes"};
    const struct traffic *traffic = what;
    const size_t count = sizeof columns / sizeof *columns;
    for (size_t i = 0; i < count; i++) {
        csv_text(columns[i], stream);
        if (i + 1 < count)
            csv_next(stream);
    }
    csv_end(stream);
    for (size_t p = 0; p < traffic->pairs.count; p++) {
        const struct message_pair *pair = &traffic->pairs.items[p];
        const uint64_t values[] = {pair->from,  pair->to,        pair->messages,
                                   pair->bytes, pair->transfers, pair->transferred_bytes};
        for (size_t i = 0; i < count; i++) {
            fprintf(stream, "%llu", (unsigned long long)values[i]);
            if (i + 1 < count)
                csv_next(stream);
        }
        csv_end(stream);
    }
    return !ferror(stream);
}
