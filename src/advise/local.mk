# Advice: what to change in a program, found, tried and ranked.
noinst_LTLIBRARIES += libadvice.la
libadvice_la_SOURCES = \
	advice/advice.c advice/advice.h \
	advice/facts.c advice/facts.h \
	advice/candidate.c advice/candidate.h \
	advice/candidates/families.h \
	advice/candidates/list.c \
	advice/candidates/barriers.c \
	advice/candidates/collectives.c \
	advice/candidates/early.c \
	advice/candidates/empty_messages.c \
	advice/candidates/extra_work.c \
	advice/candidates/imbalance.c \
	advice/candidates/overlap.c \
	advice/candidates/placement.c \
	advice/candidates/repeated_messages.c \
	advice/trial.c advice/trial.h advice/start.c advice/start.h \
	advice/choose.c advice/choose.h \
	advice/moves.c advice/moves.h \
	advice/format.h advice/text.c advice/json.c advice/html.c
libadvice_la_LIBADD = libsweep.la libjob.la libpatterns.la libreport.la $(JANSSON_LIBS)

# The style of the page, with the colours of all pages.
BUILT_SOURCES += advice/html_style.inc
CLEANFILES += advice/html_style.inc
EXTRA_DIST += advice/html.css
advice/html_style.inc: src/report/html/theme.css advice/html.css
	@$(MKDIR_P) advice
	$(AM_V_GEN)cat $(top_srcdir)/src/report/html/theme.css $(top_srcdir)/advice/html.css | $(SED) 's/[\\"]/\\&/g; s/.*/"&\\n"/' > $@.tmp && mv $@.tmp $@
