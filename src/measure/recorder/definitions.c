#include "measure/recorder/definitions.h"

#include "measure/recorder/measurement_state.h"

#include "base/array.h"
#include "base/map.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Limits for the number of different vectors and for their bytes. The trace is usable without
 * counts, and the program needs the memory. */
enum { MOST_COUNTS = 1 << 20, MOST_COUNT_BYTES = 256 << 20 };

/* Definitions by content: equal bytes, equal id. */
struct interned {
    ARRAY(struct definition) items;
    struct map index; /* hash of the bytes -> id; after a collision the next free hash */
    size_t bytes;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static struct interned regions, counts_vectors;
static struct map comms; /* creator and number -> id */
static uint32_t comm_count, window_count;
static int file = -1;
static struct definition waiting; /* not written yet; failed: one could not be written */

void definition_put(struct definition *definition, const void *data, size_t size)
{
    if (definition->failed)
        return;
    if (definition->capacity - definition->size < size) {
        size_t capacity = 2 * (definition->size + size) + 64;
        unsigned char *larger = realloc(definition->data, capacity);
        if (!larger) {
            definition->failed = true;
            return;
        }
        definition->data = larger;
        definition->capacity = capacity;
    }
    if (size)
        memcpy(definition->data + definition->size, data, size);
    definition->size += size;
}

void definition_put_text(struct definition *definition, const char *text)
{
    uint32_t length = (uint32_t)strlen(text);
    definition_put(definition, &length, sizeof length);
    definition_put(definition, text, length);
}

void definition_begin(struct definition *definition, enum definition_type type,
                      const uint32_t *numbers, size_t count)
{
    assert(count == 0 || numbers);
    const uint32_t head[] = {type, 0 /* the size, filled in by definition_write */};
    *definition = (struct definition){0};
    definition_put(definition, head, sizeof head);
    definition_put(definition, numbers, count * sizeof *numbers);
}

static void write_to_file(const unsigned char *data, size_t size)
{
    while (size > 0) {
        ssize_t done = write(file, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            measurement_give_up("rank %u: recording stops: cannot write definitions in %s: %s",
                                measurement_rank, measurement_settings.directory, strerror(errno));
            waiting.failed = true;
            return;
        }
        data += done;
        size -= (size_t)done;
    }
}

/* Writes a definition by one call of write, so that none is incomplete. After a failure no
 * definition is written any more: it would get the id of the missing one. The mutex is held. */
static void definition_write(struct definition *definition)
{
    waiting.failed = waiting.failed || definition->failed;
    if (!waiting.failed) {
        uint32_t size = (uint32_t)(definition->size - 2 * sizeof(uint32_t));
        memcpy(definition->data + sizeof(uint32_t), &size, sizeof size);
        if (file >= 0)
            write_to_file(definition->data, definition->size);
        else
            definition_put(&waiting, definition->data, definition->size);
    }
    if (waiting.failed)
        measurement_out_of_memory();
}

void definition_end(struct definition *definition)
{
    pthread_mutex_lock(&mutex);
    definition_write(definition);
    pthread_mutex_unlock(&mutex);
    free(definition->data);
}

bool definitions_open(const char *path)
{
    pthread_mutex_lock(&mutex);
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    int code = errno;
    if (file >= 0) {
        write_to_file(waiting.data, waiting.size);
        free(waiting.data);
        waiting = (struct definition){0};
    }
    pthread_mutex_unlock(&mutex);
    if (file < 0)
        measurement_give_up("rank %u: cannot write %s: %s", measurement_rank, path, strerror(code));
    return file >= 0;
}

static uint64_t definition_hash(const unsigned char *data, size_t size)
{
    uint64_t hash = size;
    for (; size >= sizeof(uint64_t); data += sizeof(uint64_t), size -= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, data, sizeof word);
        hash = map_mix(hash ^ word);
    }
    uint64_t rest = 0;
    memcpy(&rest, data, size);
    return map_mix(hash ^ rest);
}

