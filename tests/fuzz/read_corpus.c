/* read_corpus TARGET FILE...: runs a target on files, without libFuzzer. Prints TAP, a line for
 * each. */
#include "targets.h"

#include "base/array.h"
#include "base/files.h"
#include "base/log.h"
#include "base/mpi/handles.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error = {STATUS_OK, ""};
    const struct fuzz_target *target = argc > 2 ? fuzz_target_find(argv[1]) : NULL;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (target = fuzz_targets; target->name; target++)
            printf("%s %s\n", target->name, target->corpus);
        return 0;
    }
    if (!target) {
        fprintf(stderr, "usage: read_corpus --list | TARGET FILE...\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    log_open("read_corpus", false);
    if (processes_open(&processes, MPI_COMM_SELF, &error) != STATUS_OK || !fuzz_folder_make())
        return 3;
    for (int i = 2; i < argc; i++) {
        struct bytes bytes = {0};
        alarm(20);
        enum status status = files_read(argv[i], 1 << 24, &bytes, &error);
        if (status == STATUS_OK)
            fuzz_run(target, &processes, bytes.data, bytes.size);
        printf("%s %d - %s: %s\n", status == STATUS_OK ? "ok" : "not ok", i - 1, target->name,
               argv[i]);
        fflush(stdout);
        bytes_clear(&bytes);
    }
    fuzz_folder_remove();
    processes_close(&processes);
    MPI_Finalize();
    return 0;
}
