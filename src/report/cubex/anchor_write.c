/* Writes anchor.xml in Scalasca's layout. The number of an object is its place in its array. */
#include "base/call_role.h"
#include "base/utf8.h"
#include "report/cubex/cubex_private.h"

#include "config.h"
#include "severity/path_table.h"

#include <stdlib.h>
#include <string.h>

/* Writes text as XML: markup is escaped; control characters, which XML cannot hold, become '?'. */
static bool xml_write(const char *text, FILE *stream)
{
    char *clean = utf8_clean(text);
    if (!clean)
        return false;
    for (const char *c = clean; *c; c++) {
        switch (*c) {
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        case '"':
            fputs("&quot;", stream);
            break;
        case '&':
            fputs("&amp;", stream);
            break;
        case '\t':
        case '\n':
        case '\r': /* unescaped, it would be read as a line end */
            fprintf(stream, "&#%d;", *c);
            break;
        default:
            fputc((unsigned char)*c < ' ' ? '?' : *c, stream);
        }
    }
    free(clean);
    return true;
}

static bool write_element(const char *tag, const char *text, FILE *stream)
{
    fprintf(stream, "<%s>", tag);
    bool written = xml_write(text, stream);
    fprintf(stream, "</%s>\n", tag);
    return written;
}

/* The nodes of a tree come in preorder. Before the next node, open nodes are closed up to its
 * parent. */
static void close_metrics(const struct cubex_anchor *anchor, uint32_t open, uint32_t parent,
                          FILE *stream)
{
    for (; open != parent; open = anchor->metrics.items[open].parent)
        fputs("</metric>\n", stream);
}

static bool write_metric_definitions(const struct cubex_anchor *anchor, FILE *stream)
{
    uint32_t open = SEVERITY_NONE;
    bool written = true;
    fputs("<metrics>\n", stream);
    for (uint32_t i = 0; i < anchor->metrics.count; i++) {
        const struct cubex_metric *metric = &anchor->metrics.items[i];
        close_metrics(anchor, open, metric->parent, stream);
        fprintf(stream, "<metric id=\"%u\" type=\"%s\">\n", i, metric->kind);
        written = written && write_element("disp_name", metric->title, stream) &&
                  write_element("uniq_name", metric->name, stream) &&
                  write_element("dtype", metric->type, stream) &&
                  write_element("uom", metric->unit, stream) && write_element("url", "", stream) &&
                  write_element("descr", metric->description, stream);
        open = i;
    }
    close_metrics(anchor, open, SEVERITY_NONE, stream);
    fputs("</metrics>\n", stream);
    return written;
}

static int line_or_none(uint32_t line)
{
    return line > 0 && line <= INT32_MAX ? (int)line : -1;
}

static bool write_region(uint32_t id, const struct severity_path *region, FILE *stream)
{
    const char *file = region->file ? region->file : "";
    fprintf(stream, "<region id=\"%u\" mod=\"", id);
    bool written = xml_write(region->mpi ? "MPI" : file, stream);
    fprintf(stream, "\" begin=\"%d\" end=\"%d\">\n", line_or_none(region->begin_line),
            line_or_none(region->end_line));
    written = written && write_element("name", region->name, stream) &&
              write_element("mangled_name", region->name, stream);
    const enum mpi_call call = region->mpi ? mpi_call_from_name(region->name) : MPI_CALL_NONE;
    fprintf(stream,
            "<paradigm>%s</paradigm>\n<role>%s</role>\n<url></url>\n<descr></descr>\n"
            "</region>\n",
            region->mpi ? "mpi" : "user", call_role_name(call_role(call)));
    return written;
}

/* Writes each name of a call path once, as a region. Returns the region of each path (free it);
 * NULL when memory is out. */
static uint32_t *write_region_definitions(const struct cubex_anchor *anchor, FILE *stream)
{
    struct path_table table = {0};
    uint32_t *regions = malloc((anchor->callpaths.count + 1) * sizeof *regions);
    bool written = regions != NULL;
    for (size_t i = 0; written && i < anchor->callpaths.count; i++) {
        const struct severity_path *callpath = &anchor->callpaths.items[i];
        struct severity_path region = *callpath;
        region.parent = SEVERITY_NONE;
        regions[i] = path_table_at(&table, region);
        written = regions[i] != SEVERITY_NONE;
    }
    for (size_t i = 0; written && i < table.paths.count; i++)
        written = write_region((uint32_t)i, &table.paths.items[i], stream);
    path_table_clear(&table);
    if (!written)
        free(regions);
    return written ? regions : NULL;
}

