# Anything that has severities, for the programs that compare: runs, their means, and conditions that they must meet.
noinst_LIBRARIES += libresults.a
libresults_a_SOURCES = \
	src/results/result.c src/results/result.h \
	src/results/report_json.c src/results/report_json.h \
	src/results/group.c src/results/group.h \
	src/results/gate.c src/results/gate.h src/results/gate_write.c \
	src/results/trend.c src/results/trend.h src/results/trend_page.c
results_libs = libresults.a $(patterns_libs) $(report_libs) $(trace_libs)

# The style of the trend's page, with the colours of all pages.
BUILT_SOURCES += src/results/trend_style.inc
CLEANFILES += src/results/trend_style.inc
EXTRA_DIST += src/results/trend.css
src/results/trend_style.inc: src/report/html/theme.css src/results/trend.css
	@$(MKDIR_P) src/results
	$(AM_V_GEN)cat $(top_srcdir)/src/report/html/theme.css $(top_srcdir)/src/results/trend.css | $(SED) 's/[\\"]/\\&/g; s/.*/"&\\n"/' > $@.tmp && mv $@.tmp $@
