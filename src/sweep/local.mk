# Sweeps: many what-ifs about one program, tried side by side.
noinst_LTLIBRARIES += libsweep.la
libsweep_la_SOURCES = \
	sweep/load.c sweep/sweep.h \
	sweep/alternatives.c sweep/alternatives.h \
	sweep/sets.c sweep/sets.h \
	sweep/selection.c sweep/selection.h \
	sweep/run_config.c sweep/run_config.h \
	sweep/objective.c sweep/objective.h \
	sweep/result.c sweep/result.h \
	sweep/compute.c sweep/compute.h \
	sweep/rounds.c sweep/rounds.h \
	sweep/reports.c sweep/reports.h \
	sweep/journal.c sweep/journal.h \
	sweep/work.c sweep/work.h \
	sweep/parts.c sweep/parts.h \
	sweep/chosen_runs.c sweep/chosen_runs.h \
	sweep/launch.c sweep/launch.h \
	sweep/drive.c sweep/drive.h \
	sweep/table.c sweep/table.h \
	sweep/savings.c sweep/savings.h \
	sweep/combinations.c sweep/combinations.h \
	sweep/output/formats.h sweep/output/table_formats.c \
	sweep/output/text.c sweep/output/json.c sweep/output/csv.c \
	sweep/output/html.c sweep/output/html_parts.h sweep/output/html_rows.c \
	sweep/output/html_figures.c sweep/output/html_settings.c \
	sweep/changes.c sweep/changes.h \
	sweep/folder.c sweep/folder.h

# Sweeps on batch systems.
libsweep_la_SOURCES += \
	sweep/queue/command.c sweep/queue/command.h \
	sweep/queue/jube.c \
	sweep/queue/jobs.c sweep/queue/jobs.h \
	sweep/queue/launcher.c sweep/queue/launcher.h \
	sweep/queue/placement.c \
	sweep/queue/queue.c sweep/queue/queue.h \
	sweep/queue/script.c sweep/queue/script.h \
	sweep/queue/shape.c sweep/queue/shape.h \
	sweep/queue/slurm.c sweep/queue/slurm.h \
	sweep/queue/state.c sweep/queue/state.h \
	sweep/queue/submit.c sweep/queue/submit.h \
	sweep/queue/templates.c sweep/queue/templates.h
libsweep_la_LIBADD = libjob.la $(JANSSON_LIBS)

dist_doc_DATA += doc/sweep.md

# The style of the page, as a string.
BUILT_SOURCES += sweep/output/html_style.inc
CLEANFILES += sweep/output/html_style.inc
EXTRA_DIST += sweep/output/html.css
sweep/output/html_style.inc: src/report/html/theme.css sweep/output/html.css
	@$(MKDIR_P) sweep/output
	$(AM_V_GEN)cat $(top_srcdir)/src/report/html/theme.css $(top_srcdir)/sweep/output/html.css | $(SED) 's/[\\"]/\\&/g; s/.*/"&\\n"/' > $@.tmp && mv $@.tmp $@
