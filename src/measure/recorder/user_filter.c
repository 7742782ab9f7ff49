/* --filter: which functions and regions are not recorded, by patterns on their names. */
#include "config.h" /* RTLD_DEFAULT */

#include "measure/recorder/user_regions.h"

#include "measure/recorder/record_private.h"

#include "base/array.h"
#include "base/log.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct rule {
    char *pattern;
    bool exclude;
};

static ARRAY(struct rule) rules;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The launcher has checked that the file can be read. */
static void load(void)
{
    FILE *file = measurement_settings.filter ? fopen(measurement_settings.filter, "re") : NULL;
    char *line = NULL;
    size_t size = 0;
    while (file && getline(&line, &size, file) >= 0) {
        char *pattern = line + strspn(line, " \t");
        size_t length = strcspn(pattern, "\r\n");
        while (length > 0 && (pattern[length - 1] == ' ' || pattern[length - 1] == '\t'))
            length--;
        pattern[length] = '\0';
        if (!pattern[0] || pattern[0] == '#')
            continue;
        bool exclude = pattern[0] != '!';
        struct rule rule = {strdup(pattern + !exclude), exclude};
        if (!rule.pattern || !array_push(&rules, rule))
            free(rule.pattern);
    }
    free(line);
    if (file)
        fclose(file);
}

static bool matches(const char *pattern, const char *name)
{
    return fnmatch(pattern, name, 0) == 0;
}

/* The last rule that matches any of the names decides. */
static bool excludes(const char *const *names, size_t count)
{
    bool excluded = false;
    for (size_t i = 0; i < rules.count; i++) {
        for (size_t n = 0; n < count; n++) {
            if (matches(rules.items[i].pattern, names[n])) {
                excluded = rules.items[i].exclude;
                break;
            }
        }
    }
    return excluded;
}

bool user_filter_excludes(const char *name)
{
    pthread_once(&once, load);
    return excludes(&name, 1);
}

/* --- names of functions ------------------------------------------------------------------------
 */

typedef char *demangle_function(const char *name, char *buffer, size_t *length, int *status);

/* C++ programs bring the function that makes names readable along. */
static char *demangle(const char *name)
{
    static demangle_function *function;
    static bool asked;
    int status = 0;
    if (strncmp(name, "_Z", 2) != 0)
        return NULL;
    if (!asked)
        function = (demangle_function *)dlsym(RTLD_DEFAULT, "__cxa_demangle");
    asked = true;
    return function ? function(name, NULL, NULL, &status) : NULL;
}

/* Under which names users know a function: as the linker does; in C++ readable, with and without
 * parameters; in Fortran without module and underscore. */
static bool excludes_function(const char *linkage)
{
    const char *names[5];
    size_t count = 0;
    char *readable = demangle(linkage), *bare = NULL, *fortran = NULL;
    const char *module = strstr(linkage, "_MOD_");
    names[count++] = linkage;
    if (readable) {
        names[count++] = readable;
        if ((bare = strndup(readable, strcspn(readable, "("))))
            names[count++] = bare;
    }
    size_t length = strlen(linkage);
    if (module)
        names[count++] = module + strlen("_MOD_");
    else if (length > 1 && linkage[length - 1] == '_' && (fortran = strndup(linkage, length - 1)))
        names[count++] = fortran;
    bool excluded = excludes(names, count);
    free(readable);
    free(bare);
    free(fortran);
    return excluded;
}

/* --- symbol tables -----------------------------------------------------------------------------
 */

/* The full table of symbols, or if it was stripped the dynamic one. */
static const ElfW(Shdr) * find_table(const char *image, size_t size)
{
    const ElfW(Ehdr) *header = (const void *)image;
    if (size < sizeof *header || memcmp(image, ELFMAG, SELFMAG) != 0 ||
        header->e_shoff + (size_t)header->e_shnum * sizeof(ElfW(Shdr)) > size)
        return NULL;
    const ElfW(Shdr) *sections = (const void *)(image + header->e_shoff), *table = NULL;
    for (unsigned i = 0; i < header->e_shnum; i++) {
        bool inside = sections[i].sh_offset + sections[i].sh_size <= size &&
                      sections[i].sh_link < header->e_shnum;
        if (inside &&
            (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && !table)))
            table = &sections[i];
    }
    return table;
}

static void exclude_in_image(const char *image, size_t size, uint64_t load_address)
{
    const ElfW(Shdr) *table = find_table(image, size);
    if (!table)
        return;
    const ElfW(Ehdr) *header = (const void *)image;
    const ElfW(Shdr) *names = (const ElfW(Shdr) *)(image + header->e_shoff) + table->sh_link;
    const ElfW(Sym) *symbols = (const void *)(image + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        if ((symbols[i].st_info & 0xf) != STT_FUNC || symbols[i].st_shndx == SHN_UNDEF ||
            symbols[i].st_name >= names->sh_size)
            continue;
        if (excludes_function(image + names->sh_offset + symbols[i].st_name))
            user_function_exclude((const void *)(uintptr_t)(load_address + symbols[i].st_value));
    }
}

void user_filter_object(const char *path, uint64_t load_address)
{
    struct stat status;
    pthread_once(&once, load);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    void *image = MAP_FAILED;
    if (fstat(file, &status) == 0 && status.st_size > 0)
        image = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (image == MAP_FAILED) {
        log_warning("cannot read the symbols of %s; the filter does not apply to it", path);
        return;
    }
    exclude_in_image(image, (size_t)status.st_size, load_address);
    munmap(image, (size_t)status.st_size);
}
