#include "measure/wrappers/datatypes.h"

#include "base/array.h"
#include "base/map.h"
#include "base/otf2_attributes.h"

#include <stdlib.h>
#include <string.h>

struct type_size type_sizes[TYPE_SLOTS];

/* The predefined types that reductions often have come first. */
uint8_t type_element(MPI_Datatype type)
{
    const struct {
        MPI_Datatype type;
        uint8_t element;
    } known[] = {
        {MPI_DOUBLE, SILAS_ELEMENT_FLOATING},
        {MPI_INT, SILAS_ELEMENT_INTEGER},
        {MPI_DOUBLE_PRECISION, SILAS_ELEMENT_FLOATING},
        {MPI_INTEGER, SILAS_ELEMENT_INTEGER},
        {MPI_FLOAT, SILAS_ELEMENT_FLOATING},
        {MPI_LONG, SILAS_ELEMENT_INTEGER},
        {MPI_UNSIGNED_LONG, SILAS_ELEMENT_UNSIGNED},
        {MPI_INT64_T, SILAS_ELEMENT_INTEGER},
        {MPI_UINT64_T, SILAS_ELEMENT_UNSIGNED},
        {MPI_LONG_LONG, SILAS_ELEMENT_INTEGER},
        {MPI_UNSIGNED_LONG_LONG, SILAS_ELEMENT_UNSIGNED},
        {MPI_UNSIGNED, SILAS_ELEMENT_UNSIGNED},
        {MPI_INT32_T, SILAS_ELEMENT_INTEGER},
        {MPI_UINT32_T, SILAS_ELEMENT_UNSIGNED},
        {MPI_REAL, SILAS_ELEMENT_FLOATING},
        {MPI_C_DOUBLE_COMPLEX, SILAS_ELEMENT_COMPLEX},
        {MPI_C_FLOAT_COMPLEX, SILAS_ELEMENT_COMPLEX},
        {MPI_DOUBLE_COMPLEX, SILAS_ELEMENT_COMPLEX},
        {MPI_COMPLEX, SILAS_ELEMENT_COMPLEX},
        {MPI_LONG_DOUBLE, SILAS_ELEMENT_FLOATING},
        {MPI_SHORT, SILAS_ELEMENT_INTEGER},
        {MPI_UNSIGNED_SHORT, SILAS_ELEMENT_UNSIGNED},
        {MPI_INT16_T, SILAS_ELEMENT_INTEGER},
        {MPI_UINT16_T, SILAS_ELEMENT_UNSIGNED},
        {MPI_SIGNED_CHAR, SILAS_ELEMENT_INTEGER},
        {MPI_UNSIGNED_CHAR, SILAS_ELEMENT_UNSIGNED},
        {MPI_INT8_T, SILAS_ELEMENT_INTEGER},
        {MPI_UINT8_T, SILAS_ELEMENT_UNSIGNED},
        {MPI_AINT, SILAS_ELEMENT_INTEGER},
        {MPI_OFFSET, SILAS_ELEMENT_INTEGER},
        {MPI_COUNT, SILAS_ELEMENT_INTEGER},
        {MPI_C_BOOL, SILAS_ELEMENT_LOGICAL},
        {MPI_LOGICAL, SILAS_ELEMENT_LOGICAL},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].type == type)
            return known[i].element;
    return SILAS_ELEMENT_UNKNOWN;
}

/* A description is not longer than this many numbers, and types in it are not nested deeper; other
 * layouts are SILAS_LAYOUT_UNKNOWN. */
enum { MOST_NUMBERS = 1 << 20, DEEPEST = 32 };

typedef ARRAY(uint64_t) number_array;

/* A derived type of the program. */
struct derived_type {
    uint64_t size;
    uint64_t serial; /* no other type has had it */
    bool contiguous; /* its data have no gaps, also from element to element */
    number_array layout;
};

static pthread_mutex_t mutex =
    PTHREAD_MUTEX_INITIALIZER; /* of all below, and of writing the cache */
static struct map derived;     /* handle -> index in types */
static ARRAY(struct derived_type) types;
static ARRAY(uint32_t) unused; /* indices */
static struct map definitions; /* serials and operator of a call -> id */
static uint64_t serials;

