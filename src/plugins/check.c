#include "plugins/check.h"

#include "base/descriptors.h"
#include "config.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static enum status layout_differs(const char *path, const char *what, uint32_t theirs,
                                  uint32_t ours, struct error *error)
{
    return error_set(
        error, STATUS_INPUT,
        "%s was built with the headers of another SILAS (%s: %u there, %u here): build "
        "it again, with the flags of pkg-config --cflags silas",
        path, what, theirs, ours);
}

enum status plugin_check_version(const char *path, const char *interface, struct error *error)
{
    assert(interface);
    int major = 0, minor = 0;
    sscanf(interface, SILAS_PLUGIN_MARK "%d.%d", &major, &minor);
    if (major == SILAS_PLUGIN_MAJOR && minor <= SILAS_PLUGIN_MINOR)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s is a plug-in for version %d.%d of the interface, but SILAS " VERSION
                     " has version %d.%d: %s",
                     path, major, minor, SILAS_PLUGIN_MAJOR, SILAS_PLUGIN_MINOR,
                     major == SILAS_PLUGIN_MAJOR
                         ? "use a newer SILAS, or build it again with the headers of this one"
                         : "use the SILAS that it was made for, or adapt it to the headers of this "
                           "one (doc/plugins.md) and build it again");
}

enum status plugin_check_layout(const char *path, const struct silas_plugin *plugin,
                                struct error *error)
{
    static const struct {
        const char *what;
        uint32_t number;
    } layout[] = {
#define X(what, number) {what, (uint32_t)(number)},
        SILAS_PLUGIN_LAYOUT(X)
#undef X
    };
    const uint32_t count = sizeof layout / sizeof *layout;
    for (uint32_t i = 0; i < count && i < plugin->layout_count; i++)
        if (plugin->layout[i] != layout[i].number)
            return layout_differs(path, layout[i].what, plugin->layout[i], layout[i].number, error);
    if (plugin->layout_count != count)
        return layout_differs(path, "facts of the interface", plugin->layout_count, count, error);
    return plugin->name ? STATUS_OK
                        : error_set(error, STATUS_INPUT, "%s: the plug-in has no name", path);
}

/* Names are used in configuration files, on command lines and in tables of reports. */
static enum status check_descriptor_name(const char *path, const char *what, const char *name,
                                         struct error *error)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (name && *name && !name[strspn(name, allowed)])
        return STATUS_OK;
    return error_set(
        error, STATUS_INPUT,
        "%s: the name of a %s is \"%s\", but names consist of letters, digits, _ and -", path, what,
        name ? name : "");
}

static enum status name_taken(const char *path, const char *what, const char *name,
                              struct error *error)
{
    return error_set(error, STATUS_INPUT,
                     "%s: the plug-in defines the %s \"%s\", but one of that name exists already",
                     path, what, name);
}

static enum status incomplete(const char *path, const char *what, const char *name,
                              const char *missing, struct error *error)
{
    return error_set(error, STATUS_INPUT, "%s: the %s \"%s\" is not complete: %s", path, what, name,
                     missing);
}

/* Whether sections of that name have another meaning. */
static bool is_section(const char *name)
{
    static const char *const sections[] = {"trace",   "replay",   "output", "model",
                                           "machine", "distance", "waits"};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strcmp(sections[i], name) == 0)
            return true;
    return false;
}

enum status plugin_check_hypothesis(const char *path, const struct hypothesis_kind *kind,
                                    struct error *error)
{
    static const char what[] = "hypothesis";
    enum status status = check_descriptor_name(path, what, kind->name, error);
    if (status != STATUS_OK)
        return status;
    if (is_section(kind->name) || hypothesis_kind_named(kind->name))
        return name_taken(path, what, kind->name, error);
    if (!kind->description || !kind->keys || !kind->apply)
        return incomplete(path, what, kind->name, "it needs a description, keys and apply", error);
    if (kind->state_size < sizeof(const struct ini_section *))
        return incomplete(path, what, kind->name, "its state must begin with the section", error);
    for (const struct ini_key *key = kind->keys; key->name; key++)
        if (key->offset >= kind->state_size)
            return incomplete(path, what, kind->name, "a key's value lies outside its state",
                              error);
    return STATUS_OK;
}

/* The description of a metric in the list, or of one of the pattern's first `count` own metrics;
 * NULL: neither. */
static const struct metric_info *info_of(const struct metric_info *own, int count,
                                         enum metric metric)
{
    if (metric >= 0 && metric < METRIC_COUNT)
        return &metric_infos[metric];
    return metric >= METRIC_OWN_FIRST && metric < METRIC_OWN_FIRST + count
               ? &own[metric - METRIC_OWN_FIRST]
               : NULL;
}

static bool metric_taken(const struct metric_info *own, int count, const char *name)
{
    bool taken = metric_from_name(name) != METRIC_NONE;
    for (int i = 0; i < count; i++)
        taken = taken || strcmp(own[i].name, name) == 0;
    for (const struct pattern *const *known = pattern_list(); *known; known++)
        for (const struct metric_info *info = (*known)->metrics; info && info->name; info++)
            taken = taken || strcmp(info->name, name) == 0;
    return taken;
}