/* Returns the id of the definition, which is written if it is new, and takes over its memory. The
 * mutex is held. RECORD_NONE if out of memory, or if it is new and there are `most` already. */
static uint32_t intern_definition(struct interned *table, struct definition *definition,
                                  size_t most)
{
    uint64_t hash = definition_hash(definition->data, definition->failed ? 0 : definition->size);
    uint32_t *place = NULL;
    while (!definition->failed && (place = map_at(&table->index, hash, MAP_NONE - 1))) {
        if (*place == MAP_NONE - 1)
            break;
        const struct definition *other = &table->items.items[*place];
        /* The size, in the second word, is filled in later: types and payloads are compared. */
        if (other->size == definition->size &&
            memcmp(other->data + 8, definition->data + 8, definition->size - 8) == 0 &&
            memcmp(other->data, definition->data, 4) == 0) {
            free(definition->data);
            return *place;
        }
        hash++;
    }
    if (!place || table->items.count >= most || !array_push(&table->items, *definition)) {
        free(definition->data);
        return RECORD_NONE;
    }
    *place = (uint32_t)(table->items.count - 1);
    table->bytes += definition->size;
    definition_write(definition);
    return *place;
}

static uint32_t intern_region(struct definition *definition)
{
    pthread_mutex_lock(&mutex);
    uint32_t id = intern_definition(&regions, definition, UINT32_MAX - 1);
    pthread_mutex_unlock(&mutex);
    return id;
}

uint32_t define_region(const char *name, const char *canonical, const char *source, uint32_t line,
                       int paradigm, int role)
{
    struct definition definition;
    const uint32_t numbers[] = {(uint32_t)paradigm, (uint32_t)role, line};
    definition_begin(&definition, DEFINITION_REGION, numbers, 3);
    definition_put_text(&definition, name);
    definition_put_text(&definition, canonical ? canonical : name);
    definition_put_text(&definition, source ? source : "");
    return intern_region(&definition);
}

uint32_t define_function(uint32_t object, uint64_t address)
{
    struct definition definition;
    definition_begin(&definition, DEFINITION_FUNCTION, &object, 1);
    definition_put(&definition, &address, sizeof address);
    return intern_region(&definition);
}

static uint32_t define_at(enum definition_type type, uint32_t object, uint64_t address,
                          uint32_t number)
{
    struct definition definition;
    const uint32_t numbers[] = {object, number};
    definition_begin(&definition, type, numbers, 2);
    definition_put(&definition, &address, sizeof address);
    return intern_region(&definition);
}

uint32_t define_construct(uint32_t object, uint64_t address, uint32_t construct)
{
    return define_at(DEFINITION_CONSTRUCT, object, address, construct);
}

uint32_t define_call(uint32_t object, uint64_t address, enum mpi_call call)
{
    return define_at(DEFINITION_CALL, object, address, call);
}

static uint32_t intern_numbers(struct definition *definition)
{
    pthread_mutex_lock(&mutex);
    size_t most = counts_vectors.bytes + definition->size <= MOST_COUNT_BYTES ? MOST_COUNTS : 0;
    uint32_t id = intern_definition(&counts_vectors, definition, most);
    pthread_mutex_unlock(&mutex);
    return id;
}

static void begin_numbers(struct definition *definition, enum definition_type type,
                          const uint64_t *numbers, size_t count)
{
    definition_begin(definition, type, &(uint32_t){(uint32_t)count}, 1);
    definition_put(definition, numbers, count * sizeof numbers[0]);
}

uint32_t define_numbers(enum definition_type type, const uint64_t *numbers, size_t count)
{
    struct definition definition;
    begin_numbers(&definition, type, numbers, count);
    return intern_numbers(&definition);
}

