#include "measure/archive/symbols.h"

#include "measure/recorder/function_name.h"
#include "measure/recorder/openmp.h"

#include "base/array.h"
#include "base/files.h"
#include "base/mpi_call.h"

#include <assert.h>
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangle_function(const char *name, char *buffer, size_t *length, int *status);

struct object {
    char *path;
    Dwfl *dwfl; /* one per object: addresses as linked need no layout of a process */
    Dwfl_Module *module;
    GElf_Addr bias;
};

struct function_symbols {
    ARRAY(struct object) objects;
    char *readable, made_up[512];
    void *runtime;
    demangle_function *demangle;
};

static char *debug_path; /* NULL: the library's default path */
static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debug_path,
};

struct function_symbols *function_symbols_open(void)
{
    struct function_symbols *symbols = calloc(1, sizeof *symbols);
    if (!symbols)
        return NULL;
    unsetenv("DEBUGINFOD_URLS"); /* libdw would wait for servers on the network */
    /* SILAS does not link the C++ library; hosts that run C++ programs have it. */
    symbols->runtime = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (symbols->runtime)
        symbols->demangle = (demangle_function *)dlsym(symbols->runtime, "__cxa_demangle");
    return symbols;
}

void function_symbols_close(struct function_symbols *symbols)
{
    if (!symbols)
        return;
    for (size_t i = 0; i < symbols->objects.count; i++) {
        free(symbols->objects.items[i].path);
        if (symbols->objects.items[i].dwfl)
            dwfl_end(symbols->objects.items[i].dwfl);
    }
    free(symbols->objects.items);
    free(symbols->readable);
    if (symbols->runtime)
        dlclose(symbols->runtime);
    free(symbols);
}

static void object_open(struct object *object)
{
    object->dwfl = dwfl_begin(&callbacks);
    if (!object->dwfl)
        return;
    dwfl_report_begin(object->dwfl);
    object->module = dwfl_report_offline(object->dwfl, object->path, object->path, -1);
    dwfl_report_end(object->dwfl, NULL, NULL);
    if (object->module && !dwfl_module_getelf(object->module, &object->bias))
        object->module = NULL;
}

static struct object *object_at(struct function_symbols *symbols, const char *path)
{
    for (size_t i = 0; i < symbols->objects.count; i++) {
        if (strcmp(symbols->objects.items[i].path, path) == 0)
            return &symbols->objects.items[i];
    }
    struct object object = {.path = strdup(path)};
    if (!object.path || !array_push(&symbols->objects, object)) {
        free(object.path);
        return NULL;
    }
    struct object *added = &symbols->objects.items[symbols->objects.count - 1];
    object_open(added);
    return added;
}

static const char *readable_name(struct function_symbols *symbols, const char *linkage)
{
    int status = 0;
    if (strncmp(linkage, "_Z", 2) != 0 || !symbols->demangle)
        return NULL;
    free(symbols->readable);
    symbols->readable = symbols->demangle(linkage, NULL, NULL, &status);
    if (symbols->readable)
        function_name_strip(symbols->readable);
    return symbols->readable;
}

/* Finds the function in modules and namespaces, which libdw does not search. Procedures of Fortran
 * modules that are compiled without optimisation are only there. */
static bool function_inside(Dwarf_Die *parent, Dwarf_Addr address, Dwarf_Die *function)
{
    Dwarf_Die child;
    if (dwarf_child(parent, &child) != 0)
        return false;
    do {
        const int tag = dwarf_tag(&child);
        if (tag == DW_TAG_subprogram && dwarf_haspc(&child, address) > 0) {
            *function = child;
            return true;
        }
        if ((tag == DW_TAG_module || tag == DW_TAG_namespace) &&
            function_inside(&child, address, function))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* The innermost function that contains an address; inlined functions do not count. */
static bool function_at(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die *function)
{
    Dwarf_Die *scopes = NULL;
    int count = dwarf_getscopes(unit, address, &scopes);
    bool found = false;
    for (int i = 0; i < count && !found; i++) {
        found = dwarf_tag(&scopes[i]) == DW_TAG_subprogram;
        if (found)
            *function = scopes[i];
    }
    free(scopes);
    return found || function_inside(unit, address, function);
}

static const char *linkage_name_of(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    if (!dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute) &&
        !dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name, &attribute))
        return NULL;
    return dwarf_formstring(&attribute);
}

/* The compilation unit that has the address, and what to subtract from addresses in it. Compilers
 * may leave out the table of addresses (clang does): then all units are searched. */
