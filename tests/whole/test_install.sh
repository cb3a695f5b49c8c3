#!/bin/sh
# test_install.sh COMMAND - the installed tree is usable: layout, SONAME, exported names, pkg-config file, CMake package, man page.
# Installs the build that COMMAND belongs to, twice: under a prefix of its own, and under /usr behind DESTDIR.
set -eu
build=$(cd "$(dirname "$1")" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() { echo "test_install: $*" >&2; exit 1; }

version=$(sed -n 's/^#define SPDHG_VERSION "\(.*\)"$/\1/p' "$root/include/spdhg.h")
grep -qx "version: $version" "$root/CITATION.cff" || fail "CITATION.cff has another version than spdhg.h ($version)"
grep -q "^## \[$version\]" "$root/CHANGELOG.md" || fail "CHANGELOG.md has no section for $version"

# A sanitized library needs its user linked with the same runtime.
flags=
if grep -q '^SPDHG_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then flags='-fsanitize=address,undefined'; fi

prefix=$place/prefix
cmake --install "$build" --prefix "$prefix" >"$place/log" || { cat "$place/log"; fail "cmake --install"; }
library=$(find "$prefix" -name libspdhg.so)
[ -n "$library" ] || fail "no libspdhg.so below the prefix"
readelf -d "$library" | grep -q 'SONAME.*\[libspdhg\.so\.[0-9][0-9]*\]' || fail "SONAME: $(readelf -d "$library" | grep SONAME)"
[ -f "$prefix/include/spdhg.h" ] || fail "no include/spdhg.h"
[ "$("$prefix/bin/spdhg" --version | head -n 1 | grep -cF "$version")" = 1 ] || fail "bin/spdhg --version does not say $version"
[ -f "$prefix/share/man/man1/spdhg.1" ] || fail "no man page"

# Only the public interface is visible, and all of it.
nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sort >"$place/exported"
grep -v '^spdhg_' "$place/exported" && fail "names exported beside spdhg_*"
sed -n 's/^SPDHG_API .*[ *]\(spdhg_[a-z_]*\)(.*/\1/p' "$root/include/spdhg.h" | sort >"$place/declared"
diff "$place/declared" "$place/exported" >&2 || fail "declared in spdhg.h (<) and exported (>) differ"

# Through pkg-config.
libdir=$(dirname "$library")
export PKG_CONFIG_PATH="$libdir/pkgconfig"
[ "$(pkg-config --modversion spdhg)" = "$version" ] || fail "spdhg.pc: version $(pkg-config --modversion spdhg)"
# shellcheck disable=SC2046,SC2086 # lists of words
cc $flags "$root/examples/01_lasso.c" -o "$place/lasso" $(pkg-config --cflags --libs spdhg) -lm
LD_LIBRARY_PATH=$libdir "$place/lasso" >/dev/null || fail "01_lasso through pkg-config: exit status $?"
pkg-config --static --libs spdhg >/dev/null || fail "a private requirement of spdhg.pc is missing"

# Through find_package.
mkdir "$place/user"
cat >"$place/user/CMakeLists.txt" <<LISTS
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(spdhg ${version%.*} REQUIRED)
add_executable(lasso "$root/examples/01_lasso.c")
target_link_libraries(lasso spdhg::spdhg m)
LISTS
{ cmake -S "$place/user" -B "$place/user/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="$flags" &&
    cmake --build "$place/user/build"; } >"$place/log" 2>&1 || { cat "$place/log"; fail "find_package(spdhg)"; }
"$place/user/build/lasso" >/dev/null || fail "01_lasso through find_package: exit status $?"

# Behind DESTDIR the files say nothing about where they were staged or built.
DESTDIR=$place/stage cmake --install "$build" --prefix /usr >"$place/log" || { cat "$place/log"; fail "DESTDIR install"; }
[ -f "$place/stage/usr/bin/spdhg" ] || fail "DESTDIR was not used"
find "$place/stage" -name '*.pc' -o -name '*.cmake' | while read -r file; do
    if grep -qF -e "$place" -e "$build" "$file"; then fail "$file names the build or the stage"; fi
done
