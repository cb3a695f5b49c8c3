# _call.py - calls into the library: errors become exceptions, handles free themselves, long calls leave the GIL and hear Ctrl-C.
from __future__ import annotations

import re
import threading
import time
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
    message = re.sub(r"\brow ([0-9]+) of the table", lambda match: f"row {int(match.group(1)) - 1} (counted from 0) of X", message)
    message = re.sub(r"^the data: row ([0-9]+): the target", lambda match: f"y: row {int(match.group(1)) - 1} (counted from 0): the target", message)
    for before, after in FROM_ZERO:
        found = re.match(before, message)
        if found:
            message = after.format(*(int(k) - 1 for k in found.groups())) + message[found.end():]
    message = re.sub(r"^(unknown penalty .*)$", r"\1, elasticnet, l2, None", message)  # which the library makes of a term and a ridge
    message = re.sub(r"--(missing|unseen) ([a-z]+)", r"\1='\2'", message)
    name = re.sub(r"--([a-z][a-z0-9-]*)", lambda match: NAMES.get(match.group(1), match.group(1)).replace("-", "_"), message)
    name = re.sub(r"\bis not finite$", "is not finite: NaN or infinity", name)
    name = re.sub(r"^(unknown structure .*)$", r"\1, learned", name)  # which the library's own function of that name does not make
    name = name.replace("groups FILE", "groups: a list of lists, a number for each row of F")
    return re.sub(r"\blambda(_max)?\b", r"alpha\1", name).replace("; use loss softmax", "; use loss='softmax'").replace(
        "allow_one_class fits it anyway", "allow_one_class=True fits it anyway").replace("takes no groups; penalty group does", "takes no groups; penalty='group' does")


FROM_ZERO = [(r"row ([0-9]+): (?=column -?[0-9]+ is not in)", "X is broken: row {} (counted from 0): "),
             (r"row ([0-9]+): (?=its squared norm overflows)", "X: row {} (counted from 0): "),
             (r"the data: row ([0-9]+) has label", "eval_set: row {} (counted from 0) has the label"),
             (r"row weight ([0-9]+) is", "penalty_weights: number {} (counted from 0) is"),
             (r"value ([0-9]+) is infinite", "y: value {} (counted from 0) is infinite"),
             (r"weight ([0-9]+) is", "weights: number {} (counted from 0) is"),
             (r"values ([0-9]+) and ([0-9]+) have the same position", "positions: values {} and {} (counted from 0) have the same position")]
KINDS_OF_IO = {": No such file or directory": FileNotFoundError, ": Permission denied": PermissionError, ": is a directory": IsADirectoryError}


def check(status: int, err) -> None:
    if status == lib.SPDHG_OK:
        return
    message = text(err.message) or ""
    kind = ERRORS.get(status, RuntimeError)
    if kind is OSError:
        kind = next((named for words, named in KINDS_OF_IO.items() if words in message), OSError)
    raise kind(python_words(message))


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
        self.listen = listen
        self.failure: Optional[BaseException] = None
        self.c = ffi.new("spdhg_watch *")
        self._handle = ffi.new_handle(self)
        self.c.python, self.c.listens = self._handle, listen is not None

    def attach(self, options, *keep) -> None:
        """keep: what the options point to, alive as long as this."""
        self.keep = keep
        options.callback, options.user = ffi.addressof(lib, "spdhg_watch_event"), self.c

    def close(self) -> None:
        """The last word of a progress bar. Nobody calls back any more: the circle with its own handle is opened, so that no garbage
        collection is needed to free what it holds."""
        getattr(self.listen, "close", lambda: None)()
        self.c.listens, self.c.next, self._handle = False, 0.0, None


def _failed(_kind, failure, traceback) -> None:
    """A signal's handler may raise before the first line of spdhg_python_event."""
    ffi.from_handle(traceback.tb_frame.f_locals["user"]).failure = failure


@ffi.def_extern(error=1, onerror=_failed)
def spdhg_python_event(user, event):
    watch = ffi.from_handle(user)
    if watch.listen is not None and event.kind != lib.SPDHG_EVENT_POLL:
        watch.listen(event)
    return 0