static void close_callpaths(const struct cubex_anchor *anchor, uint32_t open, uint32_t parent,
                            FILE *stream)
{
    for (; open != parent; open = anchor->callpaths.items[open].parent)
        fputs("</cnode>\n", stream);
}

static bool write_program(const struct cubex_anchor *anchor, FILE *stream)
{
    uint32_t open = SEVERITY_NONE;
    fputs("<program>\n", stream);
    uint32_t *regions = write_region_definitions(anchor, stream);
    if (!regions)
        return false;
    for (uint32_t i = 0; i < anchor->callpaths.count; i++) {
        close_callpaths(anchor, open, anchor->callpaths.items[i].parent, stream);
        fprintf(stream, "<cnode id=\"%u\" calleeId=\"%u\">\n", i, regions[i]);
        open = i;
    }
    close_callpaths(anchor, open, SEVERITY_NONE, stream);
    fputs("</program>\n", stream);
    free(regions);
    return true;
}

static bool write_cnode(uint32_t id, const char *host, FILE *stream)
{
    fprintf(stream, "<systemtreenode Id=\"%u\">\n<name>node%s", id, *host ? " " : "");
    bool written = xml_write(host, stream);
    fputs("</name>\n<class>node</class>\n", stream);
    return written;
}

/* The locations of a host are consecutive, and so are those of a rank. */
static bool write_systems(const struct cubex_anchor *anchor, FILE *stream)
{
    const struct severity_location *last = NULL;
    uint32_t nodes = 0, groups = 0;
    bool written = true;
    fputs(
        "<system>\n<systemtreenode Id=\"0\">\n<name>machine Linux</name>\n<class>machine</class>\n",
        stream);
    for (uint32_t i = 0; i < anchor->locations.count; i++) {
        const struct severity_location *location = &anchor->locations.items[i];
        bool new_node = !last || strcmp(last->host, location->host) != 0;
        bool new_group = new_node || last->rank != location->rank;
        if (last && new_group)
            fputs("</locationgroup>\n", stream);
        if (last && new_node)
            fputs("</systemtreenode>\n", stream);
        if (new_node)
            written = write_cnode(++nodes, location->host, stream) && written;
        if (new_group)
            fprintf(stream,
                    "<locationgroup Id=\"%u\">\n<name>MPI Rank %u</name>\n<rank>%u</rank>\n"
                    "<type>process</type>\n",
                    groups++, location->rank, location->rank);
        fprintf(stream, "<location Id=\"%u\">\n<name>", i);
        fprintf(stream, location->thread ? "Thread %u" : "Master thread", location->thread);
        fprintf(stream, "</name>\n<rank>%u</rank>\n<type>thread</type>\n</location>\n",
                location->thread);
        last = location;
    }
    if (last)
        fputs("</locationgroup>\n</systemtreenode>\n", stream);
    fputs("</systemtreenode>\n<topologies>\n</topologies>\n</system>\n", stream);
    return written;
}

bool cubex_anchor_write(const struct cubex_anchor *anchor, FILE *stream)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\n<cube version=\"4.4\">\n"
          "<attr key=\"CubePL Version\" value=\"1.1\"/>\n"
          "<attr key=\"Cube Version\" value=\"4.4\"/>\n"
          "<attr key=\"Creator\" value=\"SILAS " PACKAGE_VERSION "\"/>\n",
          stream);
    if (anchor->total_seconds != 0)
        fprintf(stream, "<attr key=\"" CUBEX_TOTAL_SECONDS "\" value=\"%.17g\"/>\n",
                anchor->total_seconds);
    if (anchor->difference)
        fputs("<attr key=\"" CUBEX_DIFFERENCE "\" value=\"yes\"/>\n", stream);
    fputs("<doc>\n<mirrors>\n</mirrors>\n</doc>\n", stream);
    bool written = write_metric_definitions(anchor, stream) && write_program(anchor, stream) &&
                   write_systems(anchor, stream);
    fputs("</cube>\n", stream);
    return written;
}
