"""Builds a wheel of the Python package silas (PEP 517): configure, make, and an archive of the package's files."""
import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

NAME = "silas_mpi"
TOP = os.getcwd()  # the sources, as PEP 517 says
BUILD = "_build-python"


def version():
    with open(os.path.join(TOP, "configure.ac")) as file:
        return re.search(r"AC_INIT\(\[SILAS\], \[([0-9.]+)\]", file.read()).group(1)


def metadata():
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    return (f"Metadata-Version: 2.1\nName: silas-mpi\nVersion: {version()}\n"
            "Summary: What-if analysis of MPI programs: traces, wait states and predictions as tables\n"
            "License: BSD-3-Clause\nRequires-Python: >=3.9\nProvides-Extra: pandas\n"
            "Requires-Dist: pandas; extra == 'pandas'\nDescription-Content-Type: text/markdown\n\n" + readme)


def run(command, where):
    done = subprocess.run(command, cwd=where, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"silas: {' '.join(command)} failed; doc/install.md lists the packages that are needed")


def build_module():
    build = os.path.join(TOP, BUILD)
    if not os.path.exists(os.path.join(TOP, "configure")):
        run(["autoreconf", "-i"], TOP)
    os.makedirs(build, exist_ok=True)
    run(["../configure", "--quiet", "PYTHON=" + sys.executable], build)
    with open(os.path.join(build, "Makefile")) as file:
        if "\nPYTHON_MODULE_TRUE = #" in file.read():
            sys.exit("silas: Python's headers were not found (install python3-dev)")
    run(["make", "-s", f"-j{os.cpu_count() or 1}", "python-module"], build)
    return os.path.join(build, "src", "python", "silas", "_silas.abi3.so")


def write(wheel, records, name, data, mode=0o644):
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    wheel.writestr(entry, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    records.append(f"{name},sha256={digest},{len(data)}")


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = f"{NAME}-{version()}.dist-info"
    os.makedirs(os.path.join(metadata_directory, info), exist_ok=True)
    with open(os.path.join(metadata_directory, info, "METADATA"), "w", encoding="utf-8") as file:
        file.write(metadata())
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    module = build_module()
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"cp39-abi3-{platform}"
    file_name = f"{NAME}-{version()}-{tag}.whl"
    info = f"{NAME}-{version()}.dist-info"
    package = os.path.join(TOP, "src", "python", "silas")
    records = []
    with zipfile.ZipFile(os.path.join(wheel_directory, file_name), "w") as wheel:
        for name in sorted(os.listdir(package)):
            if name.endswith((".py", ".pyi", "py.typed")):
                with open(os.path.join(package, name), "rb") as file:
                    write(wheel, records, "silas/" + name, file.read())
        with open(module, "rb") as file:
            write(wheel, records, "silas/_silas.abi3.so", file.read(), 0o755)
        with open(os.path.join(TOP, "LICENSE"), "rb") as file:
            write(wheel, records, info + "/LICENSE", file.read())
        write(wheel, records, info + "/METADATA", metadata().encode())
        write(wheel, records, info + "/WHEEL",
              f"Wheel-Version: 1.0\nGenerator: silas\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        wheel.writestr(info + "/RECORD", "\n".join(records + [info + "/RECORD,,"]) + "\n")
    return file_name


def build_sdist(sdist_directory, config_settings=None):
    base = f"{NAME}-{version()}"
    skipped = re.compile(r"(_build.*|_install.*|\.git|autom4te\.cache|__pycache__)$")
    with tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz") as archive:
        archive.add(TOP, base, filter=lambda entry: None if skipped.match(os.path.basename(entry.name)) else entry)
        text = metadata().encode()
        entry = tarfile.TarInfo(base + "/PKG-INFO")
        entry.size = len(text)
        import io
        archive.addfile(entry, io.BytesIO(text))
    return base + ".tar.gz"
