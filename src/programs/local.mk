# One thin main for each program, and what several of them share.
bin_PROGRAMS += silas
silas_SOURCES = src/programs/silas.c
silas_LDADD = $(base_libs)

noinst_LIBRARIES += libprogram.a
libprogram_a_SOURCES = src/programs/program_main.c src/programs/program_main.h \
	src/programs/local_jobs.c src/programs/local_jobs.h \
	src/programs/option_values.c src/programs/option_values.h \
	src/programs/output_format.c src/programs/output_format.h
program_libs = libprogram.a $(base_libs)

include src/programs/severity-programs.mk

bin_PROGRAMS += silas-replay silas-model
replay_job_sources = src/programs/replay_job.c src/programs/replay_job.h \
	src/programs/question_options.c src/programs/question_options.h
replay_job_libraries = $(program_libs) $(job_libs) $(pluginoption_libs)
silas_replay_SOURCES = src/programs/silas-replay.c $(replay_job_sources)
silas_replay_LDADD = $(replay_job_libraries)
silas_replay_LINK = $(plugin_link)
EXTRA_silas_replay_DEPENDENCIES = src/plugins/functions.symbols
silas_model_SOURCES = src/programs/silas-model.c \
	src/programs/latency_question.c src/programs/domino_question.c src/programs/stragglers_question.c src/programs/stragglers_question.h src/programs/asked_trace.c src/programs/asked_trace.h \
	src/programs/model_questions.c src/programs/model_questions.h $(replay_job_sources)
silas_model_LDADD = $(replay_job_libraries) $(advice_libs)
silas_model_LINK = $(plugin_link)
EXTRA_silas_model_DEPENDENCIES = src/plugins/functions.symbols
dist_man_MANS += doc/silas.1 doc/silas-replay.1 doc/silas-model.1

bin_PROGRAMS += silas-calibrate
silas_calibrate_SOURCES = src/programs/silas-calibrate.c \
	src/programs/calibrated_hardware.c src/programs/calibrated_hardware.h
silas_calibrate_LDADD = $(program_libs) $(prediction_libs) $(replay_libs) $(report_libs)
dist_man_MANS += doc/silas-calibrate.1
dist_doc_DATA += doc/advice.md

bin_PROGRAMS += silas-structure
silas_structure_SOURCES = src/programs/silas-structure.c \
	src/programs/structure_output.c src/programs/structure_output.h
nodist_silas_structure_SOURCES = src/structure/structure_kind.c
silas_structure_LDADD = $(program_libs) $(job_libs) $(pluginoption_libs)
silas_structure_LINK = $(plugin_link)
EXTRA_silas_structure_DEPENDENCIES = src/plugins/functions.symbols

bin_PROGRAMS += silas-reduce
silas_reduce_SOURCES = src/programs/silas-reduce.c \
	src/programs/reduce_output.c src/programs/reduce_output.h
silas_reduce_LDADD = $(program_libs) $(reduction_libs) $(patterns_libs) $(report_libs)

bin_PROGRAMS += silas-sweep
silas_sweep_SOURCES = src/programs/silas-sweep.c src/programs/predicted_sweep.c src/programs/predicted_sweep.h
silas_sweep_LDADD = $(program_libs) $(sweep_libs) $(pluginoption_libs)
silas_sweep_LINK = $(plugin_link)
EXTRA_silas_sweep_DEPENDENCIES = src/plugins/functions.symbols
dist_man_MANS += doc/silas-sweep.1

bin_PROGRAMS += silas-predict
silas_predict_SOURCES = src/programs/silas-predict.c \
	src/programs/predict_options.c src/programs/predict_options.h
silas_predict_LDADD = $(program_libs) $(schedules_libs) $(prediction_libs) $(replay_libs)
dist_man_MANS += doc/silas-predict.1

bin_PROGRAMS += silas-advise
silas_advise_SOURCES = src/programs/silas-advise.c
silas_advise_LDADD = $(program_libs) $(advice_libs) $(pluginoption_libs)
silas_advise_LINK = $(plugin_link)
EXTRA_silas_advise_DEPENDENCIES = src/plugins/functions.symbols
dist_man_MANS += doc/silas-advise.1

