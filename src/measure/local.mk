# The tracer. Wrappers of MPI calls stand here, everything below them in record.mk.
include src/measure/record.mk
