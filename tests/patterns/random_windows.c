#include "random_windows.h"

#include <stdlib.h>
#include <string.h>

static const char *const window_names[WINDOWS] = {"plain", "turned"};

struct generator {
    struct random_program *program;
    uint64_t state;
    int64_t now[MOST_RANKS];
    const char *function[MOST_RANKS]; /* user function around the calls */
};

/* 0 to limit - 1 (L'Ecuyer's 64-bit generator, 1999: the high bits). */
static int roll(struct generator *g, int limit)
{
    g->state = g->state * 2862933555777941757u + 3037000493u;
    return (int)((g->state >> 33) % (uint64_t)limit);
}

static struct visit *add(struct generator *g, int rank, enum visit_kind kind, const char *name)
{
    struct random_program *p = g->program;
    p->visits[rank] =
        realloc(p->visits[rank], (size_t)(p->count[rank] + 1) * sizeof *p->visits[rank]);
    if (!p->visits[rank])
        abort();
    struct visit *visit = &p->visits[rank][p->count[rank]];
    memset(visit, 0, sizeof *visit);
    visit->kind = kind;
    visit->id = p->count[rank]++;
    snprintf(visit->path, sizeof visit->path, "main/%s/%s", g->function[rank], name);
    visit->enter = g->now[rank] + roll(g, 8);
    visit->leave = visit->enter + (roll(g, 3) ? roll(g, 25) : 0);
    visit->begin = visit->enter + (visit->leave - visit->enter) / (2 + roll(g, 9));
    visit->end = visit->begin + (visit->leave - visit->begin) / (1 + roll(g, 2));
    g->now[rank] = visit->leave;
    return visit;
}

static void add_other(struct generator *g, int rank)
{
    static const char *const names[] = {"MPI_Iprobe", "MPI_Comm_rank", "MPI_Barrier"};
    const int which = roll(g, 3);
    add(g, rank, VISIT_OTHER, names[which])->local = which == 1;
}

static int add_operation(struct generator *g, int rank, int window, int target)
{
    static const char *const names[] = {"MPI_Put", "MPI_Get", "MPI_Fetch_and_op"};
    const int which = roll(g, 3);
    struct visit *visit = add(g, rank, (enum visit_kind)(VISIT_PUT + which), names[which]);
    visit->window = window;
    visit->target = target;
    visit->sent = which == 1 ? 0 : 1 + roll(g, 100);
    visit->received = which == 0 ? 0 : 1 + roll(g, 100);
    return visit->id;
}

/* Half of them really wait for the last. */
static void add_collective(struct generator *g, enum visit_kind kind, const char *name, int window)
{
    const int ranks = g->program->ranks;
    const bool waits = roll(g, 2), noprecede = kind == VISIT_FENCE && roll(g, 3) == 0;
    int64_t last = 0;
    for (int r = 0; r < ranks; r++) {
        struct visit *visit = add(g, r, kind, name);
        visit->window = window;
        visit->noprecede = noprecede;
        last = visit->begin > last ? visit->begin : last;
    }
    for (int r = 0; r < ranks && waits; r++) {
        struct visit *visit = &g->program->visits[r][g->program->count[r] - 1];
        visit->end = last + roll(g, 4);
        visit->leave = g->now[r] = visit->end + roll(g, 2);
    }
}

static void fences(struct generator *g, int window)
{
    for (int i = roll(g, 3); i >= 0; i--) {
        for (int r = 0; r < g->program->ranks; r++)
            for (int k = roll(g, 4); k > 0; k--)
                add_operation(g, r, window, roll(g, g->program->ranks));
        add_collective(g, VISIT_FENCE, "MPI_Win_fence", window);
    }
}

static void add_group(struct generator *g, int rank, enum visit_kind kind, const char *name,
                      int window, unsigned group)
{
    struct visit *visit = add(g, rank, kind, name);
    visit->window = window;
    visit->group = group;
}