@ffi.def_extern(error=1, onerror=_failed)
def spdhg_python_race(user, event):
    ffi.from_handle(user).listen(event)
    return 0


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


SMALL = 200000  # numbers in the data: below it a call is short, or asks its callback often
PATIENCE = 10.0  # seconds that an interrupted call is given to stop by itself, if it asks its callback


def run(watch: Optional[Watch], function: Callable, *arguments, small: bool = False, free: Optional[Callable] = None,
        patience: float = PATIENCE) -> Optional[BaseException]:
    """A long call. Signals reach only the main thread, and only between Python's instructions: so it waits while another thread
    works, and at Ctrl-C (or whatever a signal's handler raises) asks the work to stop. The interrupt is returned: the caller keeps
    what is there, then raises it. A call that does not stop (a set-up at once, others after a while or at the second Ctrl-C) is left
    to itself: the interrupt is raised, and `free` is called with its result when it ends. small: the main thread works itself, which saves the start of a thread."""
    if threading.current_thread() is not threading.main_thread():
        return _direct(watch, function, arguments)
    if small and watch is not None:
        watch.c.next = time.monotonic() + 0.05
        return _direct(watch, function, arguments)
    return _beside(watch, function, arguments, free, patience if watch else 0.0)


def _direct(watch: Optional[Watch], function: Callable, arguments: tuple) -> Optional[BaseException]:
    _enter_blas()
    try:
        call(function, *arguments)
    finally:
        _leave_blas()
    if watch is not None and watch.failure is not None:
        if isinstance(watch.failure, KeyboardInterrupt):
            return watch.failure
        raise watch.failure
    return None


class _Work(threading.Thread):
    """The call, on a thread of its own. What it uses lives as long as it runs."""

    def __init__(self, watch: Optional[Watch], function: Callable, arguments: tuple, free: Optional[Callable]) -> None:
        super().__init__(name="spdhg", daemon=True)
        self.parts = (watch, function, arguments, free)
        self.failure: Optional[BaseException] = None
        self.lock, self.left, self.ended = threading.Lock(), False, threading.Lock()
        self.ended.acquire()

    def run(self) -> None:
        _, function, arguments, free = self.parts
        _enter_blas()
        try:
            call(function, *arguments)
        except BaseException as error:
            self.failure = error
        finally:
            _leave_blas()
        with self.lock:
            if self.left and free is not None and self.failure is None:
                free(arguments[0][0])
            self.ended.release()

    def leave(self) -> bool:
        """Nobody waits any more; False if it has ended."""
        with self.lock:
            self.left = self.ended.locked()
            return self.left


def _beside(watch: Optional[Watch], function: Callable, arguments: tuple, free: Optional[Callable],
            patience: float) -> Optional[BaseException]:
    work = _Work(watch, function, arguments, free)
    interrupt: Optional[BaseException] = None
    since = 0.0
    while True:
        try:
            if work.ident is None:
                work.start()
            while not work.ended.acquire(timeout=0.1):  # a signal that another thread was given would not end a longer wait
                if interrupt is not None and time.monotonic() - since >= patience and work.leave():
                    raise interrupt
            break
        except BaseException as raised:
            if raised is interrupt or (interrupt is not None and work.leave()):
                raise
            interrupt, since = raised, time.monotonic()
            if watch:
                watch.c.stop = 1
    if watch and watch.failure:
        raise watch.failure
    if work.failure:
        raise work.failure
    return interrupt


def make_long(kind: str, function: Callable, *arguments, free: Callable, keep: tuple = (), watch: Optional[Watch] = None, small: bool = False,
              patience: float = PATIENCE):
    """A handle that takes long to make. An interrupt is raised once the call has ended."""
    out = ffi.new(f"spdhg_{kind} **")
    interrupt = run(watch, function, out, *arguments, small=small, free=free, patience=patience)
    handle = ffi.gc(out[0], lambda pointer, _=keep: free(pointer))
    if interrupt and not watch:
        raise interrupt
    return (handle, interrupt) if watch else handle
