#include "examples/registration_plan.h"

#include <stdlib.h>

enum { AXES = 3 };

enum {
    BYTES_GRADIENT = 512,
    BYTES_POSITION = 64,
    BYTES_BORDER = 4096,
    BYTES_SLICE = 16384,
    BYTES_ASK = 8
};

/* Calls on 64 ranks, in pairs: a send and its receive, or the two ends of an exchange. Those beside
 * the iterations are 14,719 together with MPI_Init and MPI_Finalize. */
enum { PAIRS_DISTRIBUTE = 1260, PAIRS_DEFORM = 720, PAIRS_GATHER = 2775, TABLE_RANKS = 64 };

enum { SLICES_IMAGE = 10, SLICES_DISPLACEMENTS = 22 };

struct level {
    int pairs;               /* on 64 ranks */
    int extent[AXES];        /* of the largest neighbourhoods, in blocks, longest first */
    int rounds, more_rounds; /* of a group at its point: from `rounds` to `rounds + more_rounds` */
    int converged;           /* of 100 points, the number that need no further move */
    double share;            /* of the mean local computation: smaller neighbourhoods have less */
    double spread;    /* of a local computation, relative: how differently pixels are shared */
    int search_every; /* points from one with a landmark to the next; 0: none has one */
};

static const struct level levels[REGISTRATION_ITERATIONS] = {
    {12524, {3, 2, 2}, 1, 4, 0, 1.2, 0.4, 40}, {8780, {2, 2, 2}, 1, 4, 0, 1.0, 0.5, 60},
    {3476, {3, 2, 1}, 1, 4, 20, 0.7, 0.4, 80}, {5288, {2, 2, 1}, 20, 10, 60, 0.5, 0.2, 0},
    {172, {2, 1, 1}, 25, 10, 95, 0.4, 0.2, 0}, {731, {2, 1, 1}, 25, 10, 80, 0.4, 0.2, 0},
};

