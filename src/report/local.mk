# What a user gets to see: each format reads severities (and plain data about the runs), no more; the
# time line reads a trace.
noinst_LTLIBRARIES += libreport.la
libreport_la_SOURCES = \
	src/report/difference_tsv.c src/report/difference_tsv.h \
	src/report/efficiency.c src/report/efficiency.h \
	src/report/replay_json.c src/report/replay_json.h \
	src/report/replay_report.h \
	src/report/replay_text.c src/report/replay_text.h \
	src/report/text_tables.c src/report/text_tables.h \
	src/report/timeline.c src/report/timeline.h \
	src/report/timeline_json.c src/report/timeline_json.h \
	src/report/timeline_messages.c src/report/timeline_messages.h \
	src/report/timeline_path.c src/report/timeline_path.h \
	src/report/timeline_pieces.c src/report/timeline_pieces.h \
	src/report/units.c src/report/units.h
libreport_la_LIBADD = libseverityreport.la libtrace.la libbase.la $(JANSSON_LIBS)

# The page of the time line: one C string.
timeline_page_files = src/report/timeline.html src/report/timeline.css \
	src/report/timeline_data.js src/report/timeline_view.js \
	src/report/timeline_draw.js src/report/timeline_input.js
nodist_libreport_la_SOURCES = src/report/timeline_page.c
libreport_la_SOURCES += src/report/timeline_page.h
BUILT_SOURCES += src/report/timeline_page.c
CLEANFILES += src/report/timeline_page.c
EXTRA_DIST += src/report/timeline_page.awk $(timeline_page_files)
src/report/timeline_page.c: $(timeline_page_files) src/report/timeline_page.awk
	@$(MKDIR_P) src/report
	$(AM_V_GEN)$(AWK) -v folder=$(top_srcdir)/src/report -f $(top_srcdir)/src/report/timeline_page.awk $(top_srcdir)/src/report/timeline.html > $@.tmp && mv $@.tmp $@

include src/report/cubex.mk
