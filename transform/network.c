/* [network]: another network: its latency and bandwidth, as values with units or as factors, a
 * factor for the overhead of messages, another eager limit, links that messages share, or
 * communication that takes no time, which shows the cost of the transfers alone (its T divided by T
 * is POP's transfer efficiency). The factors of several sections multiply; they also apply to the
 * values of sections before them.
 */
#include "transform/kinds.h"

#include "trace/environment.h"

#include <stdlib.h>
#include <string.h>

struct network_change {
    const struct ini_section *section;
    double latency, bandwidth, overhead; /* factors */
    bool has_latency_s, has_bandwidth_rate;
    double latency_s, bandwidth_rate; /* seconds, bytes per second */
    struct network_links links;       /* 0: unchanged */
    bool ideal, has_eager_limit;
    uint64_t eager_limit;
};

static const struct network_change unchanged = {.latency = 1, .bandwidth = 1, .overhead = 1};

static const struct ini_key network_keys[] = {
    {.name = "latency"},
    {.name = "bandwidth"},
    INI_KEY(network_change, overhead, NUMBER, .highest = 1e9),
    {.name = "eager_limit"},
    INI_KEY_AT("links", network_change, links.number, INTEGER, .least = 1, .most = INT32_MAX),
    INI_KEY_AT("link_out", network_change, links.out, RATE),
    INI_KEY_AT("link_in", network_change, links.in, RATE),
    INI_KEY_AT("memory", network_change, links.memory, RATE),
    INI_KEY_AT("switch", network_change, links.switched, RATE),
    INI_KEY(network_change, ideal, BOOL),
    INI_KEYS_END,
};

/* A smaller factor is most likely a number of seconds. */
static const double LEAST_FACTOR = 1e-4;

static const struct ini_key latency_factor = {
    .name = "latency", .type = INI_NUMBER, .highest = 1e9};
static const struct ini_key latency_value = {.name = "latency", .type = INI_DURATION};
static const struct ini_key bandwidth_factor = {
    .name = "bandwidth", .type = INI_NUMBER, .lowest = 1e-9, .highest = 1e9};
static const struct ini_key bandwidth_value = {.name = "bandwidth", .type = INI_RATE};

/* Reads a key that is a factor, a number alone, or a value with a unit. */
static enum status read_factor_or_value(const struct ini_section *section,
                                        const struct ini_key *factor, double *factor_value,
                                        const struct ini_key *unit, double *value, bool *has_value,
                                        struct error *error)
{
    const char *text = ini_value(section, factor->name);
    char *end;
    if (!text)
        return STATUS_OK;
    strtod(text, &end);
    *has_value = *end != '\0' && *text != '\0';
    return *has_value ? ini_get(section, unit, value, error)
                      : ini_get(section, factor, factor_value, error);
}

static enum status network_check(void *state, struct error *error)
{
    struct network_change *network = state;
    if (network->section->entry_count == 0)
        return section_error(error, network->section, NULL,
                             "no property of the network is given: latency, bandwidth, overhead, "
                             "eager_limit, links, link_out, link_in, memory, switch or ideal");
    enum status status =
        read_factor_or_value(network->section, &latency_factor, &network->latency, &latency_value,
                             &network->latency_s, &network->has_latency_s, error)
            ?: read_factor_or_value(network->section, &bandwidth_factor, &network->bandwidth,
                                    &bandwidth_value, &network->bandwidth_rate,
                                    &network->has_bandwidth_rate, error);
    if (status == STATUS_OK && network->latency > 0 && network->latency < LEAST_FACTOR)
        status = section_error(error, network->section, "latency",
                               "latency = %g is a factor; a time needs a unit, as in latency = 1us",
                               network->latency);
    if (status != STATUS_OK)
        return status;
    const char *text = ini_value(network->section, "eager_limit");
    network->has_eager_limit = text != NULL;
    network->eager_limit = UINT64_MAX - 1;
    if (text && strcmp(text, "none") == 0)
        return STATUS_OK;
    return ini_get(network->section, &(struct ini_key){.name = "eager_limit", .type = INI_BYTES},
                   &network->eager_limit, error);
}

static enum status network_apply(const void *state, struct trace *trace,
                                 struct hypothesis_outcome *outcome, struct error *error)
{
    (void)outcome;
    const struct network_change *network = state;
    struct environment *environment = environment_change(trace, error);
    if (environment) {
        if (network->has_latency_s) {
            environment->has_latency_s = true;
            environment->latency_s = network->latency_s;
            environment->latency = 1;
        }
        if (network->has_bandwidth_rate) {
            environment->has_bandwidth_rate = true;
            environment->bandwidth_rate = network->bandwidth_rate;
            environment->bandwidth = 1;
        }
        network_links_change(&environment->links, &network->links);
        environment->latency *= network->latency;
        environment->bandwidth *= network->bandwidth;
        environment->overhead *= network->overhead;
        environment->ideal |= network->ideal;
        if (network->has_eager_limit) {
            environment->has_eager_limit = true;
            environment->eager_limit = network->eager_limit;
        }
    }
    return processes_agree(trace->processes, environment ? STATUS_OK : STATUS_ENVIRONMENT, error);
}

const struct hypothesis_kind hypothesis_network = {
    .name = "network",
    .description = "change latency, bandwidth, overhead or eager limit, or make the network ideal",
    .state_size = sizeof(struct network_change),
    .initial = &unchanged,
    .keys = network_keys,
    .computed_only = true,
    .check = network_check,
    .apply = network_apply,
};