static void groups(struct generator *g, int window)
{
    const int ranks = g->program->ranks;
    unsigned targets[MOST_RANKS], origins[MOST_RANKS] = {0};
    for (int r = 0; r < ranks; r++) {
        targets[r] = (unsigned)roll(g, 1 << ranks);
        for (int t = 0; t < ranks; t++)
            origins[t] |= (targets[r] >> t & 1) << r;
    }
    for (int r = 0; r < ranks; r++) {
        if (origins[r])
            add_group(g, r, VISIT_POST, "MPI_Win_post", window, origins[r]);
        if (targets[r]) {
            add_group(g, r, VISIT_START, "MPI_Win_start", window, targets[r]);
            for (int i = roll(g, 5); i > 0; i--) {
                const int target = roll(g, ranks);
                if (targets[r] >> target & 1)
                    add_operation(g, r, window, target);
            }
            add_group(g, r, VISIT_COMPLETE, "MPI_Win_complete", window, targets[r]);
        }
        if (origins[r] && roll(g, 4))
            add_group(g, r, VISIT_WAIT, "MPI_Win_wait", window, origins[r]);
        else if (origins[r])
            add_group(g, r, VISIT_TEST, "MPI_Win_test", window, origins[r]);
    }
}

static void complete(struct generator *g, int rank, enum visit_kind kind, const char *name,
                     int window, int target, const int *pending, int *count)
{
    struct visit *visit = add(g, rank, kind, name);
    visit->window = window;
    visit->target = target;
    memcpy(visit->done, pending, (size_t)*count * sizeof *pending);
    visit->done_count = *count;
    *count = 0;
}

static void lock_epoch(struct generator *g, int rank, int window)
{
    const int ranks = g->program->ranks;
    const int target = roll(g, 4) ? roll(g, (ranks + 1) / 2) : ALL;
    int pending[MOST_DONE], count = 0;
    struct visit *lock =
        add(g, rank, VISIT_LOCK, target == ALL ? "MPI_Win_lock_all" : "MPI_Win_lock");
    lock->window = window;
    lock->target = target;
    lock->exclusive = target != ALL && roll(g, 3);
    lock->nocheck = roll(g, 8) == 0;
    lock->requests = roll(g, 2);
    lock->acquires = target == ALL || !lock->requests || roll(g, 2);
    bool acquired = lock->acquires;
    const bool exclusive = lock->exclusive;
    for (int i = roll(g, 5); i > 0; i--) {
        pending[count++] = add_operation(g, rank, window, target == ALL ? roll(g, ranks) : target);
        struct visit *operation = &g->program->visits[rank][g->program->count[rank] - 1];
        operation->acquires = !acquired;
        operation->exclusive = exclusive;
        acquired = true;
        if (roll(g, 4) == 0)
            complete(g, rank, VISIT_DONE, roll(g, 2) ? "MPI_Win_flush_all" : "MPI_Wait", window,
                     target, pending, &count);
        else if (roll(g, 6) == 0)
            complete(g, rank, VISIT_TEST_DONE, "MPI_Test", window, target, pending, &count);
    }
    complete(g, rank, VISIT_UNLOCK, target == ALL ? "MPI_Win_unlock_all" : "MPI_Win_unlock", window,
             target, pending, &count);
}

static void locks(struct generator *g, int window)
{
    for (int r = 0; r < g->program->ranks; r++)
        for (int i = roll(g, 5); i > 0; i--)
            if (roll(g, 4))
                lock_epoch(g, r, window);
            else
                add_other(g, r);
}

/* A section of the program that all ranks begin at about the same time. */
static void part(struct generator *g)
{
    static void (*const parts[])(struct generator *, int) = {fences, groups, locks, locks};
    int64_t last = 0;
    for (int r = 0; r < g->program->ranks; r++)
        last = g->now[r] > last ? g->now[r] : last;
    for (int r = 0; r < g->program->ranks; r++) {
        g->now[r] = g->now[r] + 40 > last ? g->now[r] : last - roll(g, 40);
        g->function[r] = roll(g, 2) ? "f" : "g";
        add_other(g, r);
    }
    parts[roll(g, 4)](g, roll(g, WINDOWS));
}

struct random_program *random_program_make(unsigned seed)
{
    struct generator g = {.program = calloc(1, sizeof *g.program), .state = seed};
    if (!g.program)
        abort();
    g.program->ranks = 2 + roll(&g, MOST_RANKS - 1);
    for (int r = 0; r < g.program->ranks; r++) {
        g.function[r] = "f";
        g.now[r] = roll(&g, 20);
    }
    for (int w = 0; w < WINDOWS; w++)
        add_collective(&g, VISIT_CREATE, "MPI_Win_create", w);
    for (int i = 6 + roll(&g, 6); i > 0; i--)
        part(&g);
    for (int w = 0; w < WINDOWS; w++)
        add_collective(&g, VISIT_FREE, "MPI_Win_free", w);
    return g.program;
}

void random_program_destroy(struct random_program *program)
{
    for (int r = 0; r < program->ranks; r++)
        free(program->visits[r]);
    free(program);
}

struct text {
    FILE *file;
    int ranks, rank;
};

