/* Traffic as text. */
#include "results/traffic/traffic.h"

#include "base/plural.h"
#include "base/sort.h"
#include "base/units.h"
#include "report/text/output.h"

#include <math.h>
#include <stdlib.h>

enum {
    LABEL = 34,         /* width of the names of sums */
    MATRIX_MOST = 16,   /* rows and columns of a matrix */
    MATRIX_COLUMN = 10, /* its width */
    PAIRS_MOST = 10,
};

static void write_traffic_sums(const struct traffic *traffic, FILE *file)
{
    const struct traffic_amount *sent = &traffic->sent;
    uint64_t transfers = 0, transferred_bytes = 0;
    for (size_t i = 0; i < traffic->pairs.count; i++) {
        transfers += traffic->pairs.items[i].transfers;
        transferred_bytes += traffic->pairs.items[i].transferred_bytes;
    }
    fprintf(file, "  %-*s%.0f\n", LABEL, "messages", sent->messages);
    if (sent->messages > 0) {
        fprintf(file, "  %-*s%s\n", LABEL, "bytes", byte_text_alone(sent->bytes, 4).text);
        fprintf(file, "  %-*s%.1f %% of the messages, %.1f %% of the bytes\n", LABEL,
                "within nodes", 100 * traffic->within_nodes.messages / sent->messages,
                sent->bytes > 0 ? 100 * traffic->within_nodes.bytes / sent->bytes : 0);
        fprintf(file, "  %-*s%s\n", LABEL, "mean time from send to receive",
                time_text_alone(traffic->in_flight_s, 4).text);
        fprintf(file, "  %-*s%.4g messages, %s\n", LABEL, "in flight, mean over time",
                traffic->mean.messages, byte_text_alone(traffic->mean.bytes, 4).text);
        fprintf(file, "  %-*s%.4g messages, %s\n", LABEL, "in flight, at most",
                traffic->most.messages, byte_text_alone(traffic->most.bytes, 4).text);
    }
    if (transfers > 0)
        fprintf(file, "  %-*s%llu, %s\n", LABEL, "one-sided transfers",
                (unsigned long long)transfers, byte_text_alone((double)transferred_bytes, 4).text);
    if (traffic->unmatched > 0)
        fprintf(file, "  %-*s%llu, in none of the sums\n", LABEL, "ends without the other end",
                (unsigned long long)traffic->unmatched);
}

static void write_size_classes(const struct text_output *out, const struct traffic *traffic)
{
    if (traffic->sent.messages == 0)
        return;
    text_heading(out, "Sizes of messages");
    fprintf(out->file, "  %23s %12s %21s\n", "size", "messages", "bytes");
    for (int k = 0; k < TRAFFIC_SIZES; k++) {
        const struct traffic_amount *size = &traffic->sizes[k];
        if (size->messages == 0)
            continue;
        uint64_t first = k > 0 ? 1ull << (k - 1) : 0;
        fprintf(out->file, "  %10llu .. %9llu %12.0f %6.1f %% %12s %6.1f %%\n",
                (unsigned long long)first, (unsigned long long)(k > 0 ? 2 * first - 1 : 0),
                size->messages, 100 * size->messages / traffic->sent.messages,
                byte_text_alone(size->bytes, 4).text,
                traffic->sent.bytes > 0 ? 100 * size->bytes / traffic->sent.bytes : 0);
    }
}

static void write_collectives(const struct text_output *out, const struct traffic *traffic)
{
    bool any = false;
    for (int op = 0; op < COLLECTIVE_OP_COUNT; op++) {
        const struct traffic_collective *collective = &traffic->collectives[op];
        if (collective->calls == 0)
            continue;
        if (!any) {
            text_heading(out, "Collective operations");
            fprintf(out->file, "  %-24s %12s %14s\n", "", "calls", "bytes sent");
        }
        any = true;
        fprintf(out->file, "  %-24s %12llu %14s\n", collective_op_name((enum collective_op)op),
                (unsigned long long)collective->calls,
                byte_text_alone((double)collective->bytes, 4).text);
    }
}

