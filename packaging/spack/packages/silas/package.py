# spack repo add packaging/spack && spack install silas
from spack.package import *


class Silas(AutotoolsPackage):
    """What-if analysis of MPI programs: records a program (OTF2), changes the recording by a
    hypothesis, replays it with real messages or computes the outcome by a model, searches both for
    wait states and reports the difference, with its error."""

    homepage = "https://localhost/silas"
    url = "https://localhost/silas/silas-0.1.0.tar.gz"
    test_requires_compiler = False

    license("BSD-3-Clause")

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("flex", type="build")
    depends_on("bison", type="build")

    depends_on("mpi@3.1:")
    depends_on("otf2@3:")
    depends_on("hwloc@2:")
    depends_on("inih")
    depends_on("jansson")
    depends_on("expat")
    depends_on("zlib-api")
    depends_on("elfutils")
    depends_on("kissfft")
    depends_on("xz")
    depends_on("check", type="test")

    def configure_args(self):
        return ["MPICC={0}".format(self.spec["mpi"].mpicc)]

    def test_selftest(self):
        """the main job on two processes"""
        which(join_path(self.prefix.bin, "silas-selftest"))()
