# Below the wrappers: recorder, clocks, the archive's writer, launcher, compiler wrappers.
silasincludedir = $(includedir)/silas
dist_silasinclude_HEADERS = src/measure/silas/region.h
