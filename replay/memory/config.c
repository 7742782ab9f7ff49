#include "replay/memory/config.h"

#include "base/arena.h"
#include "trace/environment.h"
#include "trace/forks.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ini_key memory_keys[] = {
    WHERE_KEYS,
    INI_KEY_AT("share", memory_section, share_text, STRING),
    INI_KEY(memory_section, recording, PATH),
    INI_KEY(memory_section, domain_ranks, INTEGER, .least = 1, .most = 1000000),
    INI_KEYS_END,
};

static const struct ini_key storage_keys[] = {
    WHERE_KEYS,
    INI_KEY_AT("share", memory_section, share_text, STRING),
    INI_KEY(memory_section, recording, PATH),
    INI_KEYS_END,
};

static enum status read_share(struct memory_section *section, struct error *error)
{
    const char *text = section->share_text;
    char *end;
    section->is_auto = !text || strcmp(text, "auto") == 0;
    if (section->is_auto)
        return STATUS_OK;
    section->share = strtod(text, &end);
    if (end == text || *end || !(section->share >= 0 && section->share <= 1))
        return section_error(error, section->section, "share",
                             "share = %s: expected \"auto\" or the part of the bandwidth that one "
                             "rank needs, a number from 0 to 1",
                             text);
    if (section->recording)
        return section_error(error, section->section, "recording",
                             "\"recording\" needs share = auto; here the share is given");
    return STATUS_OK;
}

static enum status read_memory_section(const struct ini_section *ini_section,
                                       struct memory_config *config, struct error *error)
{
    struct memory_section *section = &config->sections[config->count++];
    *section = (struct memory_section){.section = ini_section};
    const bool files = strcmp(ini_section->kind, "storage") == 0;
    enum status status = ini_read(ini_section, files ? storage_keys : memory_keys, section, error);
    if (status != STATUS_OK)
        return status;
    if (config->count > 1 && files != config->files)
        return section_error(error, ini_section, NULL,
                             "a section before it is [%s]: a prediction can take into account "
                             "the bandwidth of memory or that of storage",
                             files ? "memory" : "storage");
    config->files = files;
    if (files && !section->share_text)
        section->share_text = "1";
    if (!files && !callpath_marks_wanted(ini_section))
        return section_error(error, ini_section, NULL,
                             "\"region\" or \"callpath\" is missing: name the computation that "
                             "needs the bandwidth of memory");
    if (section->domain_ranks > 0 && config->domain_ranks > 0 &&
        section->domain_ranks != config->domain_ranks)
        return section_error(
            error, ini_section, "domain_ranks",
            "another section has domain_ranks = %lld; use the same value in all sections",
            (long long)config->domain_ranks);
    if (section->domain_ranks > 0)
        config->domain_ranks = section->domain_ranks;
    return read_share(section, error);
}

enum status memory_config_read(const struct ini *ini, struct memory_config **result,
                               struct error *error)
{
    struct memory_config *config = arena_alloc(ini->arena, sizeof *config);
    *result = NULL;
    if (!config)
        return error_memory(error, "the configuration");
    *config = (struct memory_config){.ini = ini};
    config->sections =
        arena_alloc_array(ini->arena, ini->section_count + 1, sizeof *config->sections);
    if (!config->sections)
        return error_memory(error, "the configuration");
    enum status status = STATUS_OK;
    for (size_t s = 0; s < ini->section_count && status == STATUS_OK; s++)
        if (strcmp(ini->sections[s].kind, "memory") == 0 ||
            strcmp(ini->sections[s].kind, "storage") == 0)
            status = read_memory_section(&ini->sections[s], config, error);
    if (status == STATUS_OK && config->count > 0)
        *result = config;
    return status;
}

/* All ranks share the storage. Ranks of a host share a domain of memory. If `most` > 0, a domain
 * has at most `most` consecutive ranks of the host. False if out of memory. */
static bool number_domains(const struct trace *trace, int64_t most, struct memory_sharing *sharing)
{
    if (sharing->sharing.files) {
        sharing->sharing.domain_count = 1; /* the domains are all 0 */
        return true;
    }
    uint32_t *open = malloc(((size_t)trace->rank_count + 1) * sizeof *open);
    int64_t *members = calloc((size_t)trace->rank_count + 1, sizeof *members);
    bool room = open && members && environment_number_hosts(trace, sharing->domains);
    uint32_t count = 0;
    for (uint32_t rank = 0; room && rank < trace->rank_count; rank++) {
        uint32_t host = sharing->domains[rank];
        if (members[host] == 0 || (most > 0 && members[host] % most == 0))
            open[host] = count++;
        members[host]++;
        sharing->domains[rank] = open[host];
    }
    sharing->sharing.domain_count = count;
    free(open);
    free(members);
    return room;
}

/* A call path that no section chooses has the class of its caller. Fails if two sections choose the
 * same call path. */
static enum status choose_classes(const struct memory_config *config, const struct trace *trace,
                                  struct memory_sharing *sharing, struct error *error)
{
    for (uint32_t p = 0; p < trace->calltree.paths.count; p++) {
        uint32_t parent = trace->calltree.paths.items[p].parent;
        uint16_t class = parent == CALLPATH_NONE ? 0 : sharing->class_of[parent];
        bool chosen = false;
        for (size_t c = 0; c < config->count; c++) {
            const bool anywhere = !callpath_marks_wanted(config->sections[c].section);
            if (anywhere ? !callpath_accesses_file(trace, p)
                         : !(marks_of(&sharing->marks[c], p) & CALLPATH_CHOSEN))
                continue;
            if (chosen) {
                char text[512];
                callpath_format(&trace->calltree, trace->definitions, p, text, sizeof text);
                return section_error(error, config->sections[c].section, NULL,
                                     "the section before it chooses the same calls: %s", text);
            }
            chosen = true;
            class = (uint16_t)(c + 1);
        }
        sharing->class_of[p] = class;
    }
    return STATUS_OK;
}