/* MPI_Type_get_envelope; without large counts if MPI has none. */
struct type_envelope {
#if MPI_VERSION >= 4
    MPI_Count integers, addresses, counts, types;
#else
    int integers, addresses, counts, types;
#endif
    int combiner;
};

/* False if MPI fails. */
static bool get_envelope(MPI_Datatype type, struct type_envelope *envelope)
{
#if MPI_VERSION >= 4
    return PMPI_Type_get_envelope_c(type, &envelope->integers, &envelope->addresses,
                                    &envelope->counts, &envelope->types,
                                    &envelope->combiner) == MPI_SUCCESS;
#else
    envelope->counts = 0;
    return PMPI_Type_get_envelope(type, &envelope->integers, &envelope->addresses, &envelope->types,
                                  &envelope->combiner) == MPI_SUCCESS;
#endif
}

/* Predefined types, and those of a given precision (MPI_Type_create_f90_real), which MPI owns. */
static bool is_elementary(int combiner)
{
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

static enum silas_layout layout_of(int combiner)
{
    switch (combiner) {
    case MPI_COMBINER_CONTIGUOUS:
        return SILAS_LAYOUT_CONTIGUOUS;
    case MPI_COMBINER_VECTOR:
        return SILAS_LAYOUT_VECTOR;
    case MPI_COMBINER_HVECTOR:
        return SILAS_LAYOUT_HVECTOR;
    case MPI_COMBINER_INDEXED:
        return SILAS_LAYOUT_INDEXED;
    case MPI_COMBINER_HINDEXED:
        return SILAS_LAYOUT_HINDEXED;
    case MPI_COMBINER_INDEXED_BLOCK:
        return SILAS_LAYOUT_INDEXED_BLOCK;
    case MPI_COMBINER_HINDEXED_BLOCK:
        return SILAS_LAYOUT_HINDEXED_BLOCK;
    case MPI_COMBINER_STRUCT:
        return SILAS_LAYOUT_STRUCT;
    case MPI_COMBINER_SUBARRAY:
        return SILAS_LAYOUT_SUBARRAY;
    case MPI_COMBINER_DARRAY:
        return SILAS_LAYOUT_DARRAY;
    case MPI_COMBINER_RESIZED:
        return SILAS_LAYOUT_RESIZED;
    default:
        return SILAS_LAYOUT_UNKNOWN;
    }
}

/* Appends the head of a layout. */
static bool put_layout_head(number_array *layout, enum silas_layout kind, uint64_t numbers,
                            uint64_t inner)
{
    return array_push(layout, kind) && array_push(layout, numbers) && array_push(layout, inner);
}

static bool put_unknown(number_array *layout, MPI_Datatype type)
{
    MPI_Count size = 0, lower = 0, extent = 0;
    PMPI_Type_size_x(type, &size);
    PMPI_Type_get_extent_x(type, &lower, &extent);
    return put_layout_head(layout, SILAS_LAYOUT_UNKNOWN, 2, 0) &&
           array_push(layout, (uint64_t)size) && array_push(layout, (uint64_t)extent);
}

static bool put_element(number_array *layout, MPI_Datatype type)
{
    MPI_Count size = 0;
    if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS)
        return put_unknown(layout, type);
    return put_layout_head(layout, SILAS_LAYOUT_ELEMENT, 2, 0) &&
           array_push(layout, type_element(type)) && array_push(layout, (uint64_t)size);
}

/* The arguments with which a type was made. */
struct contents {
    int *integers;
    MPI_Aint *addresses;
    MPI_Count *counts;
    MPI_Datatype *types;
};

/* False if MPI fails or out of memory. The caller frees the arrays in any case. */
static bool get_contents(MPI_Datatype type, const struct type_envelope *envelope,
                         struct contents *contents)
{
    *contents =
        (struct contents){.integers = malloc(((size_t)envelope->integers + 1) * sizeof(int)),
                          .addresses = malloc(((size_t)envelope->addresses + 1) * sizeof(MPI_Aint)),
                          .counts = malloc(((size_t)envelope->counts + 1) * sizeof(MPI_Count)),
                          .types = malloc(((size_t)envelope->types + 1) * sizeof(MPI_Datatype))};
    return contents->integers && contents->addresses && contents->counts && contents->types &&
#if MPI_VERSION >= 4
           PMPI_Type_get_contents_c(type, envelope->integers, envelope->addresses, envelope->counts,
                                    envelope->types, contents->integers, contents->addresses,
                                    contents->counts, contents->types) == MPI_SUCCESS;
#else
           PMPI_Type_get_contents(type, envelope->integers, envelope->addresses, envelope->types,
                                  contents->integers, contents->addresses,
                                  contents->types) == MPI_SUCCESS;
#endif
}

