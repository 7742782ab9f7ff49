#include "replay/realtime/rebuilt_types.h"

#include "base/otf2_attributes.h"
#include "base/sort.h"
#include "replay/realtime/operators.h"
#include "replay/realtime/realtime_errors.h"

#include <limits.h>
#include <stdlib.h>

enum { DEEPEST = 40 }; /* layouts in layouts */

/* If two blocks of a datatype are further apart, as those on the stack and on the heap of an
 * MPI_BOTTOM are, the replay moves them together. */
static const MPI_Aint FARTHEST_BLOCKS = 1 << 20;
enum { PAGE = 4096 };

MPI_Datatype predefined_type(uint32_t element, int64_t size)
{
    switch ((enum silas_element)element) {
    case SILAS_ELEMENT_INTEGER:
        return size == 8   ? MPI_INT64_T
               : size == 4 ? MPI_INT32_T
               : size == 2 ? MPI_INT16_T
               : size == 1 ? MPI_INT8_T
                           : MPI_DATATYPE_NULL;
    case SILAS_ELEMENT_UNSIGNED:
        return size == 8   ? MPI_UINT64_T
               : size == 4 ? MPI_UINT32_T
               : size == 2 ? MPI_UINT16_T
               : size == 1 ? MPI_UINT8_T
                           : MPI_DATATYPE_NULL;
    case SILAS_ELEMENT_FLOATING:
        return size == 8                              ? MPI_DOUBLE
               : size == 4                            ? MPI_FLOAT
               : size == (int64_t)sizeof(long double) ? MPI_LONG_DOUBLE
                                                      : MPI_DATATYPE_NULL;
    case SILAS_ELEMENT_COMPLEX:
        return size == 16  ? MPI_C_DOUBLE_COMPLEX
               : size == 8 ? MPI_C_FLOAT_COMPLEX
                           : MPI_DATATYPE_NULL;
    case SILAS_ELEMENT_LOGICAL: /* Fortran's have other sizes */
        return size == 1 ? MPI_C_BOOL : size == 4 ? MPI_INT32_T : MPI_DATATYPE_NULL;
    case SILAS_ELEMENT_UNKNOWN:
        break;
    }
    return MPI_DATATYPE_NULL;
}

/* The numbers of a definition that have not been read yet. */
struct numbers {
    const uint64_t *at, *end;
};

/* False at the end. */
static bool take_number(struct numbers *numbers, uint64_t *value)
{
    if (numbers->at == numbers->end)
        return false;
    *value = *numbers->at++;
    return true;
}

/* Takes `count` numbers; NULL if fewer are left. */
static const uint64_t *take_block(struct numbers *numbers, uint64_t count)
{
    const uint64_t *block = numbers->at;
    if ((uint64_t)(numbers->end - numbers->at) < count)
        return NULL;
    numbers->at += count;
    return block;
}

/* A layout without those in it. */
struct layout_head {
    uint64_t kind, inner, count;
    const uint64_t *numbers; /* [count] */
};

static bool take_head(struct numbers *numbers, struct layout_head *head)
{
    return take_number(numbers, &head->kind) && take_number(numbers, &head->count) &&
           take_number(numbers, &head->inner) &&
           head->inner <= (uint64_t)(numbers->end - numbers->at) &&
           (head->numbers = take_block(numbers, head->count));
}

/* The arguments of MPI's functions, whose numbers are ints and addresses. */
struct arguments {
    int *ints;           /* [count], valid if `fits` */
    MPI_Aint *addresses; /* [count] */
    bool fits;
};

static bool arguments_make(const struct layout_head *head, struct arguments *arguments)
{
    arguments->ints = malloc((head->count + 1) * sizeof *arguments->ints);
    arguments->addresses = malloc((head->count + 1) * sizeof *arguments->addresses);
    arguments->fits = true;
    for (uint64_t i = 0; arguments->ints && arguments->addresses && i < head->count; i++) {
        arguments->addresses[i] = (MPI_Aint)head->numbers[i];
        arguments->ints[i] = (int)arguments->addresses[i];
    }
    return arguments->ints && arguments->addresses;
}

