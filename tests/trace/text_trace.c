#include "text_trace.h"
#include "omp_roles.h"

#include "base/otf2_attributes.h"

#include <otf2/otf2.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 4096, WORDS = 10 };

static jmp_buf failed;
static char *complaint;
static size_t complaint_size;

static struct make {
    OTF2_Archive *archive;
    OTF2_GlobalDefWriter *definitions;
    OTF2_EvtWriter *events;
    uint32_t ranks;
    uint64_t first_id, id_step, thread_ids;
    uint32_t string_count, group_count, region_count, comm_count, thread_count;
    uint32_t grid_count, dimension_count;
    uint32_t window_count, named_count, counter_count;
    int line;
    uint32_t rank; /* whose events follow, of a thread if `thread` */
    bool thread;
    uint32_t most_ranks;   /* bad lines are left out; 0: they are errors */
    bool has_attribute[2]; /* SILAS::flags, SILAS::probe: it is defined */
    bool has_polls;        /* likewise SILAS::polls and SILAS::polls_time */
    bool has_neighbours, has_persistent;
    /* Only their used parts are cleared. */
    char *regions[MAX], *comms[MAX], *windows[MAX], *named[MAX], *counters[MAX];
    int64_t offsets[MAX];
    uint64_t event_counts[MAX];
    uint32_t named_ids[MAX];
    int thread_of[MAX];
} make;

static void die(const char *what)
{
    snprintf(complaint, complaint_size, "line %d: %s", make.line, what);
    longjmp(failed, 1);
}

/* A word that must be there, a number below `limit`, and a copy of a name. */
static char *given(char *word)
{
    if (!word)
        die("a word is missing");
    return word;
}

static uint32_t number_below(const char *text, uint32_t limit)
{
    unsigned long number = text ? strtoul(text, NULL, 10) : 0;
    if (number >= limit)
        die("a number is too large");
    return (uint32_t)number;
}

static uint32_t keep(char **names, uint32_t *count, const char *name)
{
    if (*count >= MAX)
        die("too many names");
    names[*count] = strdup(given((char *)name));
    return (*count)++;
}

static uint64_t location_id(uint32_t rank)
{
    return make.first_id + rank * make.id_step;
}

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = flush};

static uint32_t string(const char *text)
{
    OTF2_GlobalDefWriter_WriteString(make.definitions, make.string_count, text);
    return make.string_count++;
}

static uint32_t group_of(OTF2_Paradigm paradigm, OTF2_GroupType type, const uint64_t *members,
                         uint32_t count)
{
    OTF2_GlobalDefWriter_WriteGroup(make.definitions, make.group_count, 0, type, paradigm,
                                    OTF2_GROUP_FLAG_NONE, count, members);
    return make.group_count++;
}

static uint32_t group(OTF2_GroupType type, const uint64_t *members, uint32_t count)
{
    return group_of(OTF2_PARADIGM_MPI, type, members, count);
}