static void free_contents(struct contents *contents)
{
    free(contents->integers);
    free(contents->addresses);
    free(contents->counts);
    free(contents->types);
}

/* The archive's number of MPI's constant, which implementations number in different ways. */
static int portable_integer(enum silas_layout kind, const int *integers, int count, int i)
{
    const int value = integers[i];
    const bool ordered = kind == SILAS_LAYOUT_SUBARRAY || kind == SILAS_LAYOUT_DARRAY;
    if (ordered && i == count - 1)
        return value == MPI_ORDER_FORTRAN;
    if (kind == SILAS_LAYOUT_DARRAY && i >= 3 + integers[2] && i < 3 + 2 * integers[2])
        return value == MPI_DISTRIBUTE_BLOCK ? 1 : value == MPI_DISTRIBUTE_CYCLIC ? 2 : 0;
    if (kind == SILAS_LAYOUT_DARRAY && i >= 3 + 2 * integers[2] && i < 3 + 3 * integers[2])
        return value == MPI_DISTRIBUTE_DFLT_DARG ? -1 : value;
    return value;
}

/* Places that are addresses in memory, for MPI_BOTTOM, count from the first page with one of them,
 * so that the layouts of all ranks are equal. Returns 0 if they are not addresses. */
static MPI_Aint place_to_count_from(const MPI_Aint *places, int count)
{
    static const MPI_Aint FIRST_ADDRESS = (MPI_Aint)1 << 32, PAGE = 4096;
    MPI_Aint lowest = count > 0 ? places[0] : 0;
    for (int i = 1; i < count; i++)
        lowest = places[i] < lowest ? places[i] : lowest;
    return lowest >= FIRST_ADDRESS ? lowest - lowest % PAGE : 0;
}

static bool put_numbers(number_array *layout, enum silas_layout kind,
                        const struct type_envelope *envelope, const struct contents *contents)
{
    const int integers = (int)envelope->integers;
    const MPI_Aint start = place_to_count_from(contents->addresses, (int)envelope->addresses);
    bool room = true;
    for (int i = 0; i < integers && room; i++)
        room =
            array_push(layout, (uint64_t)portable_integer(kind, contents->integers, integers, i));
    for (int i = 0; i < (int)envelope->counts && room; i++)
        room = array_push(layout, (uint64_t)contents->counts[i]);
    for (int i = 0; i < (int)envelope->addresses && room; i++)
        room = array_push(layout, (uint64_t)(contents->addresses[i] - start));
    return room;
}

/* Whether data of a type are contiguous, if those of the type in it are. */
static bool has_no_gaps(MPI_Datatype type, enum silas_layout kind)
{
    MPI_Count size = 0, lower = 0, extent = 0;
    if (kind == SILAS_LAYOUT_CONTIGUOUS)
        return true;
    return (kind == SILAS_LAYOUT_VECTOR || kind == SILAS_LAYOUT_HVECTOR ||
            kind == SILAS_LAYOUT_SUBARRAY || kind == SILAS_LAYOUT_RESIZED) &&
           PMPI_Type_size_x(type, &size) == MPI_SUCCESS &&
           PMPI_Type_get_extent_x(type, &lower, &extent) == MPI_SUCCESS && lower == 0 &&
           size == extent;
}

/* Appends the layout of a type. `*contiguous`: whether its data have no gaps. False if out of
 * memory. */
