# setup.py - the wheel: CMake builds the package whole (extension with the library inside, generated parameters), setuptools packs it.
# Run in the source tree: the C sources are two folders up.
import os
import re
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def version():
    with open(os.path.join(ROOT, "include", "spdhg.h")) as header:
        return re.search(r'#define SPDHG_VERSION "([^"]+)"', header.read()).group(1)


class Build(build_py):
    """The modules are those of CMake's folder, not of the source's: some are generated."""

    def run(self):
        build = os.environ.get("SPDHG_BUILD")  # a folder that CMake has configured already
        if not build:
            build = os.path.join(ROOT, "build", "wheel")
            subprocess.run(["cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DSPDHG_TESTS=OFF"], check=True)
        subprocess.run(["cmake", "--build", build, "-j", str(os.cpu_count()), "--target", "spdhg_python_package"], check=True)
        package = os.path.join(build, "python", "spdhg")
        for name in sorted(os.listdir(package)):
            if not name.startswith("__pycache__"):
                self.mkpath(os.path.join(self.build_lib, "spdhg"))
                self.copy_file(os.path.join(package, name), os.path.join(self.build_lib, "spdhg", name))


class Binary(Distribution):
    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    """One extension for every Python from 3.8 on: the stable ABI."""

    def get_tag(self):
        return "cp38", "abi3", super().get_tag()[2]


SCRATCH = os.path.join(ROOT, "build", "wheel-scratch")  # nothing is left in the source tree
os.makedirs(SCRATCH, exist_ok=True)
setup(version=version(), packages=["spdhg"], package_dir={"spdhg": "spdhg"}, distclass=Binary,
      cmdclass={"build_py": Build, "bdist_wheel": Wheel},
      options={"build": {"build_base": SCRATCH}, "egg_info": {"egg_base": SCRATCH}})
