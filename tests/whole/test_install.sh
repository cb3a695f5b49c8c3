#!/bin/sh
# test_install.sh COMMAND - the installed tree is usable: layout, SONAME, symbol versions, the command on the shared library,
# shared and static linking by pkg-config and by CMake, man page.
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
# Before 1.0 a minor release may change the interface, so major and minor number name it.
abi=${version%.*}
readelf -d "$library" | grep SONAME | grep -qF "[libspdhg.so.$abi]" || fail "SONAME: $(readelf -d "$library" | grep SONAME)"
[ -f "$prefix/include/spdhg.h" ] || fail "no include/spdhg.h"
[ "$("$prefix/bin/spdhg" --version | head -n 1 | grep -cF "$version")" = 1 ] || fail "bin/spdhg --version does not say $version"
[ -f "$prefix/share/man/man1/spdhg.1" ] || fail "no man page"
for file in bash-completion/completions/spdhg zsh/site-functions/_spdhg fish/vendor_completions.d/spdhg.fish; do
    [ -f "$prefix/share/$file" ] || fail "no share/$file"
done

# The command uses the shared library, which it finds from its own place, and has no copy of its functions.
readelf -d "$prefix/bin/spdhg" | grep NEEDED | grep -qF "[libspdhg.so.$abi]" || fail "bin/spdhg is not linked to libspdhg.so.$abi"
nm -D --defined-only "$prefix/bin/spdhg" | grep -E ' spd(hg)?_' && fail "bin/spdhg has functions of the library"
mv "$prefix" "$place/moved" && mkdir "$place/far" && mv "$place/moved" "$place/far/prefix"
LD_LIBRARY_PATH='' "$place/far/prefix/bin/spdhg" list losses >/dev/null || fail "bin/spdhg does not run from a prefix that was moved"
mv "$place/far/prefix" "$prefix"

# Exported are the public interface, all of it and with its version, and what the command calls, with a version of its own.
nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sort >"$place/versioned"
sed -n "s/@@SPDHG_$abi\$//p" "$place/versioned" >"$place/exported"
sed -n 's/@@SPDHG_PRIVATE$//p' "$place/versioned" >"$place/private"
[ "$(cat "$place/exported" "$place/private" | wc -l)" = "$(wc -l <"$place/versioned")" ] || fail "names without a version: $(grep -v @@SPDHG_ "$place/versioned")"
grep -v '^spd_' "$place/private" && fail "names of SPDHG_PRIVATE other than spd_*"
nm -D --undefined-only "$prefix/bin/spdhg" | sed -n 's/.* \(spd_[a-z_0-9]*\)@SPDHG_PRIVATE$/\1/p' | sort >"$place/called"
diff "$place/called" "$place/private" >&2 || fail "internal names the command calls (<) and the library exports (>) differ"
sed -n 's/^SPDHG_API .*[ *]\(spdhg_[a-z_]*\)(.*/\1/p' "$root/include/spdhg.h" | sort >"$place/declared"
diff "$place/declared" "$place/exported" >&2 || fail "declared in spdhg.h (<) and exported (>) differ"

# Through pkg-config.
libdir=$(dirname "$library")
export PKG_CONFIG_PATH="$libdir/pkgconfig"
[ "$(pkg-config --modversion spdhg)" = "$version" ] || fail "spdhg.pc: version $(pkg-config --modversion spdhg)"
# shellcheck disable=SC2046,SC2086 # lists of words
cc $flags "$root/examples/01_lasso.c" -o "$place/lasso" $(pkg-config --cflags --libs spdhg) -lm
LD_LIBRARY_PATH=$libdir "$place/lasso" >/dev/null || fail "01_lasso through pkg-config: exit status $?"

# The archive through pkg-config, on the shared libraries of the distribution.
[ -f "$libdir/libspdhg.a" ] || fail "no libspdhg.a"
needs=$(pkg-config --static --libs spdhg) || fail "a private requirement of spdhg.pc is missing"
# shellcheck disable=SC2046,SC2086
cc $flags "$root/examples/01_lasso.c" -o "$place/lasso_archive" $(pkg-config --cflags spdhg) $(echo "$needs" | sed 's/-lspdhg\b/-l:libspdhg.a/') -lm
readelf -d "$place/lasso_archive" | grep -F libspdhg && fail "linked to the shared library in place of the archive"
"$place/lasso_archive" >/dev/null || fail "01_lasso with the archive: exit status $?"

# Through find_package.
mkdir "$place/user"
cat >"$place/user/CMakeLists.txt" <<LISTS
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(spdhg ${version%.*} REQUIRED)
add_executable(lasso "$root/examples/01_lasso.c")
target_link_libraries(lasso spdhg::spdhg m)
add_executable(lasso_archive "$root/examples/01_lasso.c")
target_link_libraries(lasso_archive spdhg::static m)
LISTS
{ cmake -S "$place/user" -B "$place/user/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="$flags" &&
    cmake --build "$place/user/build"; } >"$place/log" 2>&1 || { cat "$place/log"; fail "find_package(spdhg)"; }
"$place/user/build/lasso" >/dev/null || fail "01_lasso through find_package: exit status $?"
"$place/user/build/lasso_archive" >/dev/null || fail "01_lasso with spdhg::static: exit status $?"
readelf -d "$place/user/build/lasso_archive" | grep -F libspdhg && fail "spdhg::static is the shared library"

# Behind DESTDIR the files say nothing about where they were staged or built.
DESTDIR=$place/stage cmake --install "$build" --prefix /usr >"$place/log" || { cat "$place/log"; fail "DESTDIR install"; }
[ -f "$place/stage/usr/bin/spdhg" ] || fail "DESTDIR was not used"
find "$place/stage" -name '*.pc' -o -name '*.cmake' | while read -r file; do
    if grep -qF -e "$place" -e "$build" "$file"; then fail "$file names the build or the stage"; fi
done
