# Recipes of packages; doc/packaging.md explains them.
EXTRA_DIST += packaging/Containerfile packaging/easybuild/SILAS-0.1.0-gompi-2023b.eb \
	packaging/easybuild/kissfft-131.1.0-GCCcore-13.2.0.eb packaging/spack/repo.yaml \
	packaging/spack/packages/inih/package.py packaging/spack/packages/kissfft/package.py \
	packaging/spack/packages/silas/package.py
EXTRA_DIST += debian/changelog debian/control debian/copyright debian/rules debian/source/format debian/tests/control \
	debian/tests/selftest debian/silas.install debian/silas-mpich.install debian/silas-openmpi.install debian/python3-silas.install
EXTRA_DIST += pyproject.toml packaging/python/silas_build.py