static bool put_layout(number_array *layout, MPI_Datatype type, int depth, bool *contiguous)
{
    struct type_envelope envelope;
    struct contents contents;
    const size_t before = layout->count;
    *contiguous = false;
    if (!get_envelope(type, &envelope))
        return put_unknown(layout, type);
    *contiguous = is_elementary(envelope.combiner);
    if (*contiguous)
        return put_element(layout, type);
    const bool copy = envelope.combiner == MPI_COMBINER_DUP;
    const enum silas_layout kind = layout_of(envelope.combiner);
    if ((kind == SILAS_LAYOUT_UNKNOWN && !copy) || depth >= DEEPEST ||
        (envelope.counts > 0 && envelope.integers > 0) || /* arrays with large counts */
        envelope.integers + envelope.addresses + envelope.counts + envelope.types > MOST_NUMBERS)
        return put_unknown(layout, type);
    if (!get_contents(type, &envelope, &contents)) {
        free_contents(&contents);
        return put_unknown(layout, type);
    }
    bool room =
        copy ||
        (put_layout_head(layout, kind,
                         (uint64_t)(envelope.integers + envelope.counts + envelope.addresses),
                         (uint64_t)envelope.types) &&
         put_numbers(layout, kind, &envelope, &contents));
    bool inner_contiguous = true;
    for (int i = 0; i < (int)envelope.types; i++) {
        struct type_envelope inner;
        room = room && put_layout(layout, contents.types[i], depth + 1, contiguous);
        inner_contiguous = inner_contiguous && *contiguous;
        if (get_envelope(contents.types[i], &inner) && !is_elementary(inner.combiner))
            PMPI_Type_free(&contents.types[i]);
    }
    free_contents(&contents);
    *contiguous = inner_contiguous && (copy || has_no_gaps(type, kind));
    if (room && layout->count - before > MOST_NUMBERS) {
        layout->count = before;
        return put_unknown(layout, type);
    }
    return room;
}

/* Describes a type. False if out of memory; nothing is left to free then. */
static bool describe_type(MPI_Datatype type, uint64_t size, struct derived_type *described)
{
    *described = (struct derived_type){.size = size, .serial = ++serials};
    if (put_layout(&described->layout, type, 0, &described->contiguous))
        return true;
    free(described->layout.items);
    return false;
}

/* Finds a derived type, or describes it. The mutex is held; the result is valid as long as it is.
 * NULL if out of memory. */
static const struct derived_type *find_type(MPI_Datatype type, uint64_t size)
{
    struct derived_type described;
    uint32_t index = derived.count ? map_get(&derived, (uintptr_t)type) : MAP_NONE;
    if (index != MAP_NONE && types.items[index].size == size)
        return &types.items[index];
    if (!describe_type(type, size, &described))
        return NULL;
    if (index != MAP_NONE) { /* the program has freed the type by a way that the tracer missed */
        free(types.items[index].layout.items);
        types.items[index] = described;
        return &types.items[index];
    }
    if (unused.count > 0) {
        index = unused.items[--unused.count];
        types.items[index] = described;
    } else if (array_push(&types, described) && array_reserve(&unused, types.count)) {
        index = (uint32_t)types.count - 1;
    } else {
        free(described.layout.items);
        return NULL;
    }
    return map_set(&derived, (uintptr_t)type, index) ? &types.items[index] : NULL;
}

CALL_EXPORTED int MPI_Type_free(MPI_Datatype *datatype)
{
    threads_lock(&mutex);
    const uint32_t index = derived.count ? map_take(&derived, (uintptr_t)*datatype) : MAP_NONE;
    if (index != MAP_NONE) {
        free(types.items[index].layout.items);
        types.items[index].layout = (number_array){0};
        unused.items[unused.count++] = index; /* find_type has made room */
    }
    threads_unlock(&mutex);
    return PMPI_Type_free(datatype);
}

/* Caches a size in its slot if that is free. A used slot never changes, because other threads may
 * be reading it. */
static void cache_type_size(MPI_Datatype type, uint32_t size)
{
    struct type_size *slot = type_slot(type);
    threads_lock(&mutex);
    if (!slot->type) {
        slot->size = size;
        __atomic_store_n(&slot->type, type, __ATOMIC_RELEASE);
    }
    threads_unlock(&mutex);
}

uint64_t type_size_ask(MPI_Datatype type)
{
    MPI_Count size;
    struct type_envelope envelope;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0)
        return 0;
    threads_lock(&mutex);
    const bool known = derived.count && map_get(&derived, (uintptr_t)type) != MAP_NONE;
    threads_unlock(&mutex);
    if (!known && get_envelope(type, &envelope) && envelope.combiner == MPI_COMBINER_NAMED)
        cache_type_size(type, (uint32_t)size);
    return (uint64_t)size;
}

