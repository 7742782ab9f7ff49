# The Python package silas: what it offers, in Python, and an extension module in CPython's stable interface.
pythonpackagedir = $(prefix)/lib/python3/dist-packages/silas
dist_pythonpackage_DATA = src/python/silas/__init__.py src/python/silas/__init__.pyi src/python/silas/py.typed \
	src/python/silas/regions.py src/python/silas/tables.py src/python/silas/traces.py
EXTRA_DIST += src/python/exported
if PYTHON_MODULE
# It contains what the programs consist of, and shows nothing but the function that Python calls.
pythonpackage_PROGRAMS = src/python/silas/_silas.abi3.so
src_python_silas__silas_abi3_so_SOURCES = src/python/module.c src/python/module_private.h src/python/work.c \
	src/python/column.c src/python/tables.c src/python/tables.h
src_python_silas__silas_abi3_so_CPPFLAGS = $(AM_CPPFLAGS) $(PYTHON_CFLAGS)
src_python_silas__silas_abi3_so_LDADD = $(results_libs) $(job_libs) $(base_libs)
src_python_silas__silas_abi3_so_LINK = $(link_once) -shared -Wl,--version-script=$(top_srcdir)/src/python/exported \
	$(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) -o $@
EXTRA_src_python_silas__silas_abi3_so_DEPENDENCIES = src/python/exported
endif

# For "pip install .": the module and what it needs, without the programs.
.PHONY: python-module
python-module: $(BUILT_SOURCES)
	$(MAKE) src/python/silas/_silas.abi3.so
