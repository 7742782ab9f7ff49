/* Prints what a hardware file says, or its error: tests/predict/hardware.sh compares that with
 * NAME.expected. --known: without filling in; --print: as sections of a hardware file again. */
#include "predict/hardware.h"

#include <stdio.h>
#include <string.h>

static void dump(const struct hardware *hardware)
{
    for (int d = 0; d < DISTANCE_COUNT; d++) {
        const struct loggps *loggps = &hardware->machine.distances[d];
        if (loggps->known)
            printf("%s: latency %.6g ns\n", distance_names[d], 1e9 * loggps->latency);
    }
    for (int i = 0; i < OPERATION_COUNT; i++)
        if (hardware->has_operation[i])
            printf("%s: %.6g ns\n", operation_names[i], 1e9 * hardware->operation[i]);
    for (int i = 0; i < OPERATION_COUNT; i++)
        if (hardware->has_chain[i])
            printf("chain of %s: %.6g ns\n", operation_names[i], 1e9 * hardware->chain[i]);
    for (uint32_t i = 0; i < hardware->own_count; i++)
        printf("own %s: %.6g ns\n", hardware->own[i].name, 1e9 * hardware->own[i].cost);
    for (uint32_t i = 0; i < hardware->footprint_count; i++)
        printf("footprint %.0f: byte %.6g ns, load %.6g ns\n", hardware->footprints[i].bytes,
               1e9 * hardware->footprints[i].byte, 1e9 * hardware->footprints[i].load);
    if (hardware->has_file)
        printf("file: %.6g ns, %.6g ns per byte\n", 1e9 * hardware->file_latency,
               1e9 * hardware->file_per_byte);
    if (hardware->ranks_per_node != UINT32_MAX)
        printf("nodes: %u ranks\n", (unsigned)hardware->ranks_per_node);
    if (hardware->has_call_overhead)
        printf("MPI call: %.6g ns\n", 1e9 * hardware->call_overhead);
}

int main(int argc, char **argv)
{
    struct hardware hardware;
    struct error error;
    bool printed = argc == 3 && strcmp(argv[1], "--print") == 0;
    bool known = argc == 3 && strcmp(argv[1], "--known") == 0;
    if (argc != 2 && !printed && !known)
        return STATUS_USAGE;
    const char *path = argv[argc - 1];
    enum status status = known ? hardware_load_known(path, &hardware, &error)
                               : hardware_load(path, &hardware, &error);
    if (status != STATUS_OK)
        puts(error.text);
    else if (printed)
        hardware_print(&hardware, &(struct hardware_remarks){.operation = {"a remark"}}, stdout);
    else
        dump(&hardware);
    return (int)status;
}
