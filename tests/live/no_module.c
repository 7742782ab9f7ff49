/* In the place of the module of src/live/module_text.c: a build without clang or wasi-libc. */
extern const char live_module[];
const char live_module[] = "";