static Dwarf_Die *unit_at(struct object *object, Dwarf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(object->module, address, bias);
    if (unit)
        return unit;
    while ((unit = dwfl_module_nextcu(object->module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) > 0)
            return unit;
    return NULL;
}

static void fill_from_debugging(struct object *object, uint64_t address,
                                struct function_symbol *symbol)
{
    Dwarf_Addr bias;
    Dwarf_Die function;
    int line = 0;
    Dwarf_Die *unit = unit_at(object, address + object->bias, &bias);
    if (!unit || !function_at(unit, address + object->bias - bias, &function))
        return;
    const char *name = dwarf_diename(&function), *file = dwarf_decl_file(&function);
    const char *linkage = linkage_name_of(&function);
    if (name)
        symbol->name = name;
    if (linkage)
        symbol->canonical = linkage;
    if (file)
        symbol->file = file;
    if (dwarf_decl_line(&function, &line) == 0)
        symbol->line = (uint32_t)line;
}

bool function_symbols_find(struct function_symbols *symbols, const char *path, uint64_t address,
                           struct function_symbol *symbol)
{
    assert(symbols && path);
    struct object *object = object_at(symbols, path);
    if (!object)
        return false;
    *symbol = (struct function_symbol){NULL, NULL, "", 0};
    if (object->module) {
        symbol->canonical = dwfl_module_addrname(object->module, address + object->bias);
        fill_from_debugging(object, address, symbol);
    }
    if (!symbol->canonical)
        symbol->canonical = symbol->name;
    if (!symbol->canonical) {
        snprintf(symbols->made_up, sizeof symbols->made_up, "%s@0x%llx", files_base_name(path),
                 (unsigned long long)address);
        symbol->canonical = symbols->made_up;
    }
    const char *readable = readable_name(symbols, symbol->canonical);
    if (readable)
        symbol->name = readable;
    if (!symbol->name)
        symbol->name = symbol->canonical;
    return true;
}

/* The file and line of the call that returns to an address. False if they are unknown. */
static bool find_line(struct function_symbols *symbols, const char *path, uint64_t address,
                      const char **file, uint32_t *line)
{
    struct object *object = object_at(symbols, path);
    Dwarf_Addr bias = 0;
    const Dwarf_Addr call = object ? address + object->bias - 1 : 0;
    Dwarf_Die *unit = object && object->module ? unit_at(object, call, &bias) : NULL;
    Dwarf_Line *found = unit ? dwarf_getsrc_die(unit, call - bias) : NULL;
    int number = 0;
    *file = found && dwarf_lineno(found, &number) == 0 ? dwarf_linesrc(found, NULL, NULL) : NULL;
    *line = (uint32_t)number;
    return *file != NULL;
}

bool construct_symbols_find(struct function_symbols *symbols, const char *path, uint64_t address,
                            uint32_t construct, struct function_symbol *symbol)
{
    assert(construct < OPENMP_CONSTRUCT_COUNT);
    const char *text = openmp_constructs[construct].text, *file;
    uint32_t line;
    if (!function_symbols_find(symbols, path, address - 1, symbol))
        return false;
    char name[sizeof symbols->made_up];
    if (find_line(symbols, path, address, &file, &line)) {
        snprintf(name, sizeof name, "%s @%s:%u", text, files_base_name(file), line);
        symbol->file = file;
        symbol->line = line;
    } else {
        snprintf(name, sizeof name, "%s @%s", text, symbol->name);
    }
    strcpy(symbols->made_up, name);
    symbol->name = symbol->canonical = symbols->made_up;
    return true;
}

bool call_symbols_find(struct function_symbols *symbols, const char *path, uint64_t address,
                       uint32_t call, struct function_symbol *symbol)
{
    assert(call < MPI_CALL_COUNT);
    const char *name = mpi_call_infos[call].name;
    struct object *object = object_at(symbols, path);
    if (!object)
        return false;
    *symbol = (struct function_symbol){.name = name, .canonical = name};
    if (find_line(symbols, path, address, &symbol->file, &symbol->line))
        return true;
    GElf_Off offset = address;
    GElf_Sym unused;
    const char *function = object->module
                               ? dwfl_module_addrinfo(object->module, address + object->bias - 1,
                                                      &offset, &unused, NULL, NULL, NULL)
                               : NULL;
    const unsigned long long distance = function ? offset + 1 : address;
    const char *place =
        function ? readable_name(symbols, function) ?: function : files_base_name(path);
    snprintf(symbols->made_up, sizeof symbols->made_up, "%.480s+0x%llx", place, distance);
    symbol->file = symbols->made_up;
    symbol->line = 0;
    return true;
}

bool region_symbols_find(struct function_symbols *symbols,
                         const struct rank_definitions *definitions,
                         const struct rank_region *region, struct function_symbol *symbol)
{
    const char *path = rank_object_path(definitions, region);
    if (region->call != MPI_CALL_NONE)
        return call_symbols_find(symbols, path, region->address, region->call, symbol);
    if (region->construct != OPENMP_NONE)
        return construct_symbols_find(symbols, path, region->address, region->construct, symbol);
    return function_symbols_find(symbols, path, region->address, symbol);
}
