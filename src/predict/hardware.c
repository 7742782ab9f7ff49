#include "predict/hardware.h"

#include "base/ini.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double LONGEST = 1e9; /* ns per byte: as for the LogGPS parameters */

/* Reads the costs of operations; if `chained`, of those that can be part of a chain. */
static enum status read_costs(const struct ini_section *section, bool chained, bool *has,
                              double *seconds, struct error *error)
{
    const char *names[OPERATION_COUNT + 1];
    size_t count = 0;
    for (int i = 0; i < OPERATION_COUNT; i++)
        if (!chained || operation_chains((enum operation)i))
            names[count++] = operation_names[i];
    names[count] = NULL;
    enum status status = ini_check_keys(section, names, error);
    for (int i = 0; i < OPERATION_COUNT && status == STATUS_OK; i++) {
        const struct ini_key key = {.name = operation_names[i], .type = INI_COST};
        has[i] = ini_value(section, key.name) != NULL;
        status = ini_get(section, &key, &seconds[i], error);
    }
    return status;
}

static enum status read_operations(const struct ini_section *section, struct hardware *hardware,
                                   struct error *error)
{
    return read_costs(section, false, hardware->has_operation, hardware->operation, error);
}

static enum status read_chain(const struct ini_section *section, struct hardware *hardware,
                              struct error *error)
{
    return read_costs(section, true, hardware->has_chain, hardware->chain, error);
}

static enum status read_own(const struct ini_section *section, struct hardware *hardware,
                            struct error *error)
{
    struct own_operation own = {.cost = 0};
    static const struct ini_key keys[] = {
        INI_KEY(own_operation, cost, COST, .required = true),
        INI_KEYS_END,
    };
    const int length = snprintf(own.name, sizeof own.name, "%s", section->label);
    if (length < 1)
        return ini_error(error, section->ini, section->line,
                         "[operation] needs the name of an operation that scripts declare; did you "
                         "mean [operations]?");
    if (length >= (int)sizeof own.name)
        return ini_error(error, section->ini, section->line,
                         "the name of an operation has at most %d characters", HARDWARE_NAME - 1);
    for (int i = 0; i < OPERATION_COUNT; i++)
        if (strcmp(operation_names[i], own.name) == 0)
            return ini_error(error, section->ini, section->line,
                             "\"%s\" is not an operation of your own; its cost belongs to section "
                             "[operations]",
                             own.name);
    if (hardware->own_count == HARDWARE_OWN)
        return ini_error(error, section->ini, section->line,
                         "more than %d sections [operation NAME]", HARDWARE_OWN);
    enum status status = ini_read(section, keys, &own, error);
    if (status == STATUS_OK)
        hardware->own[hardware->own_count++] = own;
    return status;
}

bool hardware_add_footprint(struct hardware *hardware, const struct footprint_cost *cost)
{
    assert(cost->bytes > 0);
    if (hardware->footprint_count == HARDWARE_FOOTPRINTS)
        return false;
    hardware->footprints[hardware->footprint_count++] = *cost;
    return true;
}

static enum status read_footprint(const struct ini_section *section, struct hardware *hardware,
                                  struct error *error)
{
    struct footprint_cost cost = {0};
    static const struct ini_key keys[] = {
        INI_KEY(footprint_cost, byte, COST, .required = true),
        INI_KEY(footprint_cost, load, COST, .required = true),
        INI_KEYS_END,
    };
    struct ranges size = {0};
    struct error unread;
    enum status status = ini_read(section, keys, &cost, error);
    if (status != STATUS_OK)
        return status;
    if (ranges_parse(section, "footprint", section->label, &size, &unread) == STATUS_OK &&
        size.count == 1 && size.items[0].lowest == size.items[0].highest)
        cost.bytes = (double)size.items[0].lowest;
    ranges_clear(&size);
    if (cost.bytes <= 0)
        return ini_error(error, section->ini, section->line,
                         "[footprint %s]: expected a number of bytes, such as [footprint 256k]",
                         section->label);
    const uint32_t count = hardware->footprint_count;
    if (count > 0 && cost.bytes <= hardware->footprints[count - 1].bytes)
        return ini_error(error, section->ini, section->line,
                         "[footprint %s]: footprints must be in ascending order", section->label);
    if (!hardware_add_footprint(hardware, &cost))
        return ini_error(error, section->ini, section->line,
                         "more than %d sections [footprint SIZE]", HARDWARE_FOOTPRINTS);
    return STATUS_OK;
}

static enum status read_file(const struct ini_section *section, struct hardware *hardware,
                             struct error *error)
{
    struct file_costs {
        double latency, per_byte;
    } costs = {0, 0};
    const struct ini_key keys[] = {
        INI_KEY(file_costs, latency, COST),
        INI_KEY(file_costs, per_byte, NUMBER, .highest = LONGEST),
        INI_KEYS_END,
    };
    enum status status = ini_read(section, keys, &costs, error);
    hardware->has_file = true;
    hardware->file_latency = costs.latency;
    hardware->file_per_byte = 1e-9 * costs.per_byte;
    return status;
}