/* In the communicator of the second window the ranks stand in reverse order. */
static void write_target(const struct text *text, const struct visit *visit)
{
    fprintf(text->file, " %s", window_names[visit->window]);
    if (visit->target == ALL)
        fputs(" all", text->file);
    else
        fprintf(text->file, " %d", visit->window ? text->ranks - 1 - visit->target : visit->target);
}

static void write_group(const struct text *text, const struct visit *visit)
{
    fprintf(text->file, "%d %lld group %s", text->rank, (long long)visit->end,
            window_names[visit->window]);
    for (int r = 0; r < text->ranks; r++)
        if (visit->group >> r & 1)
            fprintf(text->file, " %d", r);
    fputc('\n', text->file);
}

static void write_collective(const struct text *text, const struct visit *visit)
{
    const char *op = visit->kind == VISIT_CREATE ? "create_handle"
                     : visit->kind == VISIT_FREE ? "destroy_handle"
                                                 : "barrier";
    fprintf(text->file, "%d %lld begin\n%d %lld end %s %s%s\n", text->rank, (long long)visit->begin,
            text->rank, (long long)visit->end, op, window_names[visit->window],
            visit->noprecede ? " noprecede" : "");
}

static void write_lock(const struct text *text, const struct visit *visit, const char *event,
                       int64_t time)
{
    fprintf(text->file, "%d %lld %s", text->rank, (long long)time, event);
    write_target(text, visit);
    if (visit->kind != VISIT_UNLOCK)
        fprintf(text->file, " %s%s", visit->exclusive ? "exclusive" : "shared",
                visit->nocheck ? " nocheck" : "");
    fputc('\n', text->file);
}

static void write_operation(const struct text *text, const struct visit *visit)
{
    static const char *const names[] = {"put", "get", "atomic"};
    const int which = (int)visit->kind - VISIT_PUT;
    if (visit->acquires)
        write_lock(text, visit, "lock", visit->enter);
    fprintf(text->file, "%d %lld %s", text->rank, (long long)visit->enter, names[which]);
    write_target(text, visit);
    if (which != 1)
        fprintf(text->file, " %d", visit->sent);
    if (which != 0)
        fprintf(text->file, " %d", visit->received);
    fprintf(text->file, " %d\n", visit->id);
}

static void write_event(const struct text *text, const struct visit *visit)
{
    if (visit->kind >= VISIT_CREATE && visit->kind <= VISIT_FENCE)
        write_collective(text, visit);
    else if (visit->kind >= VISIT_POST && visit->kind <= VISIT_TEST)
        write_group(text, visit);
    else if (visit_is_operation(visit))
        write_operation(text, visit);
    if (visit->requests)
        write_lock(text, visit, "request", visit->begin);
    if (visit->kind == VISIT_LOCK && visit->acquires)
        write_lock(text, visit, "lock", visit->end);
    for (int i = 0; i < visit->done_count; i++)
        fprintf(text->file, "%d %lld done %s %d\n", text->rank, (long long)visit->end,
                window_names[visit->window], visit->done[i]);
    if (visit->kind == VISIT_UNLOCK)
        write_lock(text, visit, "unlock", visit->end);
}

static void write_visit(const struct text *text, const struct visit *visit)
{
    const char *call = strrchr(visit->path, '/') + 1;
    fprintf(text->file, "%d %lld enter %c\n%d %lld enter %s\n", text->rank, (long long)visit->enter,
            call[-2], text->rank, (long long)visit->enter, call);
    write_event(text, visit);
    for (int i = 0; i < 2; i++)
        fprintf(text->file, "%d %lld leave\n", text->rank, (long long)visit->leave);
}

void random_program_write(const struct random_program *program, FILE *file)
{
    struct text text = {file, program->ranks, 0};
    fprintf(file, "ranks %d\ncomm reverse", program->ranks);
    for (int r = program->ranks - 1; r >= 0; r--)
        fprintf(file, " %d", r);
    fprintf(file, "\nwindow %s world\nwindow %s reverse\n", window_names[0], window_names[1]);
    for (text.rank = 0; text.rank < program->ranks; text.rank++) {
        const struct visit *visits = program->visits[text.rank];
        const int count = program->count[text.rank];
        fprintf(file, "%d %lld enter main\n", text.rank, (long long)visits[0].enter);
        for (int i = 0; i < count; i++)
            write_visit(&text, &visits[i]);
        fprintf(file, "%d %lld leave\n", text.rank, (long long)visits[count - 1].leave);
    }
}
