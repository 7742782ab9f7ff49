#include "measure/archive/rank_teams.h"

#include "base/sort.h"
#include "measure/archive/record_reader.h"

#include <otf2/OTF2_Definitions.h>
#include <stdlib.h>

/* A thread has begun its part of a team. */
struct team_entry {
    uint32_t run, index, thread;
};

enum { POSIX_RUN = INT32_MAX /* of the POSIX threads, whose index is their number */ };

typedef ARRAY(struct team_entry) team_entries;

/* False if out of memory. */
static bool note_run(struct rank_teams *teams, uint32_t run)
{
    while (teams->runs.count <= run)
        if (!array_push(&teams->runs, ((struct team_run){0, MAP_NONE})))
            return false;
    return true;
}

/* False if out of memory. */
static bool note_team_record(struct rank_teams *teams, const struct archive_record *record,
                             uint32_t thread, team_entries *entries)
{
    const struct team_entry entry = {record->id, record->type_size, thread};
    const struct team_entry posix = {POSIX_RUN, thread, thread};
    switch (record->kind) {
    case RECORD_TEAM_BEGIN:
        return note_run(teams, record->id) && array_push(entries, entry);
    case RECORD_TEAM_END:
        if (record->type_size > 0) /* a worker notices it later */
            return true;
        if (!note_run(teams, record->id))
            return false;
        teams->runs.items[record->id].end = record->time;
        return true;
    case RECORD_THREAD_CREATE:
    case RECORD_THREAD_BEGIN:
        return array_push(entries, posix);
    case RECORD_LOCK_ACQUIRE:
        return map_at(&teams->locks, record->slot[1].first, (uint32_t)teams->locks.count) != NULL;
    default:
        return true;
    }
}

ORDER_BY(by_run_and_index, struct team_entry,
         ASCENDING(run) ?: ASCENDING(index) ?: ASCENDING(thread))

/* False if out of memory. */
static bool set_members(struct rank_teams *teams, team_entries *entries)
{
    ARRAY(uint32_t) members = {0};
    bool allocated = true;
    if (entries->count > 0)
        qsort(entries->items, entries->count, sizeof *entries->items, by_run_and_index);
    for (size_t i = 0, end; i < entries->count && allocated; i = end) {
        const uint32_t run = entries->items[i].run;
        members.count = 0;
        allocated =
            array_push(&members, run == POSIX_RUN ? OTF2_PARADIGM_PTHREAD : OTF2_PARADIGM_OPENMP);
        for (end = i; end < entries->count && entries->items[end].run == run && allocated; end++) {
            const uint32_t thread = entries->items[end].thread;
            if (run != POSIX_RUN || members.count == 1 ||
                members.items[members.count - 1] != thread)
                allocated = array_push(&members, thread);
        }
        const uint32_t team = allocated ? name_set_add(&teams->members, members.items,
                                                       members.count * sizeof *members.items, NULL)
                                        : MAP_NONE;
        allocated = team != MAP_NONE;
        *(run == POSIX_RUN ? &teams->posix : &teams->runs.items[run].team) = team;
    }
    free(members.items);
    return allocated;
}

enum status rank_teams_read(const char *directory, const struct rank_definitions *definitions,
                            struct rank_teams *teams, struct error *error)
{
    team_entries entries = {0};
    enum status status = STATUS_OK;
    bool present = rank_has_constructs(definitions) || rank_has_posix_threads(definitions);
    bool allocated = true;
    *teams = (struct rank_teams){.posix = MAP_NONE};
    for (uint32_t thread = 0; present && allocated && !status; thread++) {
        struct record_reader reader;
        struct archive_record record;
        status = record_reader_open(&reader, directory, definitions->rank, thread, error);
        present = !status && reader.present;
        while (present && allocated && record_reader_next(&reader, &record, &status, error))
            allocated = note_team_record(teams, &record, thread, &entries);
        if (present)
            record_reader_close(&reader);
    }
    allocated = allocated && (status || set_members(teams, &entries));
    if (!allocated && !status)
        status = error_memory(error, "teams of threads");
    free(entries.items);
    if (status)
        rank_teams_clear(teams);
    return status;
}

void rank_teams_clear(struct rank_teams *teams)
{
    free(teams->runs.items);
    name_set_clear(&teams->members);
    map_clear(&teams->locks);
    *teams = (struct rank_teams){.posix = MAP_NONE};
}