/* A definition being made. */
struct types_definition {
    const struct types_used *used;
    number_array numbers, places;  /* places: the index of each type's layout */
    ARRAY(MPI_Datatype) different; /* the types so far */
    bool contiguous;               /* all of them */
};

/* Adds the layout of a type unless an equal type has been added. */
static bool add_layout(struct types_definition *definition, MPI_Datatype type)
{
    size_t place = 0;
    MPI_Count size;
    bool contiguous = true, room = true;
    if (type == MPI_DATATYPE_NULL) /* of a call with nothing to send or receive */
        type = MPI_BYTE;
    while (place < definition->different.count && definition->different.items[place] != type)
        place++;
    if (!array_push(&definition->places, place))
        return false;
    if (place < definition->different.count)
        return true;
    if (type_is_cached(type) || PMPI_Type_size_x(type, &size) != MPI_SUCCESS) {
        room = put_element(&definition->numbers, type);
    } else {
        const struct derived_type *known = find_type(type, (uint64_t)size);
        room = known && array_reserve(&definition->numbers, known->layout.count);
        for (size_t i = 0; room && i < known->layout.count; i++)
            definition->numbers.items[definition->numbers.count++] = known->layout.items[i];
        contiguous = room && known->contiguous;
    }
    definition->contiguous = definition->contiguous && contiguous;
    return room && array_push(&definition->different, type);
}

/* The numbers of a definition; false if out of memory. */
static bool put_types(struct types_definition *definition)
{
    const struct types_used *used = definition->used;
    bool room = array_push(&definition->numbers, 0);
    for (int i = 0; i < used->sent_count && room; i++)
        room = add_layout(definition, used->sent[i]);
    for (int i = 0; i < used->received_count && room; i++)
        room = add_layout(definition, used->received[i]);
    room = room && array_push(&definition->numbers, (uint64_t)used->sent_count) &&
           array_push(&definition->numbers, (uint64_t)used->received_count);
    for (size_t i = 0; room && i < definition->places.count; i++)
        room = array_push(&definition->numbers, definition->places.items[i]);
    if (room)
        definition->numbers.items[0] = definition->different.count;
    return room;
}

static uint32_t define_used(const struct types_used *used)
{
    struct types_definition definition = {.used = used, .contiguous = true};
    uint32_t id = RECORD_NONE;
    if (!put_types(&definition))
        measurement_out_of_memory();
    else if (!definition.contiguous || used->user_op != RECORD_NONE)
        id = define_types(definition.numbers.items, definition.numbers.count, used->user_op);
    free(definition.numbers.items);
    free(definition.places.items);
    free(definition.different.items);
    return id;
}

/* A key for the types of a call that are at most one sent and one received; false: not for this
 * call. Predefined types count by their handles, which are odd here; serials are even. */
static bool key_of(const struct types_used *used, uint64_t *key)
{
    const MPI_Datatype pair[] = {used->sent_count ? *used->sent : MPI_DATATYPE_NULL,
                                 used->received_count ? *used->received : MPI_DATATYPE_NULL};
    *key = used->user_op;
    if (used->sent_count > 1 || used->received_count > 1)
        return false;
    for (int i = 0; i < 2; i++) {
        MPI_Count size;
        uint64_t own = (uint64_t)(uintptr_t)pair[i] << 1 | 1;
        if (pair[i] != MPI_DATATYPE_NULL && !type_is_cached(pair[i])) {
            const struct derived_type *type = PMPI_Type_size_x(pair[i], &size) == MPI_SUCCESS
                                                  ? find_type(pair[i], (uint64_t)size)
                                                  : NULL;
            if (!type)
                return false;
            own = type->serial << 1;
        }
        *key = map_mix(*key ^ own) + (uint64_t)i;
    }
    return true;
}

uint32_t types_define(const struct types_used *used)
{
    uint64_t key;
    threads_lock(&mutex);
    const bool has_key = key_of(used, &key);
    /* The map has the id plus one; 0: nothing to define. */
    const uint32_t known = has_key && definitions.count ? map_get(&definitions, key) : MAP_NONE;
    uint32_t id = known - 1;
    if (known == MAP_NONE) {
        id = define_used(used);
        if (has_key && definitions.count >= MOST_NUMBERS)
            map_clear(&definitions);
        if (has_key)
            map_set(&definitions, key, id + 1); /* not kept if out of memory */
    }
    threads_unlock(&mutex);
    return id;
}
