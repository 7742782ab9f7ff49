#include "config.h" /* RTLD_DEFAULT */

#include "measure/recorder/user_regions.h"

#include "measure/recorder/filter_rule.h"
#include "measure/recorder/function_name.h"
#include "measure/recorder/measurement_state.h"

#include "base/array.h"
#include "base/log.h"

#include <assert.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rule {
    char *pattern;
    bool exclude;
    bool matched; /* some name so far */
};

static ARRAY(struct rule) rules;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The launcher has checked that the file can be read. */
static void load_rules(void)
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
        struct rule rule = {0};
        rule.pattern = strdup(filter_rule_pattern(pattern, &rule.exclude));
        if (!rule.pattern || !array_push(&rules, rule))
            free(rule.pattern);
    }
    free(line);
    if (file)
        fclose(file);
}

/* The last rule that matches any of the names decides. */
static bool excludes(const char *const *names, size_t count, bool otherwise)
{
    bool excluded = otherwise;
    for (size_t i = 0; i < rules.count; i++) {
        struct rule *rule = &rules.items[i];
        for (size_t n = 0; n < count; n++) {
            if (filter_rule_matches(rule->pattern, names[n])) {
                excluded = rule->exclude;
                __atomic_store_n(&rule->matched, true, __ATOMIC_RELAXED);
                break;
            }
        }
    }
    return excluded;
}

void user_filter_warn_unmatched(void)
{
    enum { NAMED = 5 };
    char text[512] = "";
    size_t unmatched = 0, used = 0;
    pthread_once(&once, load_rules);
    for (size_t i = 0; i < rules.count; i++) {
        const struct rule *rule = &rules.items[i];
        if (rule->matched || filter_rule_is_of_construct(rule->pattern) || unmatched++ >= NAMED ||
            used >= sizeof text) /* names of constructs are found after the end */
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\"%s%s\"", used ? ", " : "",
                                 rule->exclude ? "" : "!", rule->pattern);
    }
    if (unmatched > 0)
        log_warning("filter %s: %zu pattern%s no function or region of rank %u: %s%s",
                    measurement_settings.filter, unmatched, unmatched > 1 ? "s match" : " matches",
                    measurement_rank, text, unmatched > NAMED ? ", ..." : "");
}

char *user_filter_text(void)
{
    char *text = NULL;
    size_t size = 0;
    pthread_once(&once, load_rules);
    FILE *stream = rules.count > 0 ? open_memstream(&text, &size) : NULL;
    for (size_t i = 0; stream && i < rules.count; i++)
        fprintf(stream, "%s%s%s", i > 0 ? "\n" : "", rules.items[i].exclude ? "" : "!",
                rules.items[i].pattern);
    if (stream)
        fclose(stream);
    return text;
}

bool user_filter_excludes(const char *name)
{
    pthread_once(&once, load_rules);
    return excludes(&name, 1, false);
}

bool user_filter_decides(const char *const *names, size_t count, bool otherwise)
{
    assert(names && count > 0);
    pthread_once(&once, load_rules);
    return excludes(names, count, otherwise);
}

typedef char *demangle_function(const char *name, char *buffer, size_t *length, int *status);

/* Only C++ programs have the demangling function loaded. */
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

/* Checks the names by which users know a function: the linker's, and without the suffix of a copy
 * that the compiler has optimised (".isra.0"); in C++ the demangled one and that of its region; in
 * Fortran the one without module and underscore. */
static bool excludes_function(const char *linkage)
{
    const char *names[5];
    size_t count = 0, length = strlen(linkage);
    char *whole = demangle(linkage), *region = whole ? strdup(whole) : NULL, *plain = NULL;
    const char *module = strstr(linkage, "_MOD_"), *suffix = strchr(linkage, '.');
    names[count++] = linkage;
    if (whole)
        names[count++] = whole;
    if (region) {
        function_name_strip(region);
        names[count++] = region;
    }
    if (module)
        names[count++] = module + strlen("_MOD_");
    else if (suffix && suffix > linkage)
        length = (size_t)(suffix - linkage);
    else if (length > 1 && linkage[length - 1] == '_')
        length--;
    if (!module && linkage[length] && (plain = strndup(linkage, length)))
        names[count++] = plain;
    bool excluded = excludes(names, count, false);
    free(whole);
    free(region);
    free(plain);
    return excluded;
}

/* The tracer loads libelf itself, so that programs load it only where a filter is given. */
#define LIBELF_FUNCTIONS(X) \
    X(elf_version)          \
    X(elf_begin)            \
    X(elf_end)              \
    X(elf_nextscn)          \
    X(elf_getdata)          \
    X(elf_strptr)           \
    X(gelf_getshdr)         \
    X(gelf_getsym)

static struct {
    bool loaded;
#define X(name) __typeof__(name) *name;
    LIBELF_FUNCTIONS(X)
#undef X
} libelf;

static void load_libelf(void)
{
    void *library = dlopen("libelf.so.1", RTLD_NOW | RTLD_LOCAL);
    libelf.loaded = library != NULL;
#define X(name)                                                                  \
    if (libelf.loaded)                                                           \
        libelf.name = (__typeof__(libelf.name))(uintptr_t)dlsym(library, #name); \
    libelf.loaded = libelf.loaded && libelf.name;
    LIBELF_FUNCTIONS(X)
#undef X
    if (libelf.loaded)
        libelf.elf_version(EV_CURRENT);
}

/* The full table of symbols or, if that was stripped, the dynamic one. NULL if there is neither. */
static Elf_Scn *find_table(Elf *elf, GElf_Shdr *header)
{
    Elf_Scn *table = NULL, *section = NULL;
    GElf_Shdr next;
    while ((section = libelf.elf_nextscn(elf, section))) {
        if (libelf.gelf_getshdr(section, &next) &&
            (next.sh_type == SHT_SYMTAB || (next.sh_type == SHT_DYNSYM && !table))) {
            table = section;
            *header = next;
        }
    }
    return table;
}

/* False if the file's functions cannot be read. */
static bool exclude_in(Elf *elf, void (*exclude)(void *data, uint64_t address), void *data)
{
    GElf_Shdr header;
    GElf_Sym symbol;
    Elf_Scn *table = elf ? find_table(elf, &header) : NULL;
    Elf_Data *symbols = table ? libelf.elf_getdata(table, NULL) : NULL;
    if (!symbols)
        return false;
    for (int i = 0; libelf.gelf_getsym(symbols, i, &symbol); i++) {
        const char *name = libelf.elf_strptr(elf, header.sh_link, symbol.st_name);
        if (name && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
            excludes_function(name))
            exclude(data, symbol.st_value);
    }
    return true;
}

void user_filter_functions(const char *path, void (*exclude)(void *data, uint64_t address),
                           void *data)
{
    static pthread_once_t libelf_once = PTHREAD_ONCE_INIT;
    if (!measurement_settings.filter)
        return;
    pthread_once(&once, load_rules);
    pthread_once(&libelf_once, load_libelf);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = libelf.loaded ? libelf.elf_begin(file, ELF_C_READ, NULL) : NULL;
    if (!exclude_in(elf, exclude, data))
        log_warning("cannot read the functions' names in %s: the filter does not apply to them%s",
                    path, libelf.loaded ? "" : " (libelf.so.1 is missing)");
    if (elf)
        libelf.elf_end(elf);
    if (file >= 0)
        close(file);
}
