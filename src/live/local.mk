# What-ifs in pages: the equations of a trace, packed, and the engine as a WebAssembly module.
noinst_LIBRARIES += liblive.a
liblive_a_SOURCES = src/live/data.c src/live/data.h src/live/pack.c src/live/pack.h \
	src/live/program.h src/live/program_private.h src/live/unpack.c src/live/change.c src/live/computation.c src/live/evaluate.c
nodist_liblive_a_SOURCES = src/live/module_text.c
live_libs = liblive.a libefficiency.a $(patterns_libs) $(reduction_libs) $(replay_libs) $(report_libs)

# The module, as base64 in a C string; without clang and wasi-libc it is empty.
live_module_files = src/live/module.c src/live/unpack.c src/live/change.c src/live/computation.c src/live/evaluate.c replay/model/call_term.c replay/model/collective_cost.c \
	replay/costs/transfer.c src/base/collective_op.c
EXTRA_DIST += src/live/module.c
src/live/module.wasm: $(live_module_files) src/live/program.h src/live/program_private.h src/base/mpi_call_ids.h transform/pace.h transform/even.h src/equations/walk_template.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(WASM_CC) -mnontrapping-fptoint -DNDEBUG -Isrc -I$(srcdir)/src -I$(srcdir) $(MPI_INCLUDES) -Wl,--strip-all \
	-o $@ `for file in $(live_module_files); do echo $(srcdir)/$$file; done`
if LIVE_MODULE
live_module_made = src/live/module.wasm
endif
src/live/module_text.c: $(live_module_made) src/live/local.mk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { echo '/* Made from module.wasm. */'; echo 'extern const char live_module[];'; \
	echo 'const char live_module[] ='; echo '    ""'; \
	test -z "$(live_module_made)" || base64 -w 76 $(live_module_made) | sed 's/.*/    "&"/'; echo '    ;'; } > $@.tmp && mv $@.tmp $@
BUILT_SOURCES += src/live/module_text.c
CLEANFILES += src/live/module_text.c src/live/module.wasm