static enum status read_nodes(const struct ini_section *section, struct hardware *hardware,
                              struct error *error)
{
    struct nodes {
        int64_t ranks;
    } nodes = {0};
    static const struct ini_key keys[] = {
        INI_KEY(nodes, ranks, INTEGER, .required = true, .least = 1, .most = INT32_MAX),
        INI_KEYS_END,
    };
    enum status status = ini_read(section, keys, &nodes, error);
    if (status == STATUS_OK)
        hardware->ranks_per_node = (uint32_t)nodes.ranks;
    return status;
}

static enum status read_call(const struct ini_section *section, struct hardware *hardware,
                             struct error *error)
{
    struct call {
        double overhead;
    } call = {0};
    static const struct ini_key keys[] = {
        INI_KEY(call, overhead, COST),
        INI_KEYS_END,
    };
    enum status status = ini_read(section, keys, &call, error);
    hardware->has_call_overhead = true;
    hardware->call_overhead = call.overhead;
    return status;
}

static const struct {
    const char *kind;
    enum status (*read)(const struct ini_section *section, struct hardware *hardware,
                        struct error *error);
    bool named;
} sections[] = {
    {"operations", read_operations, false},
    {"chain", read_chain, false},
    {"operation", read_own, true},
    {"footprint", read_footprint, true},
    {"file", read_file, false},
    {"nodes", read_nodes, false},
    {"call", read_call, false},
};

static enum status read_section(const struct ini_section *section, struct hardware *hardware,
                                struct error *error)
{
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (strcmp(section->kind, sections[i].kind) != 0)
            continue;
        if (*section->label && !sections[i].named)
            return ini_error(error, section->ini, section->line,
                             "[%s %s]: this section has no name: write [%s]", section->kind,
                             section->label, section->kind);
        return sections[i].read(section, hardware, error);
    }
    return STATUS_OK; /* one of those that machine_read knows */
}

/* `complete`: the machine is for predictions, so it must know a distance, and gets the others. */
static enum status load(const char *path, bool complete, struct hardware *hardware,
                        struct error *error)
{
    struct ini *ini;
    *hardware = (struct hardware){.ranks_per_node = UINT32_MAX};
    enum status status = ini_load(path, &ini, error);
    if (status != STATUS_OK)
        return status;
    status = machine_read(ini, &hardware->machine, error);
    for (size_t i = 0; i < ini->section_count && status == STATUS_OK; i++)
        status = read_section(&ini->sections[i], hardware, error);
    if (status == STATUS_OK && complete)
        status = machine_require_distance(ini, &hardware->machine, error);
    if (status == STATUS_OK && complete)
        machine_complete(&hardware->machine);
    ini_destroy(ini);
    return status;
}

enum status hardware_load(const char *path, struct hardware *hardware, struct error *error)
{
    return load(path, true, hardware, error);
}

enum status hardware_load_known(const char *path, struct hardware *hardware, struct error *error)
{
    return load(path, false, hardware, error);
}

/* What works at the same time in a core, and what everything waits for. */
enum core_part { PART_STOPS, PART_STREAM, PART_ARITHMETIC, PART_L1, PART_INTEGERS, CORE_PARTS };

static const uint8_t core_parts[OPERATION_COUNT] = {
    [OPERATION_BYTE] = PART_STREAM,         [OPERATION_FLOP_ADD] = PART_ARITHMETIC,
    [OPERATION_FLOP_MUL] = PART_ARITHMETIC, [OPERATION_FLOP_FMA] = PART_ARITHMETIC,
    [OPERATION_FLOP_DIV] = PART_ARITHMETIC, [OPERATION_FLOP_SQRT] = PART_ARITHMETIC,
    [OPERATION_LOAD_L1] = PART_L1,          [OPERATION_STORE] = PART_L1,
    [OPERATION_INT] = PART_INTEGERS,        [OPERATION_INT_MUL] = PART_INTEGERS,
    [OPERATION_BRANCH] = PART_INTEGERS, /* all others: PART_STOPS */
};

const struct own_operation *hardware_own_operation(const struct hardware *hardware,
                                                   const char *name)
{
    for (uint32_t i = 0; i < hardware->own_count; i++)
        if (strcmp(hardware->own[i].name, name) == 0)
            return &hardware->own[i];
    return NULL;
}

/* Whether the footprint of a loop decides what the operation costs. */
static bool is_by_footprint(const struct hardware *hardware, enum operation operation,
                            double footprint)
{
    return footprint > 0 && hardware->footprint_count > 0 &&
           (operation == OPERATION_BYTE || operation == OPERATION_LOAD);
}

bool hardware_prices(const struct hardware *hardware, enum operation operation, double footprint)
{
    return is_by_footprint(hardware, operation, footprint) || hardware->has_operation[operation];
}

static double between(double low, double high, double part)
{
    return low + part * (high - low);
}