/* Checks the pattern's own metric number `i`, after those before it. */
static enum status check_metric(const char *path, const struct metric_info *own, int i,
                                struct error *error)
{
    static const char what[] = "metric";
    assert(i >= 0 && own[i].name);
    const struct metric_info *info = &own[i], *parent = info_of(own, i, info->parent);
    enum status status = check_descriptor_name(path, what, info->name, error);
    if (status != STATUS_OK)
        return status;
    if (metric_taken(own, i, info->name))
        return name_taken(path, what, info->name, error);
    if (!info->title || !info->description || info->unit < UNIT_SECONDS ||
        info->unit > UNIT_OTHER || (info->unit == UNIT_OTHER && !info->unit_name))
        return incomplete(path, what, info->name, "it needs a title, a description and a unit",
                          error);
    if (info->merge < MERGE_SUM || info->merge > MERGE_MAX)
        return incomplete(path, what, info->name, "merge is none of enum metric_merge", error);
    if (info->parent != METRIC_NONE && (!parent || parent->unit != info->unit))
        return incomplete(
            path, what, info->name,
            "its parent must come before it and have the same unit, or be METRIC_NONE", error);
    return STATUS_OK;
}

enum status plugin_check_pattern(const char *path, const struct pattern *pattern,
                                 struct error *error)
{
    static const char what[] = "pattern";
    const struct metric_info *own = pattern->metrics;
    int count = 0;
    enum status status = check_descriptor_name(path, what, pattern->name, error);
    for (const struct pattern *const *known = pattern_list(); *known && status == STATUS_OK;
         known++)
        if (strcmp((*known)->name, pattern->name) == 0)
            status = name_taken(path, what, pattern->name, error);
    for (; status == STATUS_OK && own && own[count].name; count++)
        status = check_metric(path, own, count, error);
    if (status != STATUS_OK)
        return status;
    if (!pattern->description || (!pattern->search_rank && !pattern->search_instance &&
                                  !pattern->search_program && !pattern->search_causes))
        return incomplete(path, what, pattern->name,
                          "it needs a description and one of the search functions", error);
    if (!pattern->search_instance)
        return STATUS_OK;
    const enum metric metrics[] = {pattern->wait_metric, pattern->completion_metric};
    for (int i = 0; i < 2; i++)
        if (metrics[i] == METRIC_TIME ||
            (metrics[i] != METRIC_NONE && !info_of(own, count, metrics[i])))
            return incomplete(path, what, pattern->name,
                              "with search_instance it needs a wait_metric and a "
                              "completion_metric, which may be METRIC_NONE",
                              error);
    if (pattern->sync_kind != SYNC_NONE)
        return incomplete(
            path, what, pattern->name,
            "its sync_kind must be SYNC_NONE: causes are searched for waits of built-in "
            "patterns only",
            error);
    return STATUS_OK;
}

/* Whether two formats write a file of one name into the directory of a replay. */
static bool same_files(const struct report_format *a, const struct report_format *b)
{
    for (int i = 0; i < 2 && a->replay_files[i]; i++)
        for (int j = 0; j < 2 && b->replay_files[j]; j++)
            if (strcmp(a->replay_files[i], b->replay_files[j]) == 0)
                return true;
    return false;
}

enum status plugin_check_format(const char *path, const struct report_format *format,
                                struct error *error)
{
    static const char what[] = "report format";
    const char *first = format->replay_files[0], *second = format->replay_files[1];
    enum status status = check_descriptor_name(path, what, format->name, error);
    if (status != STATUS_OK)
        return status;
    if (report_format_find(format->name))
        return name_taken(path, what, format->name, error);
    if (!format->description || !format->write_run || !format->recognises != !format->read)
        return incomplete(path, what, format->name,
                          "it needs a description and write_run, and recognises and read both or "
                          "neither",
                          error);
    if (!first || !second != !!format->write_replay || strchr(first, '/') ||
        (second && strchr(second, '/')))
        return incomplete(path, what, format->name,
                          "replay_files are the names of the one file that write_replay writes, or "
                          "else of the two files of the runs before and after the change",
                          error);
    for (const struct report_format *const *known = report_format_list(); *known; known++)
        if (same_files(*known, format))
            return incomplete(path, what, format->name, "another format has the same replay_files",
                              error);
    return STATUS_OK;
}

enum status plugin_check_signal(const char *path, const struct signal_kind *kind,
                                struct error *error)
{
    static const char what[] = "signal";
    enum status status = check_descriptor_name(path, what, kind->name, error);
    if (status != STATUS_OK)
        return status;
    if (signal_is_built_in(kind->name) || descriptors_find(signal_list(), kind->name))
        return name_taken(path, what, kind->name, error);
    return kind->description && kind->sample
               ? STATUS_OK
               : incomplete(path, what, kind->name, "it needs a description and sample", error);
}
