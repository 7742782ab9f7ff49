/* [network]: another network: factors for the latency, bandwidth and overhead of messages, another
 * eager limit, or communication that takes no time, which shows the cost of the transfers alone
 * (its T divided by T is POP's transfer efficiency). The factors of several sections multiply. */
#include "transform/kinds.h"

#include "trace/environment.h"
#include "transform/section.h"

#include <stdlib.h>
#include <string.h>

struct network_change {
    const struct ini_section *section;
    double latency, bandwidth, overhead;
    bool ideal, has_eager_limit;
    uint64_t eager_limit;
};

static const char *const network_keys[] = {"latency",     "bandwidth", "overhead",
                                           "eager_limit", "ideal",     NULL};

static enum status read_eager_limit(struct network_change *network, struct error *error)
{
    const char *text = ini_value(network->section, "eager_limit");
    network->has_eager_limit = text != NULL;
    network->eager_limit = UINT64_MAX - 1;
    if (text && strcmp(text, "none") == 0)
        return STATUS_OK;
    return ini_get_bytes(network->section, "eager_limit", &network->eager_limit, error);
}

static enum status network_parse(const struct ini_section *section, void *state,
                                 struct error *error)
{
    struct network_change *network = state;
    *network =
        (struct network_change){.section = section, .latency = 1, .bandwidth = 1, .overhead = 1};
    if (section->entry_count == 0)
        return section_error(error, section, NULL,
                             "nothing is said about the network: latency, bandwidth, overhead, "
                             "eager_limit or ideal");
    enum status status = ini_get_number(section, "latency", 0, 1e9, &network->latency, error);
    if (status == STATUS_OK)
        status = ini_get_number(section, "bandwidth", 1e-9, 1e9, &network->bandwidth, error);
    if (status == STATUS_OK)
        status = ini_get_number(section, "overhead", 0, 1e9, &network->overhead, error);
    if (status == STATUS_OK)
        status = ini_get_bool(section, "ideal", &network->ideal, error);
    return status == STATUS_OK ? read_eager_limit(network, error) : status;
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
    .keys = network_keys,
    .computed_only = true,
    .parse = network_parse,
    .apply = network_apply,
};