static struct footprint_cost cost_of_footprint(const struct hardware *hardware, double bytes)
{
    const struct footprint_cost *items = hardware->footprints;
    uint32_t above = 0;
    while (above < hardware->footprint_count && items[above].bytes < bytes)
        above++;
    if (above == 0 || above == hardware->footprint_count)
        return items[above == 0 ? 0 : above - 1];
    const struct footprint_cost *low = &items[above - 1], *high = &items[above];
    const double part = log(bytes / low->bytes) / log(high->bytes / low->bytes);
    return (struct footprint_cost){bytes, between(low->byte, high->byte, part),
                                   between(low->load, high->load, part)};
}

static double cost_of_operation(const struct hardware *hardware, enum operation operation,
                                double footprint)
{
    if (!is_by_footprint(hardware, operation, footprint))
        return hardware->operation[operation];
    const struct footprint_cost cost = cost_of_footprint(hardware, footprint);
    return operation == OPERATION_BYTE ? cost.byte : cost.load;
}

static double chain_seconds(const struct hardware *hardware, const struct resource_vector *vector)
{
    double sum = 0;
    for (int i = 0; i < OPERATION_COUNT; i++) {
        assert(vector->chain[i] == 0 || hardware->has_chain[i]);
        sum += vector->chain[i] * hardware->chain[i];
    }
    return sum;
}

double hardware_vector_seconds(const struct hardware *hardware,
                               const struct resource_vector *vector, enum vector_rule rule)
{
    double parts[CORE_PARTS] = {0}, sum = 0, longest = chain_seconds(hardware, vector);
    for (int i = 0; i < OPERATION_COUNT; i++) {
        if (vector->counts[i] == 0)
            continue;
        const enum operation operation = (enum operation)i;
        assert(hardware_prices(hardware, operation, vector->footprint));
        parts[core_parts[i]] +=
            vector->counts[i] * cost_of_operation(hardware, operation, vector->footprint);
    }
    for (int p = PART_STOPS + 1; p < CORE_PARTS; p++) {
        sum += parts[p];
        if (parts[p] > longest)
            longest = parts[p];
    }
    return (rule == VECTOR_SUM ? sum : longest) + parts[PART_STOPS] + vector->own_s;
}

static void print_line(FILE *file, const char *key, double value, const char *unit,
                       const char *remark)
{
    char text[64];
    snprintf(text, sizeof text, "%.4g%s", value, unit);
    if (remark)
        fprintf(file, "%s = %-12s ; %s\n", key, text, remark);
    else
        fprintf(file, "%s = %s\n", key, text);
}

static void print_costs(const char *section, const bool *has, const double *seconds,
                        const char *const *remarks, FILE *file)
{
    bool any = false;
    for (int i = 0; i < OPERATION_COUNT; i++) {
        if (!has[i])
            continue;
        if (!any)
            fprintf(file, "\n[%s]\n", section);
        any = true;
        print_line(file, operation_names[i], 1e9 * seconds[i], " ns", remarks[i]);
    }
}

static void print_footprints(const struct hardware *hardware, FILE *file)
{
    for (uint32_t i = 0; i < hardware->footprint_count; i++) {
        const struct footprint_cost *cost = &hardware->footprints[i];
        const bool whole = fmod(cost->bytes, 1024) == 0;
        fprintf(file, "\n[footprint %.0f%s]\n", whole ? cost->bytes / 1024 : cost->bytes,
                whole ? "k" : "");
        print_line(file, "byte", 1e9 * cost->byte, " ns", NULL);
        print_line(file, "load", 1e9 * cost->load, " ns", NULL);
    }
}

void hardware_print(const struct hardware *hardware, const struct hardware_remarks *remarks,
                    FILE *file)
{
    static const struct hardware_remarks none;
    remarks = remarks ? remarks : &none;
    print_costs("operations", hardware->has_operation, hardware->operation, remarks->operation,
                file);
    print_costs("chain", hardware->has_chain, hardware->chain, remarks->chain, file);
    for (uint32_t i = 0; i < hardware->own_count; i++) {
        fprintf(file, "\n[operation %s]\n", hardware->own[i].name);
        print_line(file, "cost", 1e9 * hardware->own[i].cost, " ns", NULL);
    }
    print_footprints(hardware, file);
    if (hardware->has_file) {
        fprintf(file, "\n[file]\n");
        print_line(file, "latency", 1e9 * hardware->file_latency, " ns", remarks->file_latency);
        print_line(file, "per_byte", 1e9 * hardware->file_per_byte, "", remarks->file_per_byte);
    }
    if (hardware->ranks_per_node != UINT32_MAX)
        fprintf(file, "\n[nodes]\nranks = %u\n", (unsigned)hardware->ranks_per_node);
    if (hardware->has_call_overhead) {
        fprintf(file, "\n[call]\n");
        print_line(file, "overhead", 1e9 * hardware->call_overhead, " ns", remarks->call_overhead);
    }
}
