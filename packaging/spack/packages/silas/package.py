# spack repo add packaging/spack && spack install silas   (from a clone: doc/packaging.md)
import os

from spack.package import *


class Silas(AutotoolsPackage):
    """What-if analysis of MPI programs: records a program (OTF2), changes the recording by a
    hypothesis, replays it with real messages or computes the outcome by a model, searches both for
    wait states and reports the difference, with its error."""

    test_requires_compiler = False

    license("BSD-3-Clause")

    # A release tarball (make dist) beside this recipe, or a clone: spack install silas@main.
    version("0.1.0", url=f"file://{os.path.dirname(__file__)}/silas-0.1.0.tar.xz")
    version("main", git=f"file://{os.path.abspath(os.path.join(os.path.dirname(__file__), *4 * ['..']))}", branch="main")

    resource(
        name="d3",
        url="https://registry.npmjs.org/d3/-/d3-7.9.0.tgz",
        sha256="7e36605710a2ba54846797c8c6d888911341b215ae53257dc32a49a0b824355e",
        placement="d3",
    )

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    with when("@main"):
        depends_on("autoconf", type="build")
        depends_on("automake@1.16:", type="build")
        depends_on("libtool", type="build")
        depends_on("flex", type="build")
        depends_on("bison@3.6:", type="build")

    depends_on("mpi@3.1:", type=("build", "link", "run"))
    depends_on("otf2@3:")
    depends_on("hwloc@2:")
    depends_on("inih@55:")
    depends_on("jansson@2.14:")
    depends_on("expat@2.5:")
    depends_on("zlib-api")
    depends_on("elfutils@0.185:")
    depends_on("kissfft@131.1.0:")
    depends_on("xz@5.2:")
    depends_on("check@0.15:", type="test")

    def configure_args(self):
        d3 = join_path(self.stage.source_path, "d3", "package", "dist", "d3.min.js")
        return [f"MPICC={self.spec['mpi'].mpicc}", f"--with-d3={d3}"]

    def test_selftest(self):
        """do the main job on two processes"""
        which(join_path(self.prefix.bin, "silas-selftest"))()