uint32_t define_types(const uint64_t *numbers, size_t count, uint32_t user_op)
{
    struct definition definition;
    begin_numbers(&definition, DEFINITION_TYPES, numbers, count);
    definition_put(&definition, &user_op, sizeof user_op);
    return intern_numbers(&definition);
}

void define_operator(uint32_t user_op, bool commutes, const uint64_t *numbers, size_t count)
{
    struct definition definition;
    const uint32_t head[] = {user_op, commutes, (uint32_t)count};
    definition_begin(&definition, DEFINITION_OPERATOR, head, 3);
    definition_put(&definition, numbers, count * sizeof numbers[0]);
    definition_end(&definition);
}

uint32_t define_window(uint32_t comm, uint32_t number)
{
    struct definition definition;
    definition_begin(&definition, DEFINITION_WINDOW, (uint32_t[]){comm, number}, 2);
    pthread_mutex_lock(&mutex);
    const uint32_t id = window_count++;
    definition_write(&definition);
    pthread_mutex_unlock(&mutex);
    free(definition.data);
    return id;
}

/* Members as runs of first, count, stride: MPI_COMM_WORLD of any size is one run. */
static void put_members(struct definition *definition, const uint64_t *members, size_t count)
{
    size_t at_count = definition->size;
    uint32_t runs = 0;
    definition_put(definition, &runs, sizeof runs);
    for (size_t first = 0, next; first < count; first = next, runs++) {
        uint64_t stride = first + 1 < count ? members[first + 1] - members[first] : 0;
        for (next = first + 1; next < count && members[next] - members[next - 1] == stride;)
            next++;
        const uint32_t run[] = {(uint32_t)members[first], (uint32_t)(next - first),
                                (uint32_t)stride};
        definition_put(definition, run, sizeof run);
    }
    if (!definition->failed)
        memcpy(definition->data + at_count, &runs, sizeof runs);
}

uint32_t define_comm(uint32_t creator, uint32_t number, const char *name, const uint64_t *members,
                     size_t member_count, const uint64_t *remote, size_t remote_count,
                     uint32_t parent, bool self, bool joined)
{
    assert(self || member_count > 0);
    struct definition definition;
    const uint32_t numbers[] = {creator, number, parent, self, joined};
    definition_begin(&definition, DEFINITION_COMM, numbers, 5);
    definition_put_text(&definition, name);
    put_members(&definition, members, self ? 0 : member_count);
    put_members(&definition, remote, remote_count);

    pthread_mutex_lock(&mutex);
    uint64_t key = map_mix((uint64_t)creator << 32 | number) + self;
    uint32_t *place = map_at(&comms, key, MAP_NONE - 1);
    uint32_t id = RECORD_NONE;
    if (place && *place == MAP_NONE - 1) {
        *place = comm_count++;
        definition_write(&definition);
    }
    if (place)
        id = *place;
    pthread_mutex_unlock(&mutex);
    free(definition.data);
    return id;
}

void define_comm_name(uint32_t comm, const char *name)
{
    struct definition definition;
    definition_begin(&definition, DEFINITION_COMM_NAME, &comm, 1);
    definition_put_text(&definition, name);
    definition_end(&definition);
}

void define_grid(uint32_t comm, uint32_t dimension_count, const int *sizes, const int *periodic)
{
    assert(dimension_count <= UINT8_MAX);
    struct definition definition;
    definition_begin(&definition, DEFINITION_GRID, (uint32_t[]){comm, dimension_count}, 2);
    for (uint32_t i = 0; i < dimension_count; i++) {
        const uint32_t numbers[] = {(uint32_t)sizes[i], periodic[i] != 0};
        definition_put(&definition, numbers, sizeof numbers);
    }
    definition_end(&definition);
}

void define_freed(const struct rank_freed *freed)
{
    struct definition definition;
    definition_begin(&definition, DEFINITION_FREED, NULL, 0);
    definition_put(&definition, freed, sizeof *freed);
    definition_end(&definition);
}
