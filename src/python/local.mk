# The Python package silas: what it offers, in Python, and an extension module in CPython's stable interface.
pythonpackagedir = $(prefix)/lib/python3/dist-packages/silas
dist_pythonpackage_DATA = src/python/silas/__init__.py src/python/silas/__init__.pyi src/python/silas/py.typed \
	src/python/silas/regions.py src/python/silas/tables.py src/python/silas/traces.py
EXTRA_DIST += src/python/exported
if PYTHON_MODULE
noinst_LIBRARIES += libpythonmodule.a
libpythonmodule_a_SOURCES = src/python/module.c src/python/module_private.h src/python/work.c \
	src/python/column.c src/python/tables.c src/python/tables.h
libpythonmodule_a_CPPFLAGS = $(AM_CPPFLAGS) $(PYTHON_CFLAGS)

# It contains what the programs consist of, and shows nothing but the function that Python calls.
pythonpackage_DATA = src/python/silas/_silas.abi3.so
CLEANFILES += src/python/silas/_silas.abi3.so
python_libs = libpythonmodule.a $(sweep_libs) $(results_libs) $(job_libs) $(base_libs)
src/python/silas/_silas.abi3.so: libpythonmodule.a libsweep.a libresults.a libjob.a libefficiency.a libreduction.a libmemory.a \
		libreplay.a libpatterns.a libstructure.a libtransform.a libcosts.a libtimeline.a libreport.a libseverity.a libtrace.a libbase.a \
		src/python/exported
	@$(MKDIR_P) src/python/silas
	$(AM_V_CCLD)$(CCLD) -shared $(AM_CFLAGS) $(CFLAGS) $(LDFLAGS) -Wl,--version-script=$(top_srcdir)/src/python/exported \
		-o $@ -Wl,--whole-archive libpythonmodule.a -Wl,--no-whole-archive $(python_libs) $(LIBS)

# For "pip install .": the module and what it needs, without the programs.
.PHONY: python-module
python-module: $(BUILT_SOURCES)
	$(MAKE) src/python/silas/_silas.abi3.so
endif
