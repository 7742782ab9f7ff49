# Plug-ins: loading them, the header that they include, and the templates.
noinst_LIBRARIES += libplugins.a
libplugins_a_SOURCES = src/plugins/plugins.h src/plugins/load.c src/plugins/check.h src/plugins/check.c \
	src/plugins/functions.h src/plugins/functions.c src/plugins/include/silas/plugin.h
nodist_libplugins_a_SOURCES = src/plugins/functions.inc
plugins_libs = libplugins.a $(structure_libs) $(transform_libs) $(patterns_libs) $(report_libs)

# The headers that plug-ins include, and of them those whose functions they may call.
plugin_function_headers = \
	$(top_srcdir)/src/base/arena.h $(top_srcdir)/src/base/array.h $(top_srcdir)/src/base/collective_op.h \
	$(top_srcdir)/src/base/estimate.h \
	$(top_srcdir)/src/base/ini.h $(top_srcdir)/src/base/log.h $(top_srcdir)/src/base/map.h \
	$(top_srcdir)/src/base/mpi_call.h $(top_srcdir)/src/base/names.h $(top_srcdir)/src/base/sort.h \
	$(top_srcdir)/src/base/status.h \
	$(top_srcdir)/src/base/mpi/exchange.h $(top_srcdir)/src/base/mpi/processes.h \
	$(top_srcdir)/src/trace/calltree.h $(top_srcdir)/src/trace/definitions.h $(top_srcdir)/src/trace/grow.h \
	$(top_srcdir)/src/trace/exchange.h $(top_srcdir)/src/trace/trace.h \
	$(top_srcdir)/src/trace/calls/collective_operations.h $(top_srcdir)/src/trace/calls/regions.h \
	$(top_srcdir)/src/trace/calls/walk.h \
	$(top_srcdir)/src/severity/metrics.h $(top_srcdir)/src/severity/severity.h \
	$(top_srcdir)/src/structure/sampling.h \
	$(top_srcdir)/transform/callpath_marks.h $(top_srcdir)/transform/choose.h \
	$(top_srcdir)/transform/hypothesis.h $(top_srcdir)/transform/rewrite.h \
	$(top_srcdir)/patterns/findings.h $(top_srcdir)/patterns/pattern.h \
	$(top_srcdir)/src/report/comparison.h $(top_srcdir)/src/report/format.h \
	$(top_srcdir)/src/report/pop.h $(top_srcdir)/src/report/replay_report.h
plugin_headers = $(plugin_function_headers) $(top_srcdir)/src/base/collective_list.h \
	$(top_srcdir)/src/base/otf2_attributes.h $(top_srcdir)/src/severity/metric_list.h \
	$(top_srcdir)/src/structure/cut_weight.h $(top_srcdir)/src/structure/projection.h \
	$(top_srcdir)/transform/even.h $(top_srcdir)/transform/pace.h \
	src/base/mpi_call_ids.h

# What plug-ins may use is in the programs, and visible from outside: nothing else is.
EXTRA_DIST += src/plugins/functions.awk
BUILT_SOURCES += src/plugins/functions.inc src/plugins/functions.symbols
CLEANFILES += src/plugins/functions.inc src/plugins/functions.symbols
src/plugins/functions.inc: $(plugin_function_headers) src/plugins/functions.awk
	@$(MKDIR_P) src/plugins
	$(AM_V_GEN)$(AWK) -v output=rows -f $(top_srcdir)/src/plugins/functions.awk $(plugin_function_headers) > $@.tmp && mv $@.tmp $@
src/plugins/functions.symbols: $(plugin_function_headers) src/plugins/functions.awk
	@$(MKDIR_P) src/plugins
	$(AM_V_GEN)$(AWK) -v output=symbols -f $(top_srcdir)/src/plugins/functions.awk $(plugin_function_headers) > $@.tmp && mv $@.tmp $@
plugin_ldflags = -Wl,--dynamic-list=src/plugins/functions.symbols

# They are installed with their includes as <silas/...>.
install-data-local: install-plugin-headers
uninstall-local: uninstall-plugin-headers
.PHONY: install-plugin-headers uninstall-plugin-headers
plugin_header_names = $(SED) 's!^$(top_srcdir)/!!; s!^src/!!; s!^plugins/include/silas/!!'
install-plugin-headers: src/base/mpi_call_ids.h
	@for header in $(plugin_headers) $(top_srcdir)/src/plugins/include/silas/plugin.h; do \
		to='$(DESTDIR)$(includedir)/silas'/`echo $$header | $(plugin_header_names)`; \
		$(MKDIR_P) "$${to%/*}" && chmod 755 "$${to%/*}" && \
		$(SED) 's!^\( *# *include *\)"\([^"]*\)"!\1<silas/\2>!' $$header > "$$to" && chmod 644 "$$to" || exit 1; \
	done
uninstall-plugin-headers:
	@for header in $(plugin_headers) $(top_srcdir)/src/plugins/include/silas/plugin.h; do \
		rm -f '$(DESTDIR)$(includedir)/silas'/`echo $$header | $(plugin_header_names)`; \
	done
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = src/plugins/silas.pc

# They stand alone: tests/plugins/ builds them as a user would.
pluginexamplesdir = $(docdir)/examples
dist_pluginexamples_DATA = src/plugins/hypothesis_template.c src/plugins/pattern_template.c src/plugins/format_template.c src/plugins/signal_template.c
dist_doc_DATA += doc/plugins.md