static void arguments_free(struct arguments *arguments)
{
    free(arguments->ints);
    free(arguments->addresses);
}

/* A block of a datatype. */
struct block {
    MPI_Aint *place;      /* among the arguments */
    MPI_Aint first, span; /* its lowest byte, and its bytes up to the last one */
};

ORDER_BY(by_first_byte, struct block, ASCENDING(first))

/* Moves blocks together that are far apart, and the first one to 0 if it is far from it. Each keeps
 * its place in a page. Out of memory, they stay. */
static void move_blocks_together(uint64_t count, const int *lengths, int same_length,
                                 MPI_Aint *places, const MPI_Datatype *types, bool same_type)
{
    struct block *blocks = malloc((count + 1) * sizeof *blocks);
    MPI_Aint end = 0, moved = 0;
    size_t kept = 0;
    if (!blocks)
        return;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t length = (uint64_t)(lengths ? lengths[i] : same_length);
        MPI_Aint lowest;
        const uint64_t span = datatype_span(types[same_type ? 0 : i], length, &lowest);
        if (span > 0)
            blocks[kept++] = (struct block){&places[i], places[i] + lowest, (MPI_Aint)span};
    }
    if (kept > 1)
        qsort(blocks, kept, sizeof *blocks, by_first_byte);
    for (size_t i = 0; i < kept; i++) {
        const MPI_Aint gap = blocks[i].first - moved - end;
        if (gap > FARTHEST_BLOCKS || (i == 0 && gap < -FARTHEST_BLOCKS))
            moved += gap - gap % PAGE;
        *blocks[i].place -= moved;
        const MPI_Aint own_end = blocks[i].first - moved + blocks[i].span;
        end = own_end > end ? own_end : end;
    }
    free(blocks);
}

static int real_distribution(int number)
{
    return number == 1   ? MPI_DISTRIBUTE_BLOCK
           : number == 2 ? MPI_DISTRIBUTE_CYCLIC
                         : MPI_DISTRIBUTE_NONE;
}

/* Makes a distributed array; `n` has the numbers of the layout. */
static int make_darray(int *n, MPI_Datatype inner, MPI_Datatype *made)
{
    const int dimensions = n[2];
    int *sizes = n + 3, *distributions = sizes + dimensions,
        *arguments = distributions + dimensions, *processes = arguments + dimensions;
    for (int i = 0; i < dimensions; i++) {
        distributions[i] = real_distribution(distributions[i]);
        if (arguments[i] < 0)
            arguments[i] = MPI_DISTRIBUTE_DFLT_DARG;
    }
    return MPI_Type_create_darray(
        n[0], n[1], dimensions, sizes, distributions, arguments, processes,
        n[3 + 4 * dimensions] ? MPI_ORDER_FORTRAN : MPI_ORDER_C, inner, made);
}

/* The numbers that a layout of this kind has; UINT64_MAX if its first ones are wrong. */
static uint64_t numbers_needed(const struct layout_head *head)
{
    const uint64_t first = head->count > 0 ? head->numbers[0] : UINT64_MAX;
    const uint64_t third = head->count > 2 ? head->numbers[2] : UINT64_MAX;
    switch (head->kind) {
    case SILAS_LAYOUT_CONTIGUOUS:
        return 1;
    case SILAS_LAYOUT_VECTOR:
    case SILAS_LAYOUT_HVECTOR:
        return 3;
    case SILAS_LAYOUT_RESIZED:
        return 2;
    case SILAS_LAYOUT_INDEXED:
    case SILAS_LAYOUT_HINDEXED:
    case SILAS_LAYOUT_STRUCT:
        return first <= INT_MAX ? 1 + 2 * first : UINT64_MAX;
    case SILAS_LAYOUT_INDEXED_BLOCK:
    case SILAS_LAYOUT_HINDEXED_BLOCK:
        return first <= INT_MAX ? 2 + first : UINT64_MAX;
    case SILAS_LAYOUT_SUBARRAY:
        return first <= INT_MAX ? 2 + 3 * first : UINT64_MAX;
    case SILAS_LAYOUT_DARRAY:
        return third <= INT_MAX ? 4 + 4 * third : UINT64_MAX;
    default:
        return UINT64_MAX;
    }
}