struct walk {
    const struct registration *registration;
    const struct registration_sink *sink;
    uint64_t state;    /* of the random numbers */
    int blocks[AXES];  /* of the image; the last axis is numbered first */
    int *group, count; /* ranks of the present group */
    int pairs;         /* that the present region has left */
    uint32_t number;   /* of the next message */
    int points;        /* at which there may be a landmark */
};

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014) */
static uint64_t random_next(struct walk *walk)
{
    uint64_t z = walk->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 .. limit - 1 */
static int random_below(struct walk *walk, int limit)
{
    return (int)(random_next(walk) % (uint64_t)limit);
}

/* 1 - spread .. 1 + spread */
static double random_around_one(struct walk *walk, double spread)
{
    return 1 + spread * (2 * (double)(random_next(walk) >> 11) * 0x1p-53 - 1);
}

static void pass_region(const struct walk *walk, enum registration_region region, bool enters)
{
    for (int rank = 0; rank < walk->registration->ranks; rank++)
        walk->sink->region(walk->sink->context, rank, region, enters);
}

static void compute(const struct walk *walk, int rank, double share)
{
    walk->sink->compute(walk->sink->context, rank, share);
}

static void transfer(struct walk *walk, int from, int to, int bytes)
{
    if (walk->pairs-- > 0)
        walk->sink->transfer(walk->sink->context, from, to, bytes, walk->number++);
}

static void exchange(struct walk *walk, int rank, int other, int bytes)
{
    if (walk->pairs-- > 0)
        walk->sink->exchange(walk->sink->context, rank, other, bytes, walk->number++);
}

static void begin_region(struct walk *walk, enum registration_region region, int pairs)
{
    const int64_t all = (int64_t)pairs * walk->registration->ranks;
    walk->pairs = (int)((all + TABLE_RANKS / 2) / TABLE_RANKS);
    pass_region(walk, region, true);
}

/* Splits the image into blocks that are as equal along the axes as possible. */
static void split_image(struct walk *walk)
{
    int left = walk->registration->ranks;
    for (int axis = 0; axis < AXES; axis++) {
        int best = 1;
        for (int n = 1; n <= left; n++) {
            double power = axis == 0 ? (double)n * n * n : (double)n * n;
            if (left % n == 0 && (axis == AXES - 1 || power <= left + 0.5))
                best = n;
        }
        walk->blocks[axis] = best;
        left /= best;
    }
}

static int rank_of(const struct walk *walk, const int place[AXES])
{
    return (place[0] * walk->blocks[1] + place[1]) * walk->blocks[2] + place[2];
}

static void place_of(const struct walk *walk, int rank, int place[AXES])
{
    place[0] = rank / (walk->blocks[1] * walk->blocks[2]);
    place[1] = rank / walk->blocks[2] % walk->blocks[1];
    place[2] = rank % walk->blocks[2];
}

/* Neighbourhoods of points that are moved at the same time: they do not overlap. */
struct tiling {
    int extent[AXES], offset[AXES]; /* in blocks; the first along each axis may be cut off */
};

static void choose_tiling(struct walk *walk, const struct level *level, struct tiling *tiling)
{
    const int turn = random_below(walk, AXES);
    for (int i = 0; i < AXES; i++) {
        const int axis = (i + turn) % AXES;
        tiling->extent[axis] = level->extent[i];
        tiling->offset[axis] = random_below(walk, level->extent[i]);
    }
}

/* The ranks that have blocks in the same neighbourhood as `first`, which is the lowest of them.
 * False if a lower rank has one, too, or no other. */
static bool find_group(struct walk *walk, const struct tiling *tiling, int first)
{
    int place[AXES], begin[AXES], end[AXES];
    place_of(walk, first, begin);
    for (int axis = 0; axis < AXES; axis++) {
        const int extent = tiling->extent[axis];
        const int into = (begin[axis] + tiling->offset[axis]) % extent;
        if (into > 0 && begin[axis] > 0)
            return false;
        end[axis] = begin[axis] + extent - into;
        if (end[axis] > walk->blocks[axis])
            end[axis] = walk->blocks[axis];
    }
    walk->count = 0;
    for (place[0] = begin[0]; place[0] < end[0]; place[0]++)
        for (place[1] = begin[1]; place[1] < end[1]; place[1]++)
            for (place[2] = begin[2]; place[2] < end[2]; place[2]++)
                walk->group[walk->count++] = rank_of(walk, place);
    return walk->count > 1;
}

static void search_landmark(struct walk *walk, int rank)
{
    const double share = 12 * random_around_one(walk, 0.2); /* also drawn if no rank searches */
    if (!walk->registration->search)
        return;
    walk->sink->region(walk->sink->context, rank, REGISTRATION_SEARCH, true);
    compute(walk, rank, share);
    walk->sink->region(walk->sink->context, rank, REGISTRATION_SEARCH, false);
}

/* Gradients go to the rank that has the point itself, its new position comes back, and neighbours
 * exchange the borders that have moved. */
static void optimise_point(struct walk *walk, const struct level *level, int leader, bool landmark)
{
    const int *group = walk->group, count = walk->count;
    for (int i = 0; i < count; i++)
        compute(walk, group[i], level->share * random_around_one(walk, level->spread));
    if (landmark)
        search_landmark(walk, group[(leader + 1) % count]);
    for (int i = 0; i < count; i++)
        if (i != leader)
            transfer(walk, group[i], group[leader], BYTES_GRADIENT);
    compute(walk, group[leader], 0.1);
    for (int i = 0; i < count; i++)
        if (i != leader)
            transfer(walk, group[leader], group[i], BYTES_POSITION);
    for (int i = 0; i + 1 < count; i += 2)
        exchange(walk, group[i], group[i + 1], BYTES_BORDER);
}

static void move_point(struct walk *walk, const struct level *level)
{
    if (random_below(walk, 100) < level->converged)
        return;
    const int rounds = level->rounds + random_below(walk, level->more_rounds + 1);
    const int leader = random_below(walk, walk->count);
    const bool landmark = level->search_every > 0 && ++walk->points % level->search_every == 0;
    for (int round = 0; round < rounds && walk->pairs > 0; round++)
        optimise_point(walk, level, leader, landmark && round == 0);
}

static void iterate(struct walk *walk, int iteration)
{
    const struct level *level = &levels[iteration];
    const enum registration_region region = REGISTRATION_ITERATION_1 + iteration;
    begin_region(walk, region, level->pairs);
    while (walk->pairs > 0) {
        struct tiling tiling;
        choose_tiling(walk, level, &tiling);
        for (int first = 0; first < walk->registration->ranks; first++)
            if (find_group(walk, &tiling, first))
                move_point(walk, level);
    }
    pass_region(walk, region, false);
}

static int parent_of(int rank)
{
    return (rank - 1) / 2;
}

/* Slice by slice, `from` passes something on to `to`, which asks for each. */
static void pass_on(struct walk *walk, int from, int to, int slices)
{
    for (int i = 0; i < slices; i++) {
        transfer(walk, to, from, BYTES_ASK);
        compute(walk, from, 0.02);
        transfer(walk, from, to, BYTES_SLICE);
    }
}

/* Rank 0 has the image in the resolution of the next iteration; it goes down a tree of ranks. */
static void distribute_image(struct walk *walk)
{
    begin_region(walk, REGISTRATION_DISTRIBUTE, PAIRS_DISTRIBUTE);
    while (walk->pairs > 0)
        for (int rank = 1; rank < walk->registration->ranks; rank++)
            pass_on(walk, parent_of(rank), rank, SLICES_IMAGE);
    pass_region(walk, REGISTRATION_DISTRIBUTE, false);
}

/* Every rank deforms its block and exchanges its faces with its neighbours along each axis: first
 * those behind blocks with even numbers, then those behind odd ones. */
static void deform_image(struct walk *walk)
{
    begin_region(walk, REGISTRATION_DEFORM, PAIRS_DEFORM);
    while (walk->pairs > 0) {
        int place[AXES];
        for (int rank = 0; rank < walk->registration->ranks; rank++)
            compute(walk, rank, 0.5 * random_around_one(walk, 0.1));
        for (int step = 0; step < 2 * AXES; step++)
            for (int rank = 0; rank < walk->registration->ranks; rank++) {
                const int axis = step / 2;
                place_of(walk, rank, place);
                if (place[axis] % 2 != step % 2 || ++place[axis] == walk->blocks[axis])
                    continue;
                exchange(walk, rank, rank_of(walk, place), BYTES_BORDER);
            }
    }
    pass_region(walk, REGISTRATION_DEFORM, false);
}

/* The displacements of all pixels go up the tree to rank 0. */
static void gather_displacements(struct walk *walk)
{
    begin_region(walk, REGISTRATION_GATHER, PAIRS_GATHER);
    while (walk->pairs > 0)
        for (int rank = walk->registration->ranks - 1; rank > 0; rank--)
            pass_on(walk, rank, parent_of(rank), SLICES_DISPLACEMENTS);
    pass_region(walk, REGISTRATION_GATHER, false);
}

bool registration_walk(const struct registration *registration,
                       const struct registration_sink *sink)
{
    struct walk walk = {.registration = registration, .sink = sink, .state = registration->seed};
    walk.group = malloc((size_t)registration->ranks * sizeof *walk.group);
    if (!walk.group)
        return false;
    split_image(&walk);
    for (int iteration = 0; iteration < registration->iterations; iteration++) {
        distribute_image(&walk);
        iterate(&walk, iteration);
        deform_image(&walk);
    }
    gather_displacements(&walk);
    free(walk.group);
    return true;
}
