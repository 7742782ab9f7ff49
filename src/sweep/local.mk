# Sweeps: many what-ifs about one program, tried side by side.
noinst_LIBRARIES += libsweep.a
libsweep_a_SOURCES = \
	src/sweep/load.c src/sweep/sweep.h \
	src/sweep/alternatives.c src/sweep/alternatives.h \
	src/sweep/sets.c src/sweep/sets.h \
	src/sweep/selection.c src/sweep/selection.h \
	src/sweep/run_config.c src/sweep/run_config.h \
	src/sweep/objective.c src/sweep/objective.h \
	src/sweep/result.c src/sweep/result.h \
	src/sweep/workers.c src/sweep/workers.h \
	src/sweep/compute.c src/sweep/compute.h \
	src/sweep/rounds.c src/sweep/rounds.h \
	src/sweep/reports.c src/sweep/reports.h \
	src/sweep/journal.c src/sweep/journal.h \
	src/sweep/work.c src/sweep/work.h \
	src/sweep/split.c src/sweep/split.h \
	src/sweep/part_file.c src/sweep/part_file.h \
	src/sweep/chosen_runs.c src/sweep/chosen_runs.h \
	src/sweep/launch.c src/sweep/launch.h \
	src/sweep/work_command.c src/sweep/work_command.h \
	src/sweep/drive.c src/sweep/drive.h \
	src/sweep/table.c src/sweep/table.h \
	src/sweep/verdict.c src/sweep/verdict.h \
	src/sweep/savings.c src/sweep/savings.h \
	src/sweep/combinations.c src/sweep/combinations.h \
	src/sweep/output/formats.h src/sweep/output/table_formats.c \
	src/sweep/output/text.c src/sweep/output/json.c src/sweep/output/csv.c \
	src/sweep/output/html.c \
	src/sweep/changes.c src/sweep/changes.h \
	src/sweep/folder.c src/sweep/folder.h

# Sweeps on batch systems.
libsweep_a_SOURCES += \
	src/sweep/queue/command.c src/sweep/queue/command.h \
	src/sweep/queue/jube.c \
	src/sweep/queue/jobs.c src/sweep/queue/jobs.h \
	src/sweep/queue/launcher.c src/sweep/queue/launcher.h \
	src/sweep/queue/placement.c \
	src/sweep/queue/queue.c src/sweep/queue/queue.h \
	src/sweep/queue/script.c src/sweep/queue/script.h \
	src/sweep/queue/shape.c src/sweep/queue/shape.h \
	src/sweep/queue/slurm.c src/sweep/queue/slurm.h \
	src/sweep/queue/state.c src/sweep/queue/state.h \
	src/sweep/queue/submit.c src/sweep/queue/submit.h \
	src/sweep/queue/templates.c src/sweep/queue/templates.h
# Sweeps of predictions.
libsweep_a_SOURCES += \
	src/sweep/predicted/load.c src/sweep/predicted/predicted.h \
	src/sweep/predicted/run.c src/sweep/predicted/text.c src/sweep/predicted/write.c
sweep_libs = libsweep.a $(prediction_libs) $(job_libs)

dist_doc_DATA += doc/sweep.md doc/predictions.schema.json

# Its page.
sweep_page_files = $(pages)/page.html $(srcdir)/src/sweep/output/sweep.css $(srcdir)/src/sweep/output/sweep.js
nodist_libsweep_a_SOURCES = src/sweep/output/sweep_page.c
BUILT_SOURCES += src/sweep/output/sweep_page.c
CLEANFILES += src/sweep/output/sweep_page.c
EXTRA_DIST += $(sweep_page_files)
src/sweep/output/sweep_page.c: $(sweep_page_files) $(pages)/page.awk
	$(page_of) -v name=sweep_page $(sweep_page_files) > $@.tmp && mv $@.tmp $@

predicted_page_files = $(pages)/page.html $(srcdir)/src/sweep/predicted/predicted.css $(srcdir)/src/sweep/predicted/predicted.js
nodist_libsweep_a_SOURCES += src/sweep/predicted/predicted_kind.c
BUILT_SOURCES += src/sweep/predicted/predicted_kind.c
CLEANFILES += src/sweep/predicted/predicted_kind.c
EXTRA_DIST += src/sweep/predicted/predicted.css src/sweep/predicted/predicted.js
src/sweep/predicted/predicted_kind.c: $(predicted_page_files) $(pages)/page.awk
	$(page_of) -v name=predicted_page $(predicted_page_files) > $@.tmp && mv $@.tmp $@
