# setup.py - the wheel: CMake builds the package whole (extension with the library inside, generated parameters), setuptools packs it.
# In the source tree the C sources are two folders up; an sdist carries them in the folder `source`, in the same arrangement.
import os
import re
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
CARRIED = os.path.join(HERE, "source")
ROOT = CARRIED if os.path.isdir(CARRIED) else os.path.dirname(os.path.dirname(HERE))
# What CMake needs to build the package, of the files below ROOT.
NEEDED = ("CMakeLists.txt", "LICENSE", "README.md", "cmake", "include", "src", "cli", "bindings/python/spdhg", "bindings/python/tools")


def version():
    with open(os.path.join(ROOT, "include", "spdhg.h")) as header:
        return re.search(r'#define SPDHG_VERSION "([^"]+)"', header.read()).group(1)


def configure(build):
    if shutil.which("cmake") is None:
        sys.exit("spdhg: building from source needs cmake, a C compiler and the packages that README.md lists under Install")
    subprocess.run(["cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DSPDHG_TESTS=OFF", f"-DSPDHG_PYTHON={sys.executable}"],
                   check=True)


class Build(build_py):
    """The modules are those of CMake's folder, not of the source's: some are generated."""

    def run(self):
        build = os.environ.get("SPDHG_BUILD")  # a folder that CMake has configured already
        if not build:
            build = os.path.join(ROOT, "build", "wheel")
            configure(build)
        subprocess.run(["cmake", "--build", build, "-j", str(os.cpu_count()), "--target", "spdhg_python_package"], check=True)
        package = os.path.join(build, "python", "spdhg")
        for name in sorted(os.listdir(package)):
            if not name.startswith("__pycache__"):
                self.mkpath(os.path.join(self.build_lib, "spdhg"))
                self.copy_file(os.path.join(package, name), os.path.join(self.build_lib, "spdhg", name))


class Source(sdist):
    """With the C sources: an sdist can be built wherever there is a compiler."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for name in NEEDED:
            old, new = os.path.join(ROOT, name), os.path.join(base_dir, "source", name)
            os.makedirs(os.path.dirname(new), exist_ok=True)
            if os.path.isdir(old):
                shutil.copytree(old, new, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(old, new)


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
      cmdclass={"build_py": Build, "bdist_wheel": Wheel, "sdist": Source},
      options={"build": {"build_base": SCRATCH}, "egg_info": {"egg_base": SCRATCH}})
