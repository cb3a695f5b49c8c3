#!/bin/sh
# install.sh BUILD - makes the R package in BUILD/R/spdhg from the tables of BUILD's library, and installs it into BUILD/R-library.
# SPDHG_FLAGS: flags of compiler and linker, such as the sanitizers that the library was built with.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")/.." && pwd)
export SPDHG_BUILD="$build" SPDHG_INCLUDE="$here/../../include"
/usr/bin/python3 "$here/tools/parameters.py" "$build/libspdhg.so" "$here" "$build/R/spdhg"
mkdir -p "$build/R-library"
R CMD INSTALL --no-docs --no-test-load --library="$build/R-library" "$build/R/spdhg"