/* Whether the numbers that MPI takes as ints are ints. */
static bool numbers_fit(const struct layout_head *head)
{
    const uint64_t ints = head->kind == SILAS_LAYOUT_RESIZED          ? 0
                          : head->kind == SILAS_LAYOUT_HVECTOR        ? 2
                          : head->kind == SILAS_LAYOUT_HINDEXED_BLOCK ? 2
                          : head->kind == SILAS_LAYOUT_HINDEXED || head->kind == SILAS_LAYOUT_STRUCT
                              ? 1 + head->numbers[0]
                              : head->count;
    for (uint64_t i = 0; i < ints; i++)
        if ((int64_t)head->numbers[i] > INT_MAX || (int64_t)head->numbers[i] < INT_MIN)
            return false;
    return true;
}

/* Makes a type of the types in it; an MPI error code. */
static int compose_type(const struct layout_head *head, const struct arguments *arguments,
                        const MPI_Datatype *inner, MPI_Datatype *made)
{
    int *n = arguments->ints;
    MPI_Aint *places = arguments->addresses;
    const int count = head->kind == SILAS_LAYOUT_RESIZED ? 0 : n[0];
    switch ((enum silas_layout)head->kind) {
    case SILAS_LAYOUT_CONTIGUOUS:
        return MPI_Type_contiguous(count, *inner, made);
    case SILAS_LAYOUT_VECTOR:
        return MPI_Type_vector(count, n[1], n[2], *inner, made);
    case SILAS_LAYOUT_HVECTOR:
        return MPI_Type_create_hvector(count, n[1], places[2], *inner, made);
    case SILAS_LAYOUT_INDEXED:
        return MPI_Type_indexed(count, n + 1, n + 1 + count, *inner, made);
    case SILAS_LAYOUT_HINDEXED:
        move_blocks_together((uint64_t)count, n + 1, 0, places + 1 + count, inner, true);
        return MPI_Type_create_hindexed(count, n + 1, places + 1 + count, *inner, made);
    case SILAS_LAYOUT_INDEXED_BLOCK:
        return MPI_Type_create_indexed_block(count, n[1], n + 2, *inner, made);
    case SILAS_LAYOUT_HINDEXED_BLOCK:
        move_blocks_together((uint64_t)count, NULL, n[1], places + 2, inner, true);
        return MPI_Type_create_hindexed_block(count, n[1], places + 2, *inner, made);
    case SILAS_LAYOUT_STRUCT:
        move_blocks_together((uint64_t)count, n + 1, 0, places + 1 + count, inner, false);
        return MPI_Type_create_struct(count, n + 1, places + 1 + count, inner, made);
    case SILAS_LAYOUT_SUBARRAY:
        return MPI_Type_create_subarray(count, n + 1, n + 1 + count, n + 1 + 2 * count,
                                        n[1 + 3 * count] ? MPI_ORDER_FORTRAN : MPI_ORDER_C, *inner,
                                        made);
    case SILAS_LAYOUT_DARRAY:
        return make_darray(n, *inner, made);
    case SILAS_LAYOUT_RESIZED:
        return MPI_Type_create_resized(*inner, places[0], places[1], made);
    case SILAS_LAYOUT_UNKNOWN:
    case SILAS_LAYOUT_ELEMENT:
    case SILAS_LAYOUT_COUNT:
        break;
    }
    return MPI_ERR_OTHER;
}

/* A type that no other type owns, or a predefined one. */
static MPI_Datatype element_of_layout(const struct layout_head *head)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (head->count != 2 || head->numbers[1] > INT_MAX)
        return type;
    type = predefined_type((uint32_t)head->numbers[0], (int64_t)head->numbers[1]);
    if (type != MPI_DATATYPE_NULL || head->numbers[1] == 1)
        return type != MPI_DATATYPE_NULL ? type : MPI_BYTE;
    MPI_Type_contiguous((int)head->numbers[1], MPI_BYTE, &type);
    return type;
}