/* While a rank is in a construct of OpenMP around computation of a class, its threads run this
 * computation. So the rank needs bandwidth also while its master only waits for them. */
static void choose_thread_classes(const struct trace *trace, struct memory_sharing *sharing)
{
    uint16_t *class_of = sharing->class_of;
    for (uint32_t p = 0; p < trace->calltree.paths.count; p++)
        if (!region_waits_for_threads(callpath_region(trace, p)))
            sharing->thread_class_of[p] = class_of[p];
    for (uint32_t p = (uint32_t)trace->calltree.paths.count; p-- > 0;) {
        const uint32_t parent = trace->calltree.paths.items[p].parent;
        if (parent != CALLPATH_NONE && class_of[p] > 0 && class_of[parent] == 0 &&
            region_is_openmp(callpath_region(trace, parent)))
            class_of[parent] = class_of[p];
    }
    for (uint32_t p = 0; p < trace->calltree.paths.count; p++) {
        const uint32_t parent = trace->calltree.paths.items[p].parent;
        if (parent != CALLPATH_NONE && class_of[p] == 0 && class_of[parent] > 0 &&
            region_is_openmp(callpath_region(trace, p)))
            class_of[p] = class_of[parent];
    }
}

/* Fails if a section chooses no call that accesses a file. */
static enum status need_file_calls(const struct memory_config *config, const struct trace *trace,
                                   const struct memory_sharing *sharing, struct error *error)
{
    for (size_t c = 0; c < config->count; c++) {
        bool any = false;
        for (uint32_t p = 0; p < trace->calltree.paths.count && !any; p++)
            any = sharing->class_of[p] == c + 1 && callpath_accesses_file(trace, p);
        if (!any)
            return section_error(error, config->sections[c].section, NULL,
                                 "no chosen call reads or writes a file on one rank alone "
                                 "(MPI_File_write, MPI_File_read_at, ...)");
    }
    return STATUS_OK;
}

enum status memory_sharing_make(const struct memory_config *config, const struct trace *trace,
                                struct memory_sharing *sharing, struct error *error)
{
    assert(config->count > 0);
    size_t paths = trace->calltree.paths.count;
    *sharing = (struct memory_sharing){
        .class_of = calloc(paths + 1, sizeof *sharing->class_of),
        .thread_class_of = calloc(paths + 1, sizeof *sharing->thread_class_of),
        .path_shares = calloc(paths + 1, sizeof *sharing->path_shares),
        .shares = calloc(config->count + 1, sizeof *sharing->shares),
        .domains = calloc((size_t)trace->rank_count + 1, sizeof *sharing->domains),
        .marks = calloc(config->count + 1, sizeof *sharing->marks),
        .section_count = config->count};
    sharing->sharing.files = config->files;
    bool room = sharing->class_of && sharing->thread_class_of && sharing->path_shares &&
                sharing->shares && sharing->domains && sharing->marks;
    room = room && number_domains(trace, config->domain_ranks, sharing);
    enum status status = room ? STATUS_OK : error_memory(error, "the shares of bandwidth");
    for (size_t c = 0; c < config->count && status == STATUS_OK; c++) {
        const struct memory_section *section = &config->sections[c];
        status = callpath_marks_create(section->section, trace, &sharing->marks[c], error);
        if (status == STATUS_OK && !config->files)
            status = callpath_marks_need_computation(&sharing->marks[c], CALLPATH_INSIDE,
                                                     section->section, error);
        sharing->shares[c] = section->share;
    }
    if (status == STATUS_OK)
        status = choose_classes(config, trace, sharing, error);
    if (status == STATUS_OK && config->files)
        status = need_file_calls(config, trace, sharing, error);
    if (status != STATUS_OK) {
        memory_sharing_clear(sharing);
        return status;
    }
    if (!config->files) {
        choose_thread_classes(trace, sharing);
        sharing->sharing.thread_class_of = sharing->thread_class_of;
    }
    sharing->sharing.class_of = sharing->class_of;
    sharing->sharing.path_count = (uint32_t)paths;
    sharing->sharing.shares = sharing->shares;
    sharing->sharing.domains = sharing->domains;
    return STATUS_OK;
}

void memory_sharing_set_threads(struct memory_sharing *sharing)
{
    for (uint32_t p = 0; p < sharing->sharing.path_count; p++) {
        const uint16_t class = sharing->thread_class_of[p];
        sharing->path_shares[p] = class > 0 ? (float)sharing->shares[class - 1] : 0;
    }
    sharing->of_threads =
        (struct bandwidth_shares){sharing->path_shares, sharing->sharing.path_count};
}

void memory_sharing_clear(struct memory_sharing *sharing)
{
    for (size_t c = 0; sharing->marks && c < sharing->section_count; c++)
        callpath_marks_clear(&sharing->marks[c]);
    free(sharing->marks);
    free(sharing->class_of);
    free(sharing->thread_class_of);
    free(sharing->path_shares);
    free(sharing->shares);
    free(sharing->domains);
    memset(sharing, 0, sizeof *sharing);
}