static void comm(const char *name, uint32_t members)
{
    uint32_t comm = keep(make.comms, &make.comm_count, name);
    OTF2_GlobalDefWriter_WriteComm(make.definitions, comm, string(name), members,
                                   OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
}

static uint32_t comm_id(const char *name)
{
    given((char *)name);
    for (uint32_t i = 0; i < make.comm_count; i++)
        if (strcmp(make.comms[i], name) == 0)
            return i;
    return 1000; /* not defined: for bad traces */
}

/* Places for all cells: a grid of a smaller communicator names ranks that it does not have. */
static void grid(uint32_t comm, const char *sizes)
{
    uint32_t size[8], dimensions[8], place[8], cells = 1;
    uint8_t count = 0;
    for (char *end = given((char *)sizes); count < 8 && *end; count++) {
        char *from = end + (*end == ',');
        size[count] = number_below(from, MAX);
        strtoul(from, &end, 10);
        cells *= size[count];
        if (end == from || cells > MAX)
            die("a grid has sizes of at most 4096 cells, with commas between");
        dimensions[count] = make.dimension_count++;
        OTF2_GlobalDefWriter_WriteCartDimension(make.definitions, dimensions[count], string("d"),
                                                size[count], OTF2_CART_PERIODIC_FALSE);
    }
    OTF2_GlobalDefWriter_WriteCartTopology(make.definitions, make.grid_count, string("<grid>"),
                                           comm, count, dimensions);
    for (uint32_t rank = 0; rank < cells; rank++) {
        uint32_t rest = rank;
        for (uint8_t i = count; i-- > 0; rest /= size[i])
            place[i] = rest % size[i];
        OTF2_GlobalDefWriter_WriteCartCoordinate(make.definitions, make.grid_count, rank, count,
                                                 place);
    }
    make.grid_count++;
}

static uint32_t window_id(const char *name)
{
    given((char *)name);
    for (uint32_t i = 0; i < make.window_count; i++)
        if (strcmp(make.windows[i], name) == 0)
            return i;
    return 1000;
}

static uint32_t named_group(const char *name)
{
    given((char *)name);
    for (uint32_t i = 0; i < make.named_count; i++)
        if (strcmp(make.named[i], name) == 0)
            return make.named_ids[i];
    return 1000;
}

static uint32_t region_id(const char *name)
{
    given((char *)name);
    for (uint32_t i = 0; i < make.region_count; i++)
        if (strcmp(make.regions[i], name) == 0)
            return i;
    uint32_t region = keep(make.regions, &make.region_count, name);
    const bool site = strncmp(name, "MPI_", 4) == 0 && strchr(name, '@');
    char function[64];
    snprintf(function, sizeof function, "%.*s", (int)strcspn(name, site ? "@" : ""), name);
    const uint32_t text = string(site ? function : name);
    OTF2_GlobalDefWriter_WriteRegion(make.definitions, region, text, text, 0, omp_role(name),
                                     strncmp(name, "!$omp_", 6) == 0 ? OTF2_PARADIGM_OPENMP
                                     : strncmp(name, "MPI_", 4)      ? OTF2_PARADIGM_USER
                                                                     : OTF2_PARADIGM_MPI,
                                     OTF2_REGION_FLAG_NONE, site ? string("sites.c") : 0,
                                     site ? (uint32_t)atoi(strchr(name, '@') + 1) : 0, 0);
    return region;
}

/* The class of metrics of one counter. */
static uint32_t counter_id(const char *name)
{
    given((char *)name);
    for (uint32_t i = 0; i < make.counter_count; i++)
        if (strcmp(make.counters[i], name) == 0)
            return i;
    const uint32_t counter = keep(make.counters, &make.counter_count, name), text = string(name);
    OTF2_GlobalDefWriter_WriteMetricMember(make.definitions, counter, text, text,
                                           OTF2_METRIC_TYPE_PAPI, OTF2_METRIC_ACCUMULATED_START,
                                           OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, string("#"));
    OTF2_GlobalDefWriter_WriteMetricClass(make.definitions, counter, 1, &counter,
                                          OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
    return counter;
}

/* The team of the rank's threads. */
static uint32_t team_comm(void)
{
    char name[32];
    snprintf(name, sizeof name, "team %u", make.rank);
    uint32_t known = comm_id(name);
    if (known != 1000)
        return known;
    const uint64_t member = make.rank;
    comm(name, group(OTF2_GROUP_TYPE_COMM_GROUP, &member, 1));
    return comm_id(name);
}

static uint32_t read_members(char *list, uint64_t *members)
{
    uint32_t count = 0;
    for (char *item = strtok(given(list), ","); item; item = strtok(NULL, ",")) {
        members[count] = strtoull(item, NULL, 10);
        if (++count == MAX)
            die("too many members");
    }
    return count;
}

static uint32_t members_group(char *list)
{
    uint64_t members[MAX];
    const uint32_t count = read_members(list, members);
    return group(OTF2_GROUP_TYPE_COMM_GROUP, members, count);
}

/* The team of rank 0, with the numbers of its threads. */
static void numbered_team(char *list)
{
    uint64_t members[MAX], threads[MAX];
    const uint32_t count = read_members(list, members);
    for (uint32_t i = 0; i < count; i++)
        threads[i] = i == 0 ? location_id(0) : make.thread_ids + i - 1;
    group_of(OTF2_PARADIGM_OPENMP, OTF2_GROUP_TYPE_COMM_LOCATIONS, threads, count);
    comm("team 0", group_of(OTF2_PARADIGM_OPENMP, OTF2_GROUP_TYPE_COMM_GROUP, members, count));
}

static void start(char **word)
{
    if (make.ranks)
        die("there are ranks already");
    make.ranks = number_below(given(word[1]), MAX - 1);
    if (make.most_ranks > 0 && make.ranks > make.most_ranks)
        make.ranks = make.most_ranks;
    make.first_id = word[2] ? strtoull(word[2], NULL, 10) : 0;
    make.id_step = word[2] && word[3] ? strtoull(word[3], NULL, 10) : 1;
    make.thread_ids = location_id(make.ranks) + 1000;
    string("");
    OTF2_GlobalDefWriter_WriteSystemTreeNode(make.definitions, 0, string("host"), string("node"),
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    uint64_t ids[MAX], ranks[MAX];
    for (uint32_t r = 0; r < make.ranks; r++) {
        ids[r] = location_id(r);
        ranks[r] = r;
        OTF2_GlobalDefWriter_WriteLocationGroup(make.definitions, r, string("process"),
                                                OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                OTF2_UNDEFINED_LOCATION_GROUP);
    }
    group(OTF2_GROUP_TYPE_COMM_LOCATIONS, ids, make.ranks);
    comm("world", group(OTF2_GROUP_TYPE_COMM_GROUP, ranks, make.ranks));
    comm("self", group(OTF2_GROUP_TYPE_COMM_SELF, NULL, 0));
}

static bool definition(char **word)
{
    if (make.ranks == 0 && make.most_ranks > 0 && strcmp(word[0], "ranks") != 0)
        start((char *[]){"ranks", "2", NULL});
    if (strcmp(word[0], "ranks") == 0)
        start(word);
    else if (make.ranks == 0 && make.most_ranks == 0)
        die("the number of ranks comes first");
    else if (strcmp(word[0], "comm") == 0)
        comm(word[1], members_group(word[2]));
    else if (strcmp(word[0], "team") == 0)
        numbered_team(word[1]);
    else if (strcmp(word[0], "intercomm") == 0) {
        uint32_t a = members_group(word[2]), b = members_group(word[3]);
        uint32_t comm = keep(make.comms, &make.comm_count, word[1]);
        OTF2_GlobalDefWriter_WriteInterComm(make.definitions, comm, string(word[1]), a, b, 0,
                                            OTF2_COMM_FLAG_NONE);
    } else if (strcmp(word[0], "grid") == 0)
        grid(comm_id(word[1]), word[2]);
    else if (strcmp(word[0], "property") == 0)
        OTF2_Archive_SetProperty(make.archive, given(word[1]), given(word[2]), true);
    else if (strcmp(word[0], "window") == 0) {
        uint32_t window = keep(make.windows, &make.window_count, word[1]);
        OTF2_GlobalDefWriter_WriteRmaWin(make.definitions, window, string(word[1]),
                                         comm_id(word[2]), OTF2_RMA_WIN_FLAG_NONE);
    } else if (strcmp(word[0], "group") == 0) {
        uint32_t group = keep(make.named, &make.named_count, word[1]);
        make.named_ids[group] = members_group(word[2]);
    } else if (strcmp(word[0], "offset") == 0)
        make.offsets[number_below(word[1], make.ranks)] = atoll(given(word[2]));
    else
        return false;
    return true;
}

static uint32_t rank_number(const char *text)
{
    return strcmp(given((char *)text), "-1") == 0 ? OTF2_COLLECTIVE_ROOT_NONE
                                                  : (uint32_t)atoi(text);
}

/* SILAS::flags, or SILAS::probe as in "probe=5", of one event; NULL without. */
static OTF2_AttributeList *flags(const char *value)
{
    static OTF2_AttributeList *list;
    bool probe = value && strncmp(value, "probe=", 6) == 0;
    if (!value)
        return NULL;
    list = list ? list : OTF2_AttributeList_New();
    if (!make.has_attribute[probe])
        OTF2_GlobalDefWriter_WriteAttribute(make.definitions, probe,
                                            string(probe ? "SILAS::probe" : "SILAS::flags"), 0,
                                            probe ? OTF2_TYPE_UINT64 : OTF2_TYPE_UINT8);
    make.has_attribute[probe] = true;
    if (probe)
        OTF2_AttributeList_AddUint64(list, 1, strtoull(value + 6, NULL, 10));
    else
        OTF2_AttributeList_AddUint8(list, 0, (uint8_t)atoi(value));
    return list;
}

/* SILAS::polls and SILAS::polls_time of one event (attributes 4 and 5), as in "polls=12,300";
 * without the second number SILAS::polls alone. NULL without. */
static OTF2_AttributeList *polls(const char *value)
{
    static OTF2_AttributeList *list;
    if (!value || strncmp(value, "polls=", 6) != 0)
        return NULL;
    list = list ? list : OTF2_AttributeList_New();
    if (!make.has_polls) {
        make.has_polls = true;
        OTF2_GlobalDefWriter_WriteAttribute(make.definitions, 4, string("SILAS::polls"), 0,
                                            OTF2_TYPE_UINT32);
        OTF2_GlobalDefWriter_WriteAttribute(make.definitions, 5, string("SILAS::polls_time"), 0,
                                            OTF2_TYPE_UINT64);
    }
    char *rest;
    OTF2_AttributeList_AddUint32(list, 4, (uint32_t)strtoul(value + 6, &rest, 10));
    if (*rest == ',')
        OTF2_AttributeList_AddUint64(list, 5, strtoull(rest + 1, NULL, 10));
    return list;
}

/* SILAS::persistent of one event (attribute 6), as in "persistent=2"; NULL without. */
static OTF2_AttributeList *persistent(const char *value)
{
    static OTF2_AttributeList *list;
    if (!value || strncmp(value, "persistent=", 11) != 0)
        return NULL;
    list = list ? list : OTF2_AttributeList_New();
    if (!make.has_persistent)
        OTF2_GlobalDefWriter_WriteAttribute(make.definitions, 6, string("SILAS::persistent"), 0,
                                            OTF2_TYPE_UINT32);
    make.has_persistent = true;
    OTF2_AttributeList_AddUint32(list, 6, (uint32_t)strtoul(value + 11, NULL, 10));
    return list;
}

/* The groups of neighbours of one event; attributes 1 to 3. */
static OTF2_AttributeList *neighbours(const char *sources, const char *destinations)
{
    static OTF2_AttributeList *list;
    list = list ? list : OTF2_AttributeList_New();
    if (!make.has_neighbours) {
        make.has_neighbours = true;
        OTF2_GlobalDefWriter_WriteAttribute(make.definitions, 1, string("SILAS::flags"), 0,
                                            OTF2_TYPE_UINT8);
        OTF2_GlobalDefWriter_WriteAttribute(make.definitions, 2, string("SILAS::sources"), 0,
                                            OTF2_TYPE_GROUP);
        OTF2_GlobalDefWriter_WriteAttribute(make.definitions, 3, string("SILAS::destinations"), 0,
                                            OTF2_TYPE_GROUP);
    }
    OTF2_AttributeList_RemoveAllAttributes(list);
    OTF2_AttributeList_AddUint8(list, 1, SILAS_FLAG_NEIGHBOUR);
    OTF2_AttributeList_AddGroupRef(list, 2, named_group(sources));
    OTF2_AttributeList_AddGroupRef(list, 3, named_group(destinations));
    return list;
}

static OTF2_ErrorCode one_sided(uint64_t t, char **w)
{
    OTF2_EvtWriter *e = make.events;
    const char *what = w[1];
#define IS(name)  (strcmp(what, name) == 0)
#define NUMBER(i) strtoull(given(w[i]), NULL, 10)
    if (IS("rma_begin"))
        return OTF2_EvtWriter_RmaCollectiveBegin(e, NULL, t);
    if (IS("rma_end"))
        return OTF2_EvtWriter_RmaCollectiveEnd(e, NULL, t, (OTF2_CollectiveOp)NUMBER(2),
                                               NUMBER(2) == OTF2_COLLECTIVE_OP_CREATE_HANDLE
                                                   ? OTF2_RMA_SYNC_LEVEL_PROCESS
                                                   : OTF2_RMA_SYNC_LEVEL_PROCESS |
                                                         OTF2_RMA_SYNC_LEVEL_MEMORY,
                                               window_id(w[3]), OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    uint32_t window = window_id(w[2]);
    if (IS("win_create"))
        return OTF2_EvtWriter_RmaWinCreate(e, NULL, t, window);
    if (IS("win_destroy"))
        return OTF2_EvtWriter_RmaWinDestroy(e, NULL, t, window);
    if (IS("put"))
        return OTF2_EvtWriter_RmaPut(e, NULL, t, window, (uint32_t)NUMBER(3), NUMBER(4), NUMBER(5));
    if (IS("get"))
        return OTF2_EvtWriter_RmaGet(e, NULL, t, window, (uint32_t)NUMBER(3), NUMBER(4), NUMBER(5));
    if (IS("done"))
        return OTF2_EvtWriter_RmaOpCompleteRemote(e, NULL, t, window, NUMBER(3));
    if (IS("done_blocking"))
        return OTF2_EvtWriter_RmaOpCompleteBlocking(e, NULL, t, window, NUMBER(3));
    if (IS("group_sync"))
        return OTF2_EvtWriter_RmaGroupSync(e, NULL, t, OTF2_RMA_SYNC_LEVEL_PROCESS, window,
                                           named_group(w[3]));
    if (IS("request"))
        return OTF2_EvtWriter_RmaRequestLock(e, NULL, t, window, (uint32_t)NUMBER(3), 0,
                                             OTF2_LOCK_EXCLUSIVE);
    if (IS("lock"))
        return OTF2_EvtWriter_RmaAcquireLock(e, NULL, t, window, (uint32_t)NUMBER(3), 0,
                                             OTF2_LOCK_EXCLUSIVE);
    if (IS("unlock"))
        return OTF2_EvtWriter_RmaReleaseLock(e, NULL, t, window, (uint32_t)NUMBER(3), 0);
    die("unknown event");
    return OTF2_SUCCESS;
#undef IS
#undef NUMBER
}

static OTF2_ErrorCode event(uint64_t t, char **w)
{
    OTF2_EvtWriter *e = make.events;
    const char *what = w[1];
#define IS(name)  (strcmp(what, name) == 0)
#define NUMBER(i) strtoull(given(w[i]), NULL, 10)
    if (IS("enter"))
        return OTF2_EvtWriter_Enter(e, polls(w[3]), t, region_id(w[2]));
    if (IS("leave")) {
        OTF2_AttributeList *visit = polls(w[3]);
        return OTF2_EvtWriter_Leave(e, visit ? visit : flags(w[3]), t, region_id(w[2]));
    }
    if (IS("send"))
        return OTF2_EvtWriter_MpiSend(e, NULL, t, (uint32_t)NUMBER(2), comm_id(w[3]),
                                      (uint32_t)NUMBER(4), NUMBER(5));
    if (IS("recv"))
        return OTF2_EvtWriter_MpiRecv(e, flags(w[6]), t, (uint32_t)NUMBER(2), comm_id(w[3]),
                                      (uint32_t)NUMBER(4), NUMBER(5));
    if (IS("isend"))
        return OTF2_EvtWriter_MpiIsend(e, flags(w[7]), t, (uint32_t)NUMBER(2), comm_id(w[3]),
                                       (uint32_t)NUMBER(4), NUMBER(5), NUMBER(6));
    if (IS("irecv"))
        return OTF2_EvtWriter_MpiIrecv(e, NULL, t, (uint32_t)NUMBER(2), comm_id(w[3]),
                                       (uint32_t)NUMBER(4), NUMBER(5), NUMBER(6));
    if (IS("isend_complete"))
        return OTF2_EvtWriter_MpiIsendComplete(e, NULL, t, NUMBER(2));
    if (IS("irecv_request"))
        return OTF2_EvtWriter_MpiIrecvRequest(e, flags(w[3]), t, NUMBER(2));
    if (IS("test"))
        return OTF2_EvtWriter_MpiRequestTest(e, NULL, t, NUMBER(2));
    if (IS("cancelled"))
        return OTF2_EvtWriter_MpiRequestCancelled(e, NULL, t, NUMBER(2));
    if (IS("nbc_request"))
        return OTF2_EvtWriter_NonBlockingCollectiveRequest(e, NULL, t, NUMBER(2));
    if (IS("begin"))
        return OTF2_EvtWriter_MpiCollectiveBegin(e, NULL, t);
    if (IS("end"))
        return OTF2_EvtWriter_MpiCollectiveEnd(e, flags(w[7]), t, (OTF2_CollectiveOp)NUMBER(2),
                                               comm_id(w[3]), rank_number(w[4]), NUMBER(5),
                                               NUMBER(6));
    if (IS("neighbour_end"))
        return OTF2_EvtWriter_MpiCollectiveEnd(e, neighbours(w[6], w[7]), t,
                                               (OTF2_CollectiveOp)NUMBER(2), comm_id(w[3]),
                                               OTF2_COLLECTIVE_ROOT_NONE, NUMBER(4), NUMBER(5));
    if (IS("nbc_complete"))
        return OTF2_EvtWriter_NonBlockingCollectiveComplete(
            e, persistent(w[8]), t, (OTF2_CollectiveOp)NUMBER(2), comm_id(w[3]), rank_number(w[4]),
            NUMBER(5), NUMBER(6), NUMBER(7));
    if (IS("program"))
        return OTF2_EvtWriter_ProgramBegin(e, NULL, t, string(given(w[2])), 0, NULL);
    if (IS("program_end"))
        return OTF2_EvtWriter_ProgramEnd(e, NULL, t, 0);
    if (IS("on") || IS("off"))
        return OTF2_EvtWriter_MeasurementOnOff(
            e, NULL, t, IS("on") ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
    if (IS("flush"))
        return OTF2_EvtWriter_BufferFlush(e, NULL, t, NUMBER(2));
    if (IS("count"))
        return OTF2_EvtWriter_Metric(e, NULL, t, counter_id(w[2]), 1,
                                     &(const OTF2_Type){OTF2_TYPE_UINT64},
                                     &(const OTF2_MetricValue){.unsigned_int = NUMBER(3)});
    if (IS("fork"))
        return OTF2_EvtWriter_ThreadFork(e, NULL, t, OTF2_PARADIGM_OPENMP, (uint32_t)NUMBER(2));
    if (IS("join"))
        return OTF2_EvtWriter_ThreadJoin(e, NULL, t, OTF2_PARADIGM_OPENMP);
    if (IS("team_begin"))
        return OTF2_EvtWriter_ThreadTeamBegin(e, NULL, t, team_comm());
    if (IS("team_end"))
        return OTF2_EvtWriter_ThreadTeamEnd(e, NULL, t, team_comm());
    if (IS("acquire"))
        return OTF2_EvtWriter_ThreadAcquireLock(e, NULL, t, OTF2_PARADIGM_OPENMP,
                                                (uint32_t)NUMBER(2), 0);
    if (IS("release"))
        return OTF2_EvtWriter_ThreadReleaseLock(e, NULL, t, OTF2_PARADIGM_OPENMP,
                                                (uint32_t)NUMBER(2), 0);
    return one_sided(t, w);
#undef IS
#undef NUMBER
}

static int split(char *line, char **word)
{
    int count = 0;
    for (char *w = strtok(line, " \t\n"); w && count < WORDS; w = strtok(NULL, " \t\n"))
        word[count++] = w;
    for (int i = count; i <= WORDS; i++)
        word[i] = NULL;
    return count;
}

static void read_line(char *line)
{
    char *word[WORDS + 1];
    if (line[0] == '#' || split(line, word) == 0 || definition(word))
        return;
    if (strcmp(word[0], "rank") == 0 || strcmp(word[0], "thread") == 0) {
        make.rank = number_below(given(word[1]), make.ranks);
        make.thread = word[0][0] == 't';
        uint64_t id = location_id(make.rank);
        if (make.thread && make.thread_count == MAX)
            die("too many threads");
        if (make.thread) {
            make.thread_of[make.thread_count] = (int)make.rank;
            id = make.thread_ids + make.thread_count++;
        }
        make.events = OTF2_Archive_GetEvtWriter(make.archive, id);
        return;
    }
    if (!make.events || !word[1])
        die("an event needs a rank, a time and a kind");
    if (event(strtoull(word[0], NULL, 10), word) != OTF2_SUCCESS)
        die("OTF2 refuses this event");
    if (!make.thread)
        make.event_counts[make.rank]++;
}

static void read_spec(FILE *spec)
{
    char line[8192];
    while (fgets(line, sizeof line, spec)) {
        make.line++;
        if (make.most_ranks == 0 || setjmp(failed) == 0)
            read_line(line);
    }
}

static void finish(void)
{
    for (uint32_t r = 0; r < make.ranks; r++)
        OTF2_GlobalDefWriter_WriteLocation(make.definitions, location_id(r), string("master"),
                                           OTF2_LOCATION_TYPE_CPU_THREAD, make.event_counts[r], r);
    for (uint32_t i = 0; i < make.thread_count; i++)
        OTF2_GlobalDefWriter_WriteLocation(make.definitions, make.thread_ids + i, string("thread"),
                                           OTF2_LOCATION_TYPE_CPU_THREAD, 0,
                                           (OTF2_LocationGroupRef)make.thread_of[i]);
    OTF2_GlobalDefWriter_WriteClockProperties(make.definitions, 1000000000, 0, 1000000,
                                              OTF2_UNDEFINED_TIMESTAMP);
    for (uint32_t r = 0; make.most_ranks > 0 && r < make.ranks; r++)
        OTF2_Archive_GetEvtWriter(make.archive, location_id(r));
    OTF2_Archive_CloseEvtFiles(make.archive);
    OTF2_Archive_OpenDefFiles(make.archive);
    for (uint32_t r = 0; r < make.ranks; r++) {
        OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(make.archive, location_id(r));
        if (make.offsets[r]) {
            OTF2_DefWriter_WriteClockOffset(local, 0, make.offsets[r], 0.0);
            OTF2_DefWriter_WriteClockOffset(local, 1000000, make.offsets[r], 0.0);
        }
        OTF2_Archive_CloseDefWriter(make.archive, local);
    }
    OTF2_Archive_CloseDefFiles(make.archive);
    OTF2_Archive_Close(make.archive);
}

static void forget_names(char **names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(names[i]);
}

static void forget(void)
{
    forget_names(make.regions, make.region_count);
    forget_names(make.comms, make.comm_count);
    forget_names(make.windows, make.window_count);
    forget_names(make.named, make.named_count);
    forget_names(make.counters, make.counter_count);
    memset(make.offsets, 0, make.ranks * sizeof *make.offsets);
    memset(make.event_counts, 0, make.ranks * sizeof *make.event_counts);
    memset(&make, 0, offsetof(struct make, regions));
}

static bool write_archive(FILE *spec, const char *directory, uint32_t most_ranks)
{
    if (setjmp(failed)) {
        if (make.archive)
            OTF2_Archive_Close(make.archive);
        forget();
        return false;
    }
    make.most_ranks = most_ranks;
    make.archive =
        OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                          OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!make.archive)
        die("cannot write there");
    OTF2_Archive_SetFlushCallbacks(make.archive, &flush_callbacks, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(make.archive);
    OTF2_Archive_OpenEvtFiles(make.archive);
    make.definitions = OTF2_Archive_GetGlobalDefWriter(make.archive);
    read_spec(spec);
    finish();
    forget();
    return true;
}

bool text_trace_write(FILE *spec, const char *directory, char *message, size_t size)
{
    complaint = message;
    complaint_size = size;
    return write_archive(spec, directory, 0);
}

bool text_trace_write_some(FILE *spec, const char *directory, uint32_t most_ranks)
{
    complaint_size = 0;
    return write_archive(spec, directory, most_ranks);
}
