# Programs with a performance problem each, and a switch that mends it. Not installed.
example_programs = examples/lb-coll examples/lb-p2p examples/lb-finalize \
	examples/halo examples/wavefront examples/transpose
noinst_PROGRAMS += $(example_programs)
example_common = examples/example.c examples/example.h examples/region.h
examples_lb_coll_SOURCES = examples/lb-coll.c $(example_common)
examples_lb_p2p_SOURCES = examples/lb-p2p.c $(example_common)
examples_lb_finalize_SOURCES = examples/lb-finalize.c $(example_common)
examples_halo_SOURCES = examples/halo.c $(example_common)
examples_wavefront_SOURCES = examples/wavefront.c $(example_common)
examples_transpose_SOURCES = examples/transpose.c $(example_common)

EXTRA_DIST += examples/lb-coll.ini examples/lb-p2p.ini examples/lb-finalize.ini \
	examples/halo.ini examples/wavefront.ini examples/transpose.ini
