# The model's equations and their solver, for the engines, the reduction and the tracer. Headers only.
noinst_HEADERS += src/equations/equations.h src/equations/walk.h src/equations/walk_template.h
