# Programs with a performance problem each, and a switch that removes it; and programs that really
# compute, with model scripts. Not installed but for lb-coll, which silas-selftest runs.
noinst_PROGRAMS += examples/lb-p2p examples/lb-finalize \
	examples/halo examples/wavefront examples/transpose examples/ring examples/late-complete \
	examples/lb-memory examples/refine examples/pipeline examples/assembly \
	examples/registration examples/lu examples/sweep3d examples/stencil examples/cg \
	examples/hybrid-layer examples/hybrid-particles examples/hybrid-cg
noinst_LIBRARIES += libexample.a
example_libs = libexample.a
libexample_a_SOURCES = examples/example.c examples/example.h \
	examples/registration_plan.c examples/registration_plan.h
# As a user's program sees <silas/region.h>.
example_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/src/measure

examples_lb_coll_SOURCES = examples/lb-coll.c
examples_lb_coll_CPPFLAGS = $(example_cppflags)
examples_lb_coll_LDADD = $(example_libs)
examples_lb_p2p_SOURCES = examples/lb-p2p.c
examples_lb_p2p_CPPFLAGS = $(example_cppflags)
examples_lb_p2p_LDADD = $(example_libs)
examples_lb_finalize_SOURCES = examples/lb-finalize.c
examples_lb_finalize_CPPFLAGS = $(example_cppflags)
examples_lb_finalize_LDADD = $(example_libs)
examples_halo_SOURCES = examples/halo.c
examples_halo_CPPFLAGS = $(example_cppflags)
examples_halo_LDADD = $(example_libs)
examples_wavefront_SOURCES = examples/wavefront.c
examples_wavefront_CPPFLAGS = $(example_cppflags)
examples_wavefront_LDADD = $(example_libs)
examples_transpose_SOURCES = examples/transpose.c
examples_transpose_CPPFLAGS = $(example_cppflags)
examples_transpose_LDADD = $(example_libs)
examples_ring_SOURCES = examples/ring.c
examples_ring_CPPFLAGS = $(example_cppflags)
examples_ring_LDADD = $(example_libs)
examples_late_complete_SOURCES = examples/late-complete.c
examples_late_complete_CPPFLAGS = $(example_cppflags)
examples_late_complete_LDADD = $(example_libs)
examples_registration_SOURCES = examples/registration.c examples/patient.c examples/patient.h
examples_registration_CPPFLAGS = $(example_cppflags)
examples_registration_LDADD = $(example_libs)
# Vectors, so that memory is the bound, and not the processor.
examples_lb_memory_SOURCES = examples/lb-memory.c examples/blocks.c examples/blocks.h
examples_lb_memory_CPPFLAGS = $(example_cppflags)
examples_lb_memory_CFLAGS = $(AM_CFLAGS) $(VECTOR_CFLAGS)
examples_lb_memory_LDADD = $(example_libs)
examples_refine_SOURCES = examples/refine.c examples/blocks.c examples/blocks.h
examples_refine_CPPFLAGS = $(example_cppflags)
examples_refine_CFLAGS = $(AM_CFLAGS) $(VECTOR_CFLAGS)
examples_refine_LDADD = $(example_libs)
examples_pipeline_SOURCES = examples/pipeline.c examples/blocks.c examples/blocks.h
examples_pipeline_CPPFLAGS = $(example_cppflags)
examples_pipeline_CFLAGS = $(AM_CFLAGS) $(VECTOR_CFLAGS)
examples_pipeline_LDADD = $(example_libs)
examples_assembly_SOURCES = examples/assembly.c examples/blocks.c examples/blocks.h
examples_assembly_CPPFLAGS = $(example_cppflags)
examples_assembly_CFLAGS = $(AM_CFLAGS) $(VECTOR_CFLAGS)
examples_assembly_LDADD = $(example_libs)
examples_lu_SOURCES = examples/lu.c
examples_lu_CPPFLAGS = $(example_cppflags)
examples_lu_LDADD = $(example_libs) -lm
examples_sweep3d_SOURCES = examples/sweep3d.c
examples_sweep3d_CPPFLAGS = $(example_cppflags)
examples_sweep3d_LDADD = $(example_libs) -lm
examples_stencil_SOURCES = examples/stencil.c
examples_stencil_CPPFLAGS = $(example_cppflags)
examples_stencil_LDADD = $(example_libs) -lm
examples_cg_SOURCES = examples/cg.c
examples_cg_CPPFLAGS = $(example_cppflags)
examples_cg_LDADD = $(example_libs) -lm
# With threads.
examples_hybrid_layer_SOURCES = examples/hybrid-layer.c
examples_hybrid_layer_CPPFLAGS = $(example_cppflags)
examples_hybrid_layer_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
examples_hybrid_layer_LDADD = $(example_libs) -lm
examples_hybrid_particles_SOURCES = examples/hybrid-particles.c
examples_hybrid_particles_CPPFLAGS = $(example_cppflags)
examples_hybrid_particles_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
examples_hybrid_particles_LDADD = $(example_libs) -lm
examples_hybrid_cg_SOURCES = examples/hybrid-cg.c
examples_hybrid_cg_CPPFLAGS = $(example_cppflags)
examples_hybrid_cg_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
examples_hybrid_cg_LDADD = $(example_libs) -lm

EXTRA_DIST += examples/hybrid-layer.ini examples/hybrid-particles.ini
EXTRA_DIST += examples/lu.silas examples/sweep3d.silas examples/stencil.silas examples/cg.silas
EXTRA_DIST += examples/lb-coll.ini examples/lb-p2p.ini examples/lb-finalize.ini \
	examples/halo.ini examples/wavefront.ini examples/transpose.ini examples/ring.ini \
	examples/late-complete.ini examples/lb-memory.ini examples/registration.ini \
	examples/ring-backwards.ini

# Machines that do not exist, for silas-predict.
hardwaredir = $(docdir)/examples/hardware
dist_hardware_DATA = examples/hardware/cluster.ini examples/hardware/fat-node.ini

# A tutorial for notebooks; tests/python/notebook.sh runs it.
notebookdir = $(docdir)/examples
dist_notebook_DATA = examples/silas.ipynb
