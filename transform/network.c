/* [network]: another network: factors for the latency, bandwidth and overhead of messages, another
 * eager limit, or communication that takes no time, which shows the cost of the transfers alone
 * (its T divided by T is POP's transfer efficiency). The factors of several sections multiply. */
#include "transform/kinds.h"

#include "trace/environment.h"

#include <string.h>

struct network_change {
    const struct ini_section *section;
    double latency, bandwidth, overhead;
    bool ideal, has_eager_limit;
    uint64_t eager_limit;
};

static const struct network_change unchanged = {.latency = 1, .bandwidth = 1, .overhead = 1};

static const struct ini_key network_keys[] = {
    INI_KEY(network_change, latency, NUMBER, .highest = 1e9),
    INI_KEY(network_change, bandwidth, NUMBER, .lowest = 1e-9, .highest = 1e9),
    INI_KEY(network_change, overhead, NUMBER, .highest = 1e9),
    {.name = "eager_limit"},
    INI_KEY(network_change, ideal, BOOL),
    INI_KEYS_END,
};

static enum status network_check(void *state, struct error *error)
{
    struct network_change *network = state;
    if (network->section->entry_count == 0)
        return section_error(error, network->section, NULL,
                             "no property of the network is given: latency, bandwidth, overhead, "
                             "eager_limit or ideal");
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
    .description = "another latency, bandwidth, overhead or eager limit, or an ideal network",
    .state_size = sizeof(struct network_change),
    .initial = &unchanged,
    .keys = network_keys,
    .computed_only = true,
    .check = network_check,
    .apply = network_apply,
};
