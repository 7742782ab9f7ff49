# Plug-ins: loading them, the header that they include, and the templates.
noinst_LTLIBRARIES += libplugins.la
libplugins_la_SOURCES = plugins/plugins.h plugins/load.c plugins/check.h plugins/check.c \
	plugins/functions.h plugins/functions.c plugins/include/silas/plugin.h
nodist_libplugins_la_SOURCES = plugins/functions.inc
libplugins_la_LIBADD = libtransform.la libpatterns.la libreport.la

# What plug-ins may use: in the programs, and visible from outside.
EXTRA_DIST += plugins/functions.list plugins/functions.awk
BUILT_SOURCES += plugins/functions.inc plugins/functions.symbols
CLEANFILES += plugins/functions.inc plugins/functions.symbols
plugins/functions.inc: plugins/functions.list plugins/functions.awk
	@$(MKDIR_P) plugins
	$(AM_V_GEN)$(AWK) -v output=rows -f $(top_srcdir)/plugins/functions.awk $(top_srcdir)/plugins/functions.list > $@.tmp && mv $@.tmp $@
plugins/functions.symbols: plugins/functions.list plugins/functions.awk
	@$(MKDIR_P) plugins
	$(AM_V_GEN)$(AWK) -v output=symbols -f $(top_srcdir)/plugins/functions.awk $(top_srcdir)/plugins/functions.list > $@.tmp && mv $@.tmp $@
plugin_ldflags = -Wl,--dynamic-list=plugins/functions.symbols

# The headers: as in the tree, with their includes as <silas/...>. A folder below silas/ for each of ours.
plugin_headers = \
	base/arena.h base/array.h base/estimate.h base/ini.h base/log.h base/map.h base/mpi_call.h \
	base/mpi_call_ids.h base/names.h base/otf2_attributes.h base/sort.h base/status.h \
	base/mpi/mail.h base/mpi/processes.h \
	trace/calltree.h trace/definitions.h trace/grow.h trace/tell.h trace/trace.h \
	trace/calls/collective_operations.h trace/calls/regions.h trace/calls/walk.h \
	severity/metric_list.h severity/metrics.h severity/severity.h \
	transform/callpath_marks.h transform/choose.h transform/hypothesis.h transform/rewrite.h \
	patterns/findings.h patterns/pattern.h \
	structure/cut_weight.h structure/projection.h \
	report/comparison.h report/format.h report/replay_report.h
install-data-local: install-plugin-headers
uninstall-local: uninstall-plugin-headers
.PHONY: install-plugin-headers uninstall-plugin-headers
install-plugin-headers: src/base/mpi_call_ids.h
	@for header in $(plugin_headers) plugin.h; do \
		from=; for folder in $(top_srcdir)/src $(top_srcdir) src $(top_srcdir)/plugins/include/silas; do \
			test ! -f $$folder/$$header || from=$$folder/$$header; \
		done; \
		to='$(DESTDIR)$(includedir)/silas'/$$header; \
		$(MKDIR_P) "$${to%/*}" && \
		$(SED) 's!^\( *# *include *\)"\([^"]*\)"!\1<silas/\2>!' "$$from" > "$$to" && chmod 644 "$$to" || exit 1; \
	done
uninstall-plugin-headers:
	@for header in $(plugin_headers) plugin.h; do rm -f '$(DESTDIR)$(includedir)/silas'/$$header; done
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = plugins/silas.pc

# They stand alone: tests/plugins/ builds them as a user would.
pluginexamplesdir = $(docdir)/examples
dist_pluginexamples_DATA = plugins/hypothesis_template.c plugins/pattern_template.c plugins/format_template.c
dist_doc_DATA += doc/plugins.md
