# What a user gets to see: report formats, a folder for each, and the list of them. They know
# severities and plain data about replays, no more.
noinst_LIBRARIES += libreport.a
libreport_a_SOURCES = \
	src/report/format.h src/report/formats.c src/report/format_list.c \
	src/report/replay_report.h src/report/pop.h src/report/pop.c \
	src/report/comparison.c src/report/comparison.h \
	src/report/report_file.c src/report/report_file.h \
	src/report/lines.c src/report/lines.h \
	src/report/packing.c src/report/packing.h \
	src/report/csv.c src/report/csv.h \
	src/report/page_parts.c src/report/page_parts.h \
	src/report/verdict.c src/report/verdict.h \
	src/report/shares.c src/report/shares.h \
	src/report/html/html.c src/report/html/parts.h src/report/html/facts.c \
	src/report/html/values.c src/report/html/json.c \
	src/report/text/text.c src/report/text/parts.h \
	src/report/text/run.c src/report/text/profile.c \
	src/report/text/output.c src/report/text/output.h \
	src/report/text/efficiency.c src/report/text/replay.c src/report/text/tables.c \
	src/report/tsv/tsv.c src/report/tsv/parts.h src/report/tsv/read.c \
	src/report/json/json.c src/report/json/parts.h \
	src/report/json/read.c src/report/json/replay.c \
	src/report/json/pop.h src/report/json/pop.c \
	src/report/cubex/cubex.c src/report/cubex/parts.h src/report/cubex/read.c \
	src/report/cubex/anchor_read.c src/report/cubex/anchor_write.c \
	src/report/cubex/tar.c src/report/cubex/values.c
libreport_a_CPPFLAGS = $(AM_CPPFLAGS) $(EXPAT_CFLAGS) $(ZLIB_CFLAGS)
report_libs = libreport.a $(severity_libs) $(JANSSON_LIBS) $(EXPAT_LIBS) $(ZLIB_LIBS)

# The page of the format html is one C string, with d3 in it.
# The module that shows time lines, in two pages.
timelines_files = src/report/timeline/timeline.css src/report/timeline/timelines.js src/report/timeline/run.js src/report/timeline/view.js \
	src/report/timeline/bands.js src/report/timeline/colors.js src/report/timeline/raster.js \
	src/report/timeline/draw.js src/report/timeline/overlay.js src/report/timeline/side.js \
	src/report/timeline/input.js
html_page_files = src/report/html/page.html src/report/html/theme.css src/report/html/page.css \
	src/report/html/data.js src/report/html/numbers.js src/report/html/rows.js \
	src/report/html/panels.js src/report/html/ranks.js src/report/html/efficiency.js \
	src/report/html/summary.js src/report/html/plots.js src/report/html/page.js
nodist_libreport_a_SOURCES = src/report/html/page.c
BUILT_SOURCES += src/report/html/page.c
CLEANFILES += src/report/html/page.c
EXTRA_DIST += src/report/html/page.awk $(html_page_files)
src/report/html/page.c: $(html_page_files) $(timelines_files) src/report/html/page.awk $(D3_JS)
	@$(MKDIR_P) src/report/html
	$(AM_V_GEN)$(AWK) -v folder=$(top_srcdir)/src/report/html -v d3=$(D3_JS) -v name=html_page -v header=report/html/parts.h -f $(top_srcdir)/src/report/html/page.awk $(top_srcdir)/src/report/html/page.html > $@.tmp && mv $@.tmp $@

# The time line: a trace as a page for a browser.
noinst_LIBRARIES += libtimeline.a
libtimeline_a_SOURCES = \
	src/report/timeline/timeline.h src/report/timeline/parts.h src/report/timeline/write.c \
	src/report/timeline/json.c src/report/timeline/messages.c \
	src/report/timeline/path.c src/report/timeline/pieces.c
timeline_libs = libtimeline.a $(report_libs) $(trace_libs)

# The page is one C string.
nodist_libtimeline_a_SOURCES = src/report/timeline/page.c
BUILT_SOURCES += src/report/timeline/page.c
CLEANFILES += src/report/timeline/page.c
EXTRA_DIST += src/report/timeline/timeline.html $(timelines_files)
src/report/timeline/page.c: src/report/timeline/timeline.html $(timelines_files) src/report/html/page.awk
	@$(MKDIR_P) src/report/timeline
	$(AM_V_GEN)$(AWK) -v folder=$(top_srcdir)/src/report/timeline -v name=timeline_page -v header=report/timeline/parts.h -f $(top_srcdir)/src/report/html/page.awk $(top_srcdir)/src/report/timeline/timeline.html > $@.tmp && mv $@.tmp $@
