#include "measure/recorder/imported_functions.h"

#include <assert.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Tables of an object's dynamic section. */
struct dynamic_tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * calls, *others;
    size_t call_bytes, other_bytes;
    bool without_addends; /* relocations of calls have another form */
};

/* What happens to the objects. */
struct replacement {
    const char *unless; /* a prefix */
    const struct replaced_function *functions;
    size_t function_count, replaced;
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

static const char *imported_name(const struct dynamic_tables *tables, const ElfW(Rela) * relocation)
{
    enum { SYMBOL_SHIFT = sizeof(ElfW(Addr)) == 8 ? 32 : 8 }; /* ELF64_R_SYM, ELF32_R_SYM */
    const ElfW(Sym) *symbol = &tables->symbols[relocation->r_info >> SYMBOL_SHIFT];
    return symbol->st_shndx == SHN_UNDEF ? tables->names + symbol->st_name : "";
}

static bool imports(const struct dynamic_tables *tables, const ElfW(Rela) * list, size_t bytes,
                    const char *prefix)
{
    const size_t length = strlen(prefix);
    for (size_t i = 0; list && i < bytes / sizeof *list; i++)
        if (strncmp(imported_name(tables, &list[i]), prefix, length) == 0)
            return true;
    return false;
}

/* The loader may have made the page of an address read-only when the relocations were done. */
static bool store(const struct dl_phdr_info *object, ElfW(Addr) offset, ElfW(Addr) value)
{
    ElfW(Addr) *address = (ElfW(Addr) *)(object->dlpi_addr + offset);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *begin = (void *)((uintptr_t)address / page * page);
    bool read_only = false;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        read_only |= part->p_type == PT_GNU_RELRO && offset >= part->p_vaddr &&
                     offset < part->p_vaddr + part->p_memsz;
    }
    if (read_only && mprotect(begin, page, PROT_READ | PROT_WRITE) != 0)
        return false;
    *address = value;
    if (read_only)
        mprotect(begin, page, PROT_READ);
    return true;
}

static void replace_in(struct replacement *replacement, const struct dl_phdr_info *object,
                       const struct dynamic_tables *tables, const ElfW(Rela) * list, size_t bytes)
{
    for (size_t i = 0; list && i < bytes / sizeof *list; i++) {
        const char *name = imported_name(tables, &list[i]);
        for (size_t k = 0; k < replacement->function_count; k++) {
            const struct replaced_function *function = &replacement->functions[k];
            if (strcmp(name, function->name) == 0)
                replacement->replaced +=
                    store(object, list[i].r_offset,
                          (ElfW(Addr))(uintptr_t)function->by + (ElfW(Addr))list[i].r_addend);
        }
    }
}

static int visit_object(struct dl_phdr_info *object, size_t size, void *data)
{
    struct replacement *replacement = data;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const struct dynamic_tables tables =
            tables_of(object, (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr));
        if (!tables.symbols || !tables.names || tables.without_addends ||
            imports(&tables, tables.calls, tables.call_bytes, replacement->unless) ||
            imports(&tables, tables.others, tables.other_bytes, replacement->unless))
            continue;
        replace_in(replacement, object, &tables, tables.calls, tables.call_bytes);
        replace_in(replacement, object, &tables, tables.others, tables.other_bytes);
    }
    return 0;
}

size_t imported_functions_replace(const char *unless, const struct replaced_function *functions,
                                  size_t count)
{
    assert(unless[0] != '\0' && count > 0);
    struct replacement replacement = {
        .unless = unless, .functions = functions, .function_count = count};
    dl_iterate_phdr(visit_object, &replacement);
    return replacement.replaced;
}
