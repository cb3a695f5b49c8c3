# bundle.py - puts the shared libraries that a wheel's extension needs into the wheel: bundle.py WHEEL FOLDER
# What every Linux with the same C library has stays outside; the rest is copied beside the extension and found by a relative path
# (patchelf). The platform tag then says which C library is needed. Every copy gets a name of its own, with a hash of its contents, in its
# file name, its SONAME and wherever it is needed: the dynamic linker takes a library that is loaded already by its name, and without this
# numpy, scipy, bz2 and lzma would use our copies, or we theirs, by the order of imports.
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

OUTSIDE = re.compile(r"(libc|libm|libpthread|libdl|librt|libgcc_s|ld-linux[-\w]*|linux-vdso)\.so")


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def needed(path):
    return [name for name in output("patchelf", "--print-needed", path).split() if not OUTSIDE.match(name)]


def places(path):
    """name -> file of everything the dynamic linker finds for it."""
    return dict(re.findall(r"^\s*(\S+) => (\S+)", output("ldd", path), re.M))


def collect(extension, folder):
    where, copies, todo = places(extension), {}, [extension]
    while todo:
        for name in needed(todo.pop()):
            if name not in copies:
                copies[name] = os.path.join(folder, name)
                shutil.copy(os.path.realpath(where[name]), copies[name])
                os.chmod(copies[name], 0o755)
                todo.append(copies[name])
    return list(copies.values())


def patch(path, *words):
    """One change at a time: patchelf 0.14 mixes up the names of two."""
    subprocess.run(["patchelf", *words, path], check=True)


def find_in(path, place):
    patch(path, "--force-rpath", "--set-rpath", place)


def hashed(path):
    """libz.so.1 -> libz-1a2b3c4d.so.1"""
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()[:8]
    stem, _, rest = os.path.basename(path).partition(".so")
    return f"{stem}-{digest}.so{rest}"


def rename(extension, copies):
    """New names for the copies, known to all of them and to the extension. Returns name -> old name."""
    new = {os.path.basename(copy): hashed(copy) for copy in copies}
    for path in [extension] + copies:
        for name in needed(path):
            patch(path, "--replace-needed", name, new[name])
        if path is not extension:
            patch(path, "--set-soname", new[os.path.basename(path)])
    for copy in copies:
        os.rename(copy, os.path.join(os.path.dirname(copy), new[os.path.basename(copy)]))
    return {hash_name: name for name, hash_name in new.items()}


def platform(files):
    """manylinux_2_X: the newest version of the C library that a symbol asks for."""
    versions = {(int(a), int(b)) for path in files for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", output("objdump", "-T", path))}
    return "manylinux_{}_{}_{}".format(*max(versions), os.uname().machine)


def taken_over(files):
    """Names under which another library of the process could be mistaken for a copy, or a copy for it."""
    return [f"{os.path.basename(path)} needs {name}" for path in files for name in needed(path) if not re.search(r"-[0-9a-f]{8}\.so", name)]


def licences(names, where, folder, own):
    """Our licence, and Debian's statements about the libraries in the wheel."""
    os.makedirs(folder)
    shutil.copy(own, os.path.join(folder, "LICENSE"))
    for name in sorted(names):
        path = os.path.realpath(where[name])  # the package may have been made before /lib became /usr/lib
        found = subprocess.run(["dpkg-query", "-S", path, path.replace("/usr", "", 1)], capture_output=True, text=True).stdout
        package = found.split(":")[0]
        shutil.copy(f"/usr/share/doc/{package}/copyright", os.path.join(folder, package))


def check(extension, folder):
    outside = [path for path in places(extension).values()
               if not OUTSIDE.match(os.path.basename(path)) and not os.path.realpath(path).startswith(os.path.realpath(folder))]
    if outside:
        sys.exit(f"bundle.py: these libraries would be taken from the user's system: {', '.join(outside)}")
    shared = taken_over([extension] + [os.path.join(folder, name) for name in os.listdir(folder)])
    if shared:
        sys.exit(f"bundle.py: names without a hash: {', '.join(shared)}")


def loads(root):
    """The extension with its new libraries, in a process that has none of them."""
    subprocess.run([sys.executable, "-c", "import _native"], cwd=os.path.join(root, "spdhg"), check=True)


def main():
    wheel, folder = sys.argv[1:]
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "LICENSE")
    with tempfile.TemporaryDirectory() as place:
        subprocess.run([sys.executable, "-m", "wheel", "unpack", "-d", place, wheel], check=True, stdout=subprocess.DEVNULL)
        (root,) = (os.path.join(place, name) for name in os.listdir(place))
        extension = os.path.join(root, "spdhg", "_native.abi3.so")
        libraries = os.path.join(root, "spdhg.libs")
        os.mkdir(libraries)
        where, copies = places(extension), collect(extension, libraries)
        names = [os.path.basename(copy) for copy in copies]
        copies = [os.path.join(libraries, name) for name in rename(extension, copies)]
        for copy in copies:
            find_in(copy, "$ORIGIN")
        find_in(extension, "$ORIGIN/../spdhg.libs")
        check(extension, libraries)
        loads(root)
        tag = platform([extension] + copies)
        (about,) = (os.path.join(root, name, "WHEEL") for name in os.listdir(root) if name.endswith(".dist-info"))
        licences(names, where, os.path.join(os.path.dirname(about), "licenses"), own)
        with open(about) as file:
            text = re.sub(r"^Tag: (\w+-\w+)-\w+$", rf"Tag: \1-{tag}", file.read(), flags=re.M)
        with open(about, "w") as file:
            file.write(text)
        subprocess.run([sys.executable, "-m", "wheel", "pack", "-d", folder, root], check=True, stdout=subprocess.DEVNULL)


main()
