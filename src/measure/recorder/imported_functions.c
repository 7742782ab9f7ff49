#include "measure/recorder/imported_functions.h"

#include <assert.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

/* Tables of an object's dynamic section. */
struct dynamic_tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * calls, *others;
    size_t call_bytes, other_bytes;
    bool without_addends; /* relocations of calls have another form */
};

struct import_search {
    const char *prefix;
    bool libraries, found;
};

/* The loader has replaced addresses as linked by those in memory on most machines. */
static const void *address_in(const struct dl_phdr_info *object, ElfW(Addr) value)
{
    return (const void *)(value < object->dlpi_addr ? object->dlpi_addr + value : value);
}

static struct dynamic_tables tables_of(const struct dl_phdr_info *object, const ElfW(Dyn) * entry)
{
    struct dynamic_tables tables = {0};
    for (; entry->d_tag != DT_NULL; entry++)
        switch (entry->d_tag) {
        case DT_SYMTAB:
            tables.symbols = address_in(object, entry->d_un.d_ptr);
            break;
        case DT_STRTAB:
            tables.names = address_in(object, entry->d_un.d_ptr);
            break;
        case DT_JMPREL:
            tables.calls = address_in(object, entry->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            tables.call_bytes = entry->d_un.d_val;
            break;
        case DT_RELA:
            tables.others = address_in(object, entry->d_un.d_ptr);
            break;
        case DT_RELASZ:
            tables.other_bytes = entry->d_un.d_val;
            break;
        case DT_PLTREL:
            tables.without_addends = entry->d_un.d_val != DT_RELA;
            break;
        default:
            break;
        }
    return tables;
}

static bool relocations_name(const struct dynamic_tables *tables, const ElfW(Rela) * list,
                             size_t bytes, const char *prefix)
{
    enum { SYMBOL_SHIFT = sizeof(ElfW(Addr)) == 8 ? 32 : 8 }; /* ELF64_R_SYM, ELF32_R_SYM */
    const size_t length = strlen(prefix);
    for (size_t i = 0; list && i < bytes / sizeof *list; i++) {
        const ElfW(Sym) *symbol = &tables->symbols[list[i].r_info >> SYMBOL_SHIFT];
        if (symbol->st_shndx == SHN_UNDEF &&
            strncmp(tables->names + symbol->st_name, prefix, length) == 0)
            return true;
    }
    return false;
}

static int search_object(struct dl_phdr_info *object, size_t size, void *data)
{
    struct import_search *search = data;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const struct dynamic_tables tables =
            tables_of(object, (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr));
        search->found =
            tables.symbols && tables.names && !tables.without_addends &&
            (relocations_name(&tables, tables.calls, tables.call_bytes, search->prefix) ||
             relocations_name(&tables, tables.others, tables.other_bytes, search->prefix));
    }
    return search->found || !search->libraries; /* the executable is the first object */
}

bool function_is_imported(const char *prefix, bool libraries)
{
    assert(prefix[0] != '\0');
    struct import_search search = {.prefix = prefix, .libraries = libraries};
    dl_iterate_phdr(search_object, &search);
    return search.found;
}