static bool is_predefined(MPI_Datatype type)
{
    int integers, addresses, types, combiner = MPI_COMBINER_NAMED;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

static void free_type(MPI_Datatype *type)
{
    if (*type != MPI_DATATYPE_NULL && !is_predefined(*type))
        MPI_Type_free(type);
}

/* Reads a layout and rebuilds it; `*made` is MPI_DATATYPE_NULL if that is impossible. False if the
 * definition is damaged, or out of memory. */
static bool rebuild(struct numbers *numbers, int depth, MPI_Datatype *made)
{
    struct layout_head head;
    struct arguments arguments;
    *made = MPI_DATATYPE_NULL;
    if (depth > DEEPEST || !take_head(numbers, &head))
        return false;
    if (head.kind == SILAS_LAYOUT_ELEMENT)
        *made = element_of_layout(&head);
    if (head.inner == 0)
        return true;
    MPI_Datatype *inner = malloc(head.inner * sizeof(MPI_Datatype));
    bool valid = inner != NULL, complete = true;
    uint64_t read = 0;
    for (; valid && read < head.inner; read++) {
        valid = rebuild(numbers, depth + 1, &inner[read]);
        complete = complete && inner[read] != MPI_DATATYPE_NULL;
    }
    const uint64_t wanted =
        head.kind == SILAS_LAYOUT_STRUCT && head.count > 0 ? head.numbers[0] : 1;
    if (valid && complete && head.count == numbers_needed(&head) && head.inner == wanted &&
        numbers_fit(&head)) {
        valid = arguments_make(&head, &arguments);
        if (valid && compose_type(&head, &arguments, inner, made) != MPI_SUCCESS)
            *made = MPI_DATATYPE_NULL;
        arguments_free(&arguments);
    }
    for (uint64_t i = 0; inner && i < read; i++)
        free_type(&inner[i]);
    free(inner);
    return valid;
}

/* Reads a layout of a call. */
static bool read_layout(struct numbers *numbers, struct rebuilt_type *layout)
{
    const uint64_t *begin = numbers->at;
    MPI_Count size = 0;
    if (!rebuild(numbers, 0, &layout->type))
        return false;
    layout->plain = *begin == SILAS_LAYOUT_ELEMENT;
    if (layout->type == MPI_DATATYPE_NULL)
        return true;
    if (MPI_Type_commit(&layout->type) == MPI_SUCCESS)
        MPI_Type_size_x(layout->type, &size);
    layout->size = size > 0 ? (uint64_t)size : 0;
    if (layout->size == 0)
        free_type(&layout->type);
    if (layout->size == 0)
        layout->type = MPI_DATATYPE_NULL;
    return true;
}

static bool are_indices(const uint64_t *indices, uint64_t count, uint64_t below)
{
    for (uint64_t i = 0; i < count; i++)
        if (indices[i] >= below)
            return false;
    return true;
}

/* Reads the two lists. */
static bool read_lists(struct numbers *numbers, struct call_types *types)
{
    uint64_t sent, received;
    if (!take_number(numbers, &sent) || !take_number(numbers, &received) || sent > UINT32_MAX ||
        received > UINT32_MAX || !(types->sent = take_block(numbers, sent)) ||
        !(types->received = take_block(numbers, received)))
        return false;
    types->sent_count = (uint32_t)sent;
    types->received_count = (uint32_t)received;
    return are_indices(types->sent, sent, types->count) &&
           are_indices(types->received, received, types->count);
}

static void call_types_clear(struct call_types *types)
{
    for (uint32_t i = 0; types->layouts && i < types->count; i++)
        free_type(&types->layouts[i].type);
    if (types->operation != MPI_OP_NULL)
        MPI_Op_free(&types->operation);
    free(types->layouts);
    *types = (struct call_types){.operation = MPI_OP_NULL};
}

static struct numbers definition_numbers(const struct definitions *definitions, uint32_t types)
{
    const struct group *group = &definitions->groups[types - 1];
    return (struct numbers){group->members, group->members + group->count};
}

/* False if the definition is damaged, or out of memory. */
static bool read_types(struct rebuilt_types *rebuilt, uint32_t number, struct call_types *types)
{
    struct numbers numbers = definition_numbers(rebuilt->definitions, number);
    uint64_t count, commutes;
    *types = (struct call_types){.operation = MPI_OP_NULL};
    if (!take_number(&numbers, &count) || count > (uint64_t)(numbers.end - numbers.at))
        return false;
    types->layouts = malloc((count + 1) * sizeof *types->layouts);
    if (!types->layouts)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        types->layouts[i] = (struct rebuilt_type){.type = MPI_DATATYPE_NULL};
        types->count++;
        if (!read_layout(&numbers, &types->layouts[i]))
            return false;
    }
    if (!read_lists(&numbers, types))
        return false;
    if (take_number(&numbers, &commutes))
        types->operation =
            operator_make(commutes != 0, numbers.at, (uint32_t)(numbers.end - numbers.at),
                          rebuilt->ticks_scale, rebuilt->clock);
    return true;
}