/* The bytes of all pairs, messages and one-sided transfers together. */
static void write_matrix(const struct text_output *out, const struct message_pairs *pairs,
                         uint32_t size, const char *what)
{
    const struct message_pair *pair = pairs->items, *last = pairs->items + pairs->count;
    if (pairs->count == 0)
        return;
    text_heading(out, "Bytes from each %s (rows) to each %s (columns)", what, what);
    fprintf(out->file, "  %5s", "");
    for (uint32_t to = 0; to < size; to++)
        fprintf(out->file, "%*u", MATRIX_COLUMN, to);
    for (uint32_t from = 0; from < size; from++) {
        fprintf(out->file, "\n  %5u", from);
        for (uint32_t to = 0; to < size; to++)
            if (pair < last && pair->from == from && pair->to == to) {
                double bytes = (double)(pair->bytes + pair->transferred_bytes);
                fprintf(out->file, "%*s", MATRIX_COLUMN, byte_text_alone(bytes, 4).text);
                pair++;
            } else {
                fprintf(out->file, "%*s", MATRIX_COLUMN, "-");
            }
    }
    fputc('\n', out->file);
}

/* By ranks, or by nodes if there are too many ranks for a table. False when memory is out. */
static bool write_matrices(const struct text_output *out, const struct traffic *traffic)
{
    struct message_pairs nodes;
    if (traffic->rank_count <= MATRIX_MOST)
        write_matrix(out, &traffic->pairs, traffic->rank_count, "rank");
    else if (traffic->node_count > 1 && traffic->node_count <= MATRIX_MOST) {
        bool room = traffic_node_pairs(traffic, &nodes);
        if (room)
            write_matrix(out, &nodes, traffic->node_count, "node");
        free(nodes.items);
        return room;
    }
    return true;
}

static int compare_bytes(const void *x, const void *y)
{
    const struct message_pair *p = *(const struct message_pair *const *)x,
                              *q = *(const struct message_pair *const *)y;
    return ORDER(q->bytes + q->transferred_bytes, p->bytes + p->transferred_bytes)
               ?: ORDER(p->from, q->from) ?: ORDER(p->to, q->to);
}

/* False when memory is out. */
static bool write_pairs(const struct text_output *out, const struct traffic *traffic)
{
    const struct message_pairs *pairs = &traffic->pairs;
    const struct message_pair **order = malloc((pairs->count + 1) * sizeof *order);
    if (!order || pairs->count == 0 || traffic->rank_count < 3) {
        free(order);
        return order != NULL;
    }
    for (size_t i = 0; i < pairs->count; i++)
        order[i] = &pairs->items[i];
    qsort(order, pairs->count, sizeof *order, compare_bytes);
    size_t shown = pairs->count < PAIRS_MOST ? pairs->count : PAIRS_MOST;
    text_heading(out, "Pairs with the most bytes, %zu of %zu", shown, pairs->count);
    fprintf(out->file, "  %8s %8s %12s %12s\n", "from", "to", "messages", "bytes");
    for (size_t i = 0; i < shown; i++)
        fprintf(out->file, "  %8u %8u %12llu %12s\n", order[i]->from, order[i]->to,
                (unsigned long long)(order[i]->messages + order[i]->transfers),
                byte_text_alone((double)(order[i]->bytes + order[i]->transferred_bytes), 4).text);
    free(order);
    return true;
}

static void write_flight_windows(const struct text_output *out, const struct traffic *traffic)
{
    if (traffic->sent.messages == 0)
        return;
    const struct time_format format = time_format_for(traffic->length_s, 4);
    text_heading(out, "In flight over time, means");
    fprintf(out->file, "  %9s %-2s %12s %12s\n", "begin", format.unit, "messages", "bytes");
    for (uint32_t w = 0; w < traffic->window_count; w++)
        fprintf(out->file, "  %12s %12.4g %12s\n",
                time_text(&format, traffic->length_s * w / traffic->window_count).text,
                traffic->windows[w].messages, byte_text_alone(traffic->windows[w].bytes, 4).text);
}

bool traffic_write_text(const void *what, FILE *stream)
{
    const struct traffic *traffic = what;
    const struct text_output out = text_output_of(stream);
    fprintf(stream, "%sTraffic between %u rank%s on %u node%s in %s%s\n", out.bold,
            traffic->rank_count, plural(traffic->rank_count), traffic->node_count,
            plural(traffic->node_count), time_text_alone(traffic->length_s, 5).text, out.plain);
    text_end_line(&out, fprintf(stream, "  "), traffic->path);
    fputc('\n', stream);
    write_traffic_sums(traffic, stream);
    write_size_classes(&out, traffic);
    write_collectives(&out, traffic);
    if (!write_matrices(&out, traffic) || !write_pairs(&out, traffic))
        return false;
    write_flight_windows(&out, traffic);
    return !ferror(stream);
}
