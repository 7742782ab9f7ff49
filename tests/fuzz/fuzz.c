/* The targets for libFuzzer: SILAS_FUZZ_TARGET=NAME fuzz [options of libFuzzer] CORPUS... */
#include "folded_file.h"
#include "otf2_buffers.h"
#include "targets.h"

#include "base/log.h"
#include "base/mpi/handles.h"

#include <mpi.h>
#include <sanitizer/allocator_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct fuzz_target *target;
static struct processes processes;
static size_t largest; /* bytes that one allocation may have; 0: not in a target */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

static void check_allocation(const volatile void *block, size_t size)
{
    (void)block;
    if (largest == 0 || size <= largest)
        return;
    size_t limit = largest;
    largest = 0;
    fprintf(stderr, "allocation of %zu bytes, more than %zu\n", size, limit);
    __sanitizer_print_stack_trace();
    abort();
}

static void free_of(const volatile void *block)
{
    (void)block;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    struct error error;
    const char *name = getenv("SILAS_FUZZ_TARGET");
    target = name ? fuzz_target_find(name) : NULL;
    if (!target) {
        fprintf(stderr, "SILAS_FUZZ_TARGET must name a target; there are");
        for (target = fuzz_targets; target->name; target++)
            fprintf(stderr, " %s", target->name);
        fprintf(stderr, "\n");
        exit(2);
    }
    MPI_Init(argc, argv);
    log_open("fuzz", false);
    if (processes_open(&processes, MPI_COMM_SELF, &error) != STATUS_OK || !fuzz_folder_make())
        exit(3);
    atexit(fuzz_folder_remove);
    __sanitizer_install_malloc_and_free_hooks(check_allocation, free_of);
    otf2_buffers_open(check_allocation);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    largest = target->at_once + 16 * size;
    fuzz_run(target, &processes, data, size);
    largest = 0;
    return 0;
}

/* Readers of text see mostly syntax errors if bytes change at random. So lines are left out,
 * doubled and exchanged, and their words replaced by others of the file or by strange numbers. */

enum { MOST_LINES = 2000, MOST_WORDS = 64 };

struct part {
    const char *text;
    size_t length;
};

static size_t split(const char *text, size_t size, const char *separators, struct part *parts,
                    size_t most)
{
    size_t count = 0, begin = 0;
    for (size_t i = 0; i <= size && count < most; i++)
        if (i == size || strchr(separators, text[i])) {
            parts[count++] = (struct part){text + begin, i - begin};
            begin = i + 1;
        }
    return count;
}

static const char *const numbers[] = {"0",
                                      "1",
                                      "-1",
                                      "2",
                                      "7",
                                      "255",
                                      "256",
                                      "4095",
                                      "65536",
                                      "2147483647",
                                      "2147483648",
                                      "4294967295",
                                      "4294967296",
                                      "9223372036854775807",
                                      "18446744073709551615",
                                      "1e308",
                                      "-0.0",
                                      "nan",
                                      "1e-320",
                                      ""};

static unsigned draw(unsigned *seed, size_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return below > 0 ? (*seed >> 8) % (unsigned)below : 0;
}

/* Replaces a word of `line`; the result is in `room`. */
static struct part change_word(struct part line, const struct part *lines, size_t count, char *room,
                               size_t size, unsigned *seed)
{
    static const char separators[] = " \t=,;:()[]{}\"<>";
    struct part words[MOST_WORDS], others[MOST_WORDS];
    size_t word_count = split(line.text, line.length, separators, words, MOST_WORDS);
    struct part other = lines[draw(seed, count)];
    size_t other_count = split(other.text, other.length, separators, others, MOST_WORDS);
    struct part old = words[draw(seed, word_count)];
    const char *number = numbers[draw(seed, sizeof numbers / sizeof *numbers)];
    struct part new =
        draw(seed, 2) ? others[draw(seed, other_count)] : (struct part){number, strlen(number)};
    size_t before = (size_t)(old.text - line.text);
    size_t behind = line.length - before - old.length;
    if (before + new.length + behind > size)
        return line;
    memcpy(room, line.text, before);
    memcpy(room + before, new.text, new.length);
    memcpy(room + before + new.length, old.text + old.length, behind);
    return (struct part){room, before + new.length + behind};
}

/* A line that spoils an archive (targets.c). */
static struct part spoiling_line(char *room, size_t size, unsigned *seed)
{
    static const char *const files[] = {"traces.otf2",  "traces.def",   "traces/0.evt",
                                        "traces/1.evt", "traces/0.def", "traces.loops"};
    const char *file = files[draw(seed, 6)];
    int length = draw(seed, 8) == 0 ? snprintf(room, size, "# fold")
                 : draw(seed, 4) == 0
                     ? snprintf(room, size, "# cut %s %u", file, draw(seed, 4000))
                     : snprintf(room, size, "# flip %s %u %u", file,
                                draw(seed, draw(seed, 2) ? 200 : 4000), 1 + draw(seed, 255));
    return (struct part){room, (size_t)length};
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    static struct part lines[MOST_LINES + 1];
    static char written[1 << 20], extra[4096];
    if (strcmp(target->name, "loops") == 0)
        return folded_file_mutate(data, size, room, draw(&seed, 1 << 24), LLVMFuzzerMutate);
    if (strcmp(target->name, "cubex") == 0 || size == 0 || draw(&seed, 4) == 0)
        return LLVMFuzzerMutate(data, size, room);
    size_t count = split((const char *)data, size, "\n", lines, MOST_LINES);
    struct part spare = {extra, 0};
    size_t from = draw(&seed, count), to = draw(&seed, count), left_out = SIZE_MAX, length = 0;
    unsigned kind = draw(&seed, 6);
    bool before = false;
    if (kind == 0)
        left_out = from;
    else if (kind == 1) {
        struct part line = lines[from];
        lines[from] = lines[to];
        lines[to] = line;
    } else if (kind == 2) {
        spare = lines[from];
        before = true;
    } else if (kind == 3 && strcmp(target->name, "archive") == 0) {
        spare = spoiling_line(extra, sizeof extra, &seed);
        before = true;
    } else
        lines[to] = change_word(lines[to], lines, count, extra, sizeof extra, &seed);
    if (room > sizeof written)
        room = sizeof written;
    for (size_t i = 0; i < count; i++) {
        const struct part both[] = {before && i == to ? spare : (struct part){"", 0}, lines[i]};
        for (int k = before && i == to ? 0 : 1; k < 2; k++) {
            if (i == left_out || length + both[k].length + 1 > room)
                continue;
            memcpy(written + length, both[k].text, both[k].length);
            length += both[k].length;
            if (i + 1 < count || k == 0)
                written[length++] = '\n';
        }
    }
    memcpy(data, written, length);
    return length;
}