const struct call_types *rebuilt_types_find(struct rebuilt_types *rebuilt, uint32_t number)
{
    struct replaced_handlers replaced;
    if (number == 0 || number > rebuilt->definitions->group_count)
        return NULL;
    uint32_t *index = map_at(&rebuilt->known, number, (uint32_t)rebuilt->list.count);
    if (!index)
        return NULL;
    if (*index == rebuilt->list.count) {
        struct call_types types;
        /* A damaged layout must not end the job. */
        errors_replace_handlers(MPI_ERRORS_RETURN, &replaced);
        if (!read_types(rebuilt, number, &types))
            call_types_clear(&types);
        errors_restore_handlers(&replaced);
        if (!array_push(&rebuilt->list, types)) {
            call_types_clear(&types);
            map_take(&rebuilt->known, number);
            return NULL;
        }
    }
    return &rebuilt->list.items[*index];
}

const struct rebuilt_type *call_types_layout(const struct call_types *types, bool sent,
                                             uint32_t peer)
{
    if (!types)
        return NULL;
    const uint32_t count = sent ? types->sent_count : types->received_count;
    const uint64_t *list = sent ? types->sent : types->received;
    if (count == 0 || (count > 1 && peer >= count))
        return NULL;
    return &types->layouts[list[count > 1 ? peer : 0]];
}

/* Skips a layout. */
static bool skip_layout(struct numbers *numbers, int depth)
{
    struct layout_head head;
    bool valid = depth <= DEEPEST && take_head(numbers, &head);
    for (uint64_t i = 0; valid && i < head.inner; i++)
        valid = skip_layout(numbers, depth + 1);
    return valid;
}

int64_t rebuilt_types_operator(const struct definitions *definitions, uint32_t types,
                               bool *measured)
{
    struct call_types lists = {0};
    uint64_t count, commutes;
    *measured = false;
    if (types == 0 || types > definitions->group_count)
        return 0;
    struct numbers numbers = definition_numbers(definitions, types);
    bool valid = take_number(&numbers, &count) && count == 1 && skip_layout(&numbers, 0);
    lists.count = 1;
    if (!valid || !read_lists(&numbers, &lists) || !take_number(&numbers, &commutes))
        return 0;
    *measured = numbers.at < numbers.end;
    return 1 + (commutes != 0);
}

void rebuilt_types_clear(struct rebuilt_types *rebuilt)
{
    for (size_t i = 0; i < rebuilt->list.count; i++)
        call_types_clear(&rebuilt->list.items[i]);
    free(rebuilt->list.items);
    map_clear(&rebuilt->known);
    *rebuilt = (struct rebuilt_types){0};
}

uint64_t datatype_span(MPI_Datatype type, uint64_t count, MPI_Aint *lowest)
{
    MPI_Aint lower, extent, true_lower, true_extent;
    *lowest = 0;
    if (count == 0)
        return 0;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    const MPI_Aint last = (MPI_Aint)(count - 1) * extent;
    *lowest = true_lower + (last < 0 ? last : 0);
    return (uint64_t)(true_extent + (last < 0 ? -last : last));
}
