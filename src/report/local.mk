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
	src/report/page/page.c src/report/page/page.h \
	src/report/verdict.c src/report/verdict.h \
	src/report/shares.c src/report/shares.h \
	src/report/html/html.c src/report/html/html.h src/report/html/facts.c \
	src/report/html/values.c \
	src/report/text/text.c src/report/text/text_private.h \
	src/report/text/run.c src/report/text/profile.c \
	src/report/text/output.c src/report/text/output.h \
	src/report/text/efficiency.c src/report/text/replay.c src/report/text/tables.c \
	src/report/tsv/tsv.c src/report/tsv/tsv.h src/report/tsv/read.c \
	src/report/tsv/number_text.c src/report/tsv/number_text.h \
	src/report/json/json.c src/report/json/json.h \
	src/report/json/read.c src/report/json/replay.c \
	src/report/json/pop.h src/report/json/pop.c \
	src/report/cubex/cubex.c src/report/cubex/cubex_private.h src/report/cubex/read.c \
	src/report/cubex/anchor_read.c src/report/cubex/anchor_write.c \
	src/report/cubex/tar.c src/report/cubex/values.c
libreport_a_CPPFLAGS = $(AM_CPPFLAGS) $(EXPAT_CFLAGS) $(ZLIB_CFLAGS)
report_libs = libreport.a $(severity_libs) $(JANSSON_LIBS) $(EXPAT_LIBS) $(ZLIB_LIBS)

# Pages: C strings that page.awk generates from files (src/report/page/page.h).
pages = $(srcdir)/src/report/page
page_of = $(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -f $(pages)/page.awk -v d3=$(D3_JS)
EXTRA_DIST += src/report/page/page.awk
nodist_libreport_a_SOURCES = src/report/page/shared.c src/report/html/report_page.c

shared_page_files = $(pages)/theme.css $(pages)/page.css $(pages)/d3.html $(pages)/numbers.js $(pages)/elements.js \
	$(pages)/plot.js
src/report/page/shared.c: $(shared_page_files) $(pages)/page.awk $(D3_JS)
	$(page_of) -v name=page_shared $(shared_page_files) > $@.tmp && mv $@.tmp $@

# The module that shows time lines, in two pages.
timelines_files = $(pages)/packing.js $(srcdir)/src/report/timeline/timeline.css $(srcdir)/src/report/timeline/timelines.js
timelines_parts = src/report/timeline/run.js src/report/timeline/view.js src/report/timeline/bands.js src/report/timeline/colors.js \
	src/report/timeline/raster.js src/report/timeline/draw.js src/report/timeline/overlay.js src/report/timeline/side.js \
	src/report/timeline/input.js

# POP's efficiencies, in two pages.
efficiencies_files = $(pages)/efficiencies.css $(pages)/efficiencies.js

report_page_files = $(efficiencies_files) $(srcdir)/src/report/html/report.css $(srcdir)/src/report/html/report.html $(srcdir)/src/report/html/data.js \
	$(srcdir)/src/report/html/rows.js $(srcdir)/src/report/html/panels.js $(srcdir)/src/report/html/ranks.js \
	$(srcdir)/src/report/html/summary.js $(srcdir)/src/report/html/efficiency.js $(srcdir)/src/report/html/plots.js $(srcdir)/src/report/html/live.css $(srcdir)/src/report/html/live.js $(srcdir)/src/report/html/live_controls.js $(srcdir)/src/report/html/live_results.js \
	$(timelines_files) $(srcdir)/src/report/html/report.js
src/report/html/report_page.c: $(report_page_files) $(timelines_parts) $(pages)/page.awk
	$(page_of) -v name=report_page $(report_page_files) > $@.tmp && mv $@.tmp $@

# The time line: a trace as a page for a browser.
noinst_LIBRARIES += libtimeline.a
libtimeline_a_SOURCES = \
	src/report/timeline/timeline.h src/report/timeline/timeline_private.h src/report/timeline/write.c \
	src/report/timeline/json.c src/report/timeline/messages.c \
	src/report/timeline/path.c src/report/timeline/pieces.c
nodist_libtimeline_a_SOURCES = src/report/timeline/timeline_page.c
timeline_libs = libtimeline.a $(report_libs) $(trace_libs)

timeline_page_files = $(timelines_files) $(srcdir)/src/report/timeline/alone.css $(srcdir)/src/report/timeline/alone.html \
	$(srcdir)/src/report/timeline/alone.js
src/report/timeline/timeline_page.c: $(timeline_page_files) $(timelines_parts) $(pages)/page.awk
	$(page_of) -v name=timeline_page -v plain=1 $(timeline_page_files) > $@.tmp && mv $@.tmp $@

pages_made = src/report/page/shared.c src/report/html/report_page.c src/report/timeline/timeline_page.c
BUILT_SOURCES += $(pages_made)
CLEANFILES += $(pages_made)
EXTRA_DIST += $(shared_page_files) $(report_page_files) $(timeline_page_files) $(timelines_parts) $(pages)/page.html
