#include "random_collectives.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MOST_RANKS = 6 };

struct generator {
    FILE *file;
    uint64_t state;
    int ranks, first_group; /* members of the intercommunicator's first group; 0: there is none */
    long now[MOST_RANKS];
};

/* An operation: its names when blocking, when nonblocking and in the trace. */
struct operation {
    const char *blocking, *nonblocking, *name;
    bool rooted, from_root, sends_nothing;
};

static const struct operation operations[] = {
    {"MPI_Barrier", "MPI_Ibarrier", "barrier", false, false, true},
    {"MPI_Allreduce", "MPI_Iallreduce", "allreduce", false, false, false},
    {"MPI_Alltoallv", "MPI_Ialltoallv", "alltoallv", false, false, false},
    {"MPI_Bcast", "MPI_Ibcast", "broadcast", true, true, false},
    {"MPI_Reduce", "MPI_Ireduce", "reduce", true, false, false},
    {"MPI_Scan", "MPI_Iscan", "scan", false, false, false},
    {"MPI_Exscan", "MPI_Iexscan", "exscan", false, false, false},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* 0 to limit - 1 (splitmix64, as bench/trace/generate_trace). */
static int roll(struct generator *g, int limit)
{
    uint64_t z = g->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (int)((z ^ (z >> 31)) % (uint64_t)limit);
}

static void enter(struct generator *g, int rank, const char *region)
{
    g->now[rank] += 1 + roll(g, 300);
    fprintf(g->file, "%d %ld enter %s\n", rank, g->now[rank], region);
}

static void leave(struct generator *g, int rank)
{
    g->now[rank] += 1 + roll(g, 100);
    fprintf(g->file, "%d %ld leave\n", rank, g->now[rank]);
}

static void compute(struct generator *g, int rank)
{
    static const char *const names[] = {"f", "g", "h"};
    for (int i = roll(g, 3); i >= 0; i--) {
        enter(g, rank, names[roll(g, 3)]);
        g->now[rank] += roll(g, 4) ? roll(g, 3000) : roll(g, 20000);
        leave(g, rank);
    }
}

static void message(struct generator *g)
{
    const int from = roll(g, g->ranks), to = (from + 1 + roll(g, g->ranks - 1)) % g->ranks;
    const int bytes = roll(g, 3);
    compute(g, from);
    enter(g, from, "MPI_Send");
    fprintf(g->file, "%d %ld send world %d 1 %d\n", from, g->now[from], to, bytes);
    const long sent = g->now[from];
    leave(g, from);
    enter(g, to, "MPI_Recv");
    if (g->now[to] < sent)
        g->now[to] = sent + 1 + roll(g, 50);
    fprintf(g->file, "%d %ld recv world %d 1 %d\n", to, g->now[to], from, bytes);
    leave(g, to);
}

struct instance {
    const struct operation *operation;
    const char *comm;
    bool neighbours, counts, between_groups;
    int root;
    bool root_in_first; /* between groups */
};

static struct instance choose(struct generator *g)
{
    struct instance instance = {.operation = &operations[roll(g, OPERATIONS)], .comm = "world"};
    const bool prefix = strstr(instance.operation->name, "scan") != NULL;
    instance.root = roll(g, g->ranks);
    if (g->first_group && !prefix && roll(g, 3) == 0) {
        instance.comm = "between";
        instance.between_groups = true;
        instance.root_in_first = instance.root < g->first_group;
    } else if (roll(g, 3) == 0) {
        instance.comm = "turned";
    }
    if (strcmp(instance.operation->name, "alltoallv") == 0) {
        instance.counts = roll(g, 4) != 0;
        instance.neighbours = roll(g, 3) == 0 && !instance.between_groups;
    }
    return instance;
}

static void write_counts(struct generator *g, const struct instance *instance, int rank)
{
    const bool first = rank < g->first_group;
    const int peers =
        instance->between_groups ? (first ? g->ranks - g->first_group : g->first_group) : g->ranks;
    if (!instance->counts && !instance->neighbours)
        return;
    fprintf(g->file, "%d %ld %s", rank, g->now[rank],
            instance->neighbours ? "neighbours" : "counts");
    for (int i = 0; instance->counts && i < peers; i++) {
        if (instance->neighbours) /* some twice, in no order */
            fprintf(g->file, " %d:", roll(g, peers));
        fprintf(g->file, instance->neighbours ? "%d" : " %d", roll(g, 2) * 8);
    }
    fputc('\n', g->file);
}

/* "OPERATION COMM ROOT SENT RECEIVED" */
static void write_operation(struct generator *g, const struct instance *instance, int rank)
{
    const struct operation *o = instance->operation;
    const bool first = rank < g->first_group;
    char root[16] = "-";
    int sent = roll(g, 4) ? 8 : 0, received = roll(g, 4) ? 8 : 0;
    if (o->rooted)
        snprintf(root, sizeof root, "%d", instance->root);
    if (o->rooted && instance->between_groups) {
        if (first != instance->root_in_first) /* as a rank in the root's group */
            snprintf(root, sizeof root, "%d",
                     instance->root - (instance->root_in_first ? 0 : g->first_group));
        else
            snprintf(root, sizeof root, "%s", rank == instance->root ? "self" : "other");
    }
    if (o->sends_nothing)
        sent = received = 0;
    fprintf(g->file, " %s %s %s %d %d", o->name, instance->comm, root, sent, received);
}

static long last_begin(const struct generator *g, const long *begins)
{
    long last = 0;
    for (int r = 0; r < g->ranks; r++)
        last = begins[r] > last ? begins[r] : last;
    return last;
}

/* Most of them end when all have begun, some before. */
static void end_after(struct generator *g, int rank, long last)
{
    if (g->now[rank] < last && roll(g, 6))
        g->now[rank] = last;
    g->now[rank] += 1 + roll(g, 200);
}

static void blocking(struct generator *g)
{
    const struct instance instance = choose(g);
    long begins[MOST_RANKS];
    for (int r = 0; r < g->ranks; r++) {
        compute(g, r);
        enter(g, r, instance.operation->blocking);
        begins[r] = g->now[r] += roll(g, 20);
        fprintf(g->file, "%d %ld begin\n", r, begins[r]);
    }
    const long last = last_begin(g, begins);
    for (int r = 0; r < g->ranks; r++) {
        end_after(g, r, last);
        fprintf(g->file, "%d %ld end", r, g->now[r]);
        write_operation(g, &instance, r);
        fputc('\n', g->file);
        write_counts(g, &instance, r);
        leave(g, r);
    }
}

/* One or two operations, posted, and completed by one call. Sometimes a message is posted first,
 * and completed by the same call. */
static void nonblocking(struct generator *g)
{
    const int count = 1 + roll(g, 2);
    const bool with_message = roll(g, 3) == 0;
    const struct instance instances[] = {choose(g), choose(g)};
    long begins[MOST_RANKS], last = 0;
    for (int r = 0; r < g->ranks; r++) {
        compute(g, r);
        for (int i = 0; i < count; i++) {
            enter(g, r, instances[i].operation->nonblocking);
            fprintf(g->file, "%d %ld ibegin %d\n", r, begins[r] = g->now[r], i);
            leave(g, r);
        }
        if (with_message) {
            enter(g, r, "MPI_Isend");
            fprintf(g->file, "%d %ld post 7\n%d %ld isend world %d 2 8 8\n", r, g->now[r], r,
                    g->now[r], (r + 1) % g->ranks);
            begins[r] = g->now[r];
            leave(g, r);
        }
    }
    last = last_begin(g, begins);
    for (int r = 0; r < g->ranks; r++) {
        static const char *const calls[] = {"MPI_Waitall", "MPI_Waitall", "MPI_Testall"};
        compute(g, r);
        enter(g, r, calls[roll(g, 3)]);
        for (int i = 0; i < count; i++) {
            end_after(g, r, last);
            fprintf(g->file, "%d %ld iend", r, g->now[r]);
            write_operation(g, &instances[i], r);
            fprintf(g->file, " %d\n", i);
            write_counts(g, &instances[i], r);
        }
        if (with_message)
            fprintf(g->file, "%d %ld isent 8\n%d %ld irecv world %d 2 8 7\n", r, g->now[r], r,
                    g->now[r], (r + g->ranks - 1) % g->ranks);
        leave(g, r);
    }
}

static void all_call(struct generator *g, const char *name)
{
    for (int r = 0; r < g->ranks; r++)
        enter(g, r, name);
    const long last = last_begin(g, g->now);
    for (int r = 0; r < g->ranks; r++) {
        g->now[r] = last;
        leave(g, r);
    }
}

void random_collectives_write(unsigned seed, FILE *file)
{
    static void (*const rounds[])(struct generator *) = {message, message, blocking, blocking,
                                                         nonblocking};
    struct generator g = {.file = file, .state = seed};
    g.ranks = 2 + roll(&g, MOST_RANKS - 1);
    g.first_group = g.ranks > 2 ? 1 + roll(&g, g.ranks - 1) : 0;
    fprintf(file, "ranks %d\ncomm turned", g.ranks);
    for (int r = g.ranks - 1; r >= 0; r--)
        fprintf(file, " %d", r);
    if (g.first_group) {
        fputs("\nintercomm between", file);
        for (int r = 0; r < g.ranks; r++)
            fprintf(file, "%s %d", r == g.first_group ? " /" : "", r);
    }
    fputc('\n', file);
    for (int r = 0; r < g.ranks; r++)
        enter(&g, r, "main");
    all_call(&g, "MPI_Init");
    for (int i = 10 + roll(&g, 15); i > 0; i--)
        rounds[roll(&g, 5)](&g);
    all_call(&g, "MPI_Finalize");
    for (int r = 0; r < g.ranks; r++)
        leave(&g, r);
}