bin_PROGRAMS += silas-init
silas_init_SOURCES = src/programs/silas-init.c
silas_init_LDADD = $(program_libs) $(advice_libs)
dist_man_MANS += doc/silas-init.1

# Completion of command lines: the shells ask the programs, by their tables of options.
EXTRA_DIST += src/programs/completion.bash src/programs/completion.zsh
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
install-data-local: install-completion
uninstall-local: uninstall-completion
.PHONY: install-completion uninstall-completion
install-completion:
	$(MKDIR_P) $(DESTDIR)$(bashcompletiondir) $(DESTDIR)$(zshcompletiondir)
	$(INSTALL_DATA) $(srcdir)/src/programs/completion.bash $(DESTDIR)$(bashcompletiondir)/silas
	for program in $(bin_PROGRAMS); do test $$program = silas || \
		$(LN_S) -f silas $(DESTDIR)$(bashcompletiondir)/$$program || exit; done
	$(INSTALL_DATA) $(srcdir)/src/programs/completion.zsh $(DESTDIR)$(zshcompletiondir)/_silas
uninstall-completion:
	for program in $(bin_PROGRAMS); do rm -f $(DESTDIR)$(bashcompletiondir)/$$program; done
	rm -f $(DESTDIR)$(zshcompletiondir)/_silas

# Checks an installation by tracing a small program.
bin_SCRIPTS += silas-selftest
pkglibexec_PROGRAMS += examples/lb-coll
EXTRA_DIST += src/programs/silas-selftest.in
CLEANFILES += silas-selftest
silas-selftest: src/programs/silas-selftest.in Makefile
	$(AM_V_GEN)$(SED) -e 's|@pkglibexecdir[@]|$(pkglibexecdir)|' -e 's|@VERSION[@]|$(VERSION)|' \
		-e 's|@libdir[@]|$(libdir)|' -e 's|@MPI_KIND[@]|$(MPI_KIND)|' \
		-e 's|@MPIEXEC[@]|$(MPIEXEC)|' $(top_srcdir)/src/programs/silas-selftest.in > $@.tmp && \
		chmod +x $@.tmp && mv $@.tmp $@
dist_man_MANS += doc/silas-selftest.1

# The part of an installation for another MPI (base/installation.h). tools/build configures the sources again for that
# MPI, in a second folder, and builds only what depends on it there: libmpipart.a and the tracer. The programs are linked
# from these, and from the objects and the other libraries of the first build, in $(main_build). Each library is named once
# (tools/link.awk makes them a group), because the shell does not take longer commands.
main_build = ../..
# The MPI's own folder of libraries comes first: libmpi.so of the system's folder may be another MPI's.
partdir = $(libdir)/silas/$(MPI_KIND)
part_programs = silas-advise silas-analyze silas-calibrate silas-diff silas-export silas-init silas-model silas-pop silas-predict silas-reduce silas-replay silas-report silas-structure silas-sweep silas-traffic silas-verify
.PHONY: mpi-part install-mpi-part
mpi-part: $(BUILT_SOURCES)
	$(MAKE) $(AM_MAKEFLAGS) libmpipart.a libsilas-trace.la examples/lb-coll
	@part=`pwd`; cd $(main_build) && link() { \
		program=$$1 words=; shift; \
		for word; do test "$$word" != libmpipart.a || word=$$part/$$word; words="$$words $$word"; done; \
		$(link_once) $(AM_CFLAGS) $(CFLAGS) $(plugin_ldflags) $(LDFLAGS) $(MPI_LDFLAGS) -o "$$part/$$program" $$words $(LIBS); } \
	$(foreach program,$(subst -,_,$(part_programs)),&& link $(subst _,-,$(program)) $($(program)_OBJECTS) \
		$(sort $(filter %.a,$($(program)_LDADD))) $(sort $(filter-out %.a,$($(program)_LDADD))))
install-mpi-part:
	$(MKDIR_P) $(DESTDIR)$(partdir)
	$(INSTALL_PROGRAM) $(part_programs) .libs/libsilas-trace.so examples/lb-coll $(DESTDIR)$(partdir)
	echo '$(MPI_TITLE)' > $(DESTDIR)$(partdir)/title
	echo '$(MPIEXEC)' > $(DESTDIR)$(partdir)/launcher
