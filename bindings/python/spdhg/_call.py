# _call.py - calls into the library: errors become exceptions, handles free themselves, long calls leave the GIL and hear Ctrl-C.
from __future__ import annotations

import re
import threading
from typing import Any, Callable, Optional

import numpy as np

from ._native import ffi, lib
from ._parameters import NAMES

ERRORS = {lib.SPDHG_USAGE: ValueError, lib.SPDHG_DATA: ValueError, lib.SPDHG_IO: OSError, lib.SPDHG_MEMORY: MemoryError,
          lib.SPDHG_NUMERICAL: ArithmeticError}


def text(pointer) -> Optional[str]:
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def python_words(message: str) -> str:
    """The command's options by their names here."""
    name = re.sub(r"--([a-z][a-z-]*)", lambda match: NAMES.get(match.group(1), match.group(1)).replace("-", "_"), message)
    name = re.sub(r"\bis not finite$", "is not finite: NaN or infinity", name)
    name = re.sub(r"^(unknown structure .*)$", r"\1, learned", name)  # which the library's own function of that name does not make
    return re.sub(r"\blambda\b", "alpha", name).replace("; use loss softmax", "; use loss='softmax'")


def check(status: int, err) -> None:
    if status != lib.SPDHG_OK:
        raise ERRORS.get(status, RuntimeError)(python_words(text(err.message) or ""))


def call(function: Callable, *arguments) -> None:
    err = ffi.new("spdhg_error *")
    check(function(*arguments, err), err)


def make(kind: str, function: Callable, *arguments, free: Callable, keep: tuple = ()):
    """A handle that frees itself, and until then keeps alive what it borrows."""
    out = ffi.new(f"spdhg_{kind} **")
    call(function, out, *arguments)
    return ffi.gc(out[0], lambda pointer, _=keep: free(pointer))


class Borrowed:
    """An array over the library's memory; its owner lives as long as the array."""

    def __init__(self, pointer, shape: tuple, dtype: Any, owner: Any) -> None:
        self.owner = owner
        self.__array_interface__ = {"data": (int(ffi.cast("uintptr_t", pointer)), False), "shape": shape,
                                    "typestr": np.dtype(dtype).str, "version": 3}


def borrowed(pointer, shape: tuple, dtype: Any, owner: Any) -> np.ndarray:
    if 0 in shape:
        return np.empty(shape, dtype)
    return np.asarray(Borrowed(pointer, shape, dtype, owner))


def doubles(array: Optional[np.ndarray]):
    return ffi.NULL if array is None else ffi.from_buffer("double[]", array)


def longs(array: Optional[np.ndarray]):
    return ffi.NULL if array is None else ffi.from_buffer("int64_t[]", array)


class Watch:
    """The callback of a long call: passes points and messages to `listen`, and can be asked to stop from any thread."""

    def __init__(self, listen: Optional[Callable] = None) -> None:
        self.listen, self.failure = listen, None
        self.c = ffi.new("spdhg_watch *")
        self._handle = ffi.new_handle(self)
        self.c.python = self._handle if listen else ffi.NULL

    def attach(self, options, *keep) -> None:
        """keep: what the options point to, alive as long as this."""
        self.keep = keep
        options.callback, options.user = ffi.addressof(lib, "spdhg_watch_event"), self.c


@ffi.def_extern(error=1)
def spdhg_python_event(user, event):
    watch = ffi.from_handle(user)
    try:
        watch.listen(event)
    except BaseException as failure:  # given to the caller of run(): C cannot carry it
        watch.failure = failure
        return 1
    return 0


spdhg_python_race = ffi.def_extern(name="spdhg_python_race", error=1)(spdhg_python_event)

_blas = threading.Lock()
_blas_users, _blas_before = 0, 0


def _enter_blas() -> None:
    """BLAS with one thread, so that results do not depend on the number of cores."""
    global _blas_users, _blas_before
    with _blas:
        if _blas_users == 0:
            _blas_before = lib.spdhg_blas_threads(1)
        _blas_users += 1


def _leave_blas() -> None:
    global _blas_users
    with _blas:
        _blas_users -= 1
        if _blas_users == 0:
            lib.spdhg_blas_threads(_blas_before)


def run(watch: Optional[Watch], function: Callable, *arguments) -> Optional[BaseException]:
    """A long call. Signals reach only the main thread, and only between Python's instructions: so it waits while another thread
    works, and at Ctrl-C (or whatever a signal's handler raises) asks the work to stop. The interrupt is returned: the caller keeps
    what is there, then raises it."""
    failure: list = []
    interrupt = None
    begun, done = threading.Lock(), threading.Lock()
    done.acquire()

    def work() -> None:
        if not begun.acquire(blocking=False):  # an interrupt between start and wait made the caller start twice
            return
        try:
            call(function, *arguments)
        except BaseException as error:
            failure.append(error)
        finally:
            done.release()

    _enter_blas()
    try:
        while True:
            try:
                if threading.current_thread() is not threading.main_thread():
                    work()
                elif not begun.locked():
                    threading.Thread(target=work, name="spdhg", daemon=True).start()
                while not done.acquire(timeout=0.1):  # a signal that another thread was given would not end a longer wait
                    pass
                break
            except BaseException as raised:
                interrupt = raised
                if watch:
                    watch.c.stop = 1
    finally:
        _leave_blas()
    if watch and watch.failure:
        raise watch.failure
    if failure:
        raise failure[0]
    return interrupt


def make_long(kind: str, function: Callable, *arguments, free: Callable, keep: tuple = (), watch: Optional[Watch] = None):
    """A handle that takes long to make. An interrupt is raised once the call has ended."""
    out = ffi.new(f"spdhg_{kind} **")
    interrupt = run(watch, function, out, *arguments)
    handle = ffi.gc(out[0], lambda pointer, _=keep: free(pointer))
    if interrupt and not watch:
        raise interrupt
    return (handle, interrupt) if watch else handle
