from spack.package import *


class Inih(MesonPackage):
    """A parser of INI files. (Spack's own libinih has no release.)"""

    homepage = "https://github.com/benhoyt/inih"
    url = "https://github.com/benhoyt/inih/archive/refs/tags/r58.tar.gz"

    license("BSD-3-Clause")

    version("58", sha256="e79216260d5dffe809bda840be48ab0eec7737b2bb9f02d2275c1b46344ea7b7")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("pkgconfig", type="build")

    def url_for_version(self, version):
        return f"https://github.com/benhoyt/inih/archive/refs/tags/r{version}.tar.gz"
