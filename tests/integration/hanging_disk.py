"""Mounts a file system that can stop answering: FUSE's protocol, over a folder with the files.

As a script: hanging_disk.py MOUNT FOLDER. SIGSTOP hangs it, SIGCONT lets it go on.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import stat
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from patience import until

_LIBC = ctypes.CDLL(None, use_errno=True)
_DETACH = 2
_FIRST = 1
_HEADER = struct.Struct("<IIQQIIII")
_ANSWER = struct.Struct("<IiQ")


class Disk:
    """Represents a file system, mounted by a process that can be stopped."""

    def __init__(self, path: Path, server: subprocess.Popen[bytes]) -> None:
        self.path = path
        self._server = server

    def hang(self) -> None:
        """Stops answering. Every access blocks from now on; SIGKILL ends the wait."""
        self._server.send_signal(signal.SIGSTOP)
        status = Path(f"/proc/{self._server.pid}/status")
        until(lambda: "State:\tT" in status.read_text(), "the file system has stopped")

    def go_on(self) -> None:
        """Resumes, and answers all pending requests."""
        self._server.send_signal(signal.SIGCONT)


def can_mount() -> bool:
    """Returns whether this process may mount such a file system."""
    with suppress(OSError):
        os.close(os.open("/dev/fuse", os.O_RDWR))
        status = Path("/proc/self/status").read_text()
        capabilities = next(line for line in status.splitlines() if line.startswith("CapEff"))
        return bool(int(capabilities.split()[1], 16) >> 21 & 1)  # CAP_SYS_ADMIN
    return False


@contextmanager
def hanging_disk(folder: Path) -> Iterator[Disk]:
    """Mounts a file system at folder/disk; its files are in folder/files."""
    mount, files = folder / "disk", folder / "files"
    mount.mkdir()
    files.mkdir()
    server = subprocess.Popen([sys.executable, __file__, str(mount), str(files)])
    try:
        until(lambda: server.poll() is not None or os.path.ismount(mount), "it is mounted")
        assert server.poll() is None
        yield Disk(mount, server)
    finally:
        server.kill()  # ends every blocked access
        server.wait()
        _LIBC.umount2(str(mount).encode(), _DETACH)


def _attributes(status: os.stat_result) -> bytes:
    times = (status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns)
    return struct.pack(
        "<6Q10I",
        *(status.st_ino, status.st_size, status.st_blocks),
        *(ns // 10**9 for ns in times),
        *(ns % 10**9 for ns in times),
        *(status.st_mode, status.st_nlink, status.st_uid, status.st_gid),
        *(0, 4096, 0),
    )


class _Server:
    def __init__(self, folder: str) -> None:
        self._paths = {_FIRST: folder}
        self._numbers = {folder: _FIRST}

    def answer(self, code: int, node: int, body: bytes) -> bytes | None:
        """Returns the answer to one request; None if it has none."""
        if code in (2, 36, 42):  # FORGET, INTERRUPT, BATCH_FORGET
            return None
        method = _METHODS.get(code)
        if method is None:
            raise OSError(errno.ENOSYS, "")
        return method(self, self._paths[node], body)

    def begin(self, path: str, body: bytes) -> bytes:
        return struct.pack("<4I2H2I2HI28x", 7, 31, 1 << 16, 0, 12, 9, 1 << 16, 1, 0, 0, 0)

    def look_up(self, path: str, body: bytes) -> bytes:
        return self._entry(_below(path, body))

    def attributes(self, path: str, body: bytes) -> bytes:
        return struct.pack("<QII", 0, 0, 0) + _attributes(os.lstat(path))

    def set_attributes(self, path: str, body: bytes) -> bytes:
        valid, size = struct.unpack_from("<I12xQ", body)
        if valid & 1:
            os.chmod(path, stat.S_IMODE(struct.unpack_from("<I", body, 68)[0]))
        if valid & 8:
            os.truncate(path, size)
        return self.attributes(path, body)

    def make_folder(self, path: str, body: bytes) -> bytes:
        made = _below(path, body[8:])
        os.mkdir(made, struct.unpack_from("<I", body)[0])
        return self._entry(made)

    def remove(self, path: str, body: bytes) -> bytes:
        os.unlink(_below(path, body))
        return b""

    def remove_folder(self, path: str, body: bytes) -> bytes:
        os.rmdir(_below(path, body))
        return b""

    def rename(self, path: str, body: bytes) -> bytes:
        return self._rename(path, body, 8)

    def rename_2(self, path: str, body: bytes) -> bytes:
        return self._rename(path, body, 16)

    def open(self, path: str, body: bytes) -> bytes:
        # Each access opens the file again, so no handle is kept.
        if struct.unpack_from("<I", body)[0] & os.O_TRUNC:
            os.truncate(path, 0)
        return bytes(16)

    def create(self, path: str, body: bytes) -> bytes:
        made = _below(path, body[16:])
        flags, mode = struct.unpack_from("<II", body)
        os.close(os.open(made, flags | os.O_CREAT, stat.S_IMODE(mode)))
        return self._entry(made) + bytes(16)

    def read(self, path: str, body: bytes) -> bytes:
        offset, size = struct.unpack_from("<8xQI", body)
        with open(path, "rb") as file:
            return os.pread(file.fileno(), size, offset)

    def write(self, path: str, body: bytes) -> bytes:
        offset, size = struct.unpack_from("<8xQI", body)
        with open(path, "r+b") as file:
            return struct.pack("<II", os.pwrite(file.fileno(), body[40 : 40 + size], offset), 0)

    def statistics(self, path: str, body: bytes) -> bytes:
        return struct.pack("<5Q4I24x", *(1 << 20 for _ in range(5)), 4096, 255, 4096, 0)

    def list(self, path: str, body: bytes) -> bytes:
        offset, size = struct.unpack_from("<8xQI", body)
        answer = b""
        for number, name in enumerate(sorted(os.listdir(path))[offset:], offset + 1):
            text = name.encode()
            kind = os.lstat(f"{path}/{name}").st_mode >> 12
            entry = struct.pack("<QQII", number, number, len(text), kind) + text
            entry += bytes(-len(entry) % 8)
            if len(answer) + len(entry) > size:
                break
            answer += entry
        return answer

    def nothing(self, path: str, body: bytes) -> bytes:
        return b""

    def _rename(self, path: str, body: bytes, names: int) -> bytes:
        (to,) = struct.unpack_from("<Q", body)
        old, new = body[names:].split(b"\0")[:2]
        before, after = _below(path, old), _below(self._paths[to], new)
        os.rename(before, after)
        for number, known in self._paths.items():
            if f"{known}/".startswith(f"{before}/"):
                self._paths[number] = after + known[len(before) :]
        self._numbers = {known: number for number, known in self._paths.items()}
        return b""

    def _entry(self, path: str) -> bytes:
        status = os.lstat(path)
        number = self._numbers.setdefault(path, len(self._paths) + 1)
        self._paths[number] = path
        return struct.pack("<4QII", number, 0, 0, 0, 0, 0) + _attributes(status)


def _below(path: str, name: bytes) -> str:
    return f"{path}/{name.split(bytes(1))[0].decode()}"


_METHODS = {
    **{1: _Server.look_up, 3: _Server.attributes, 4: _Server.set_attributes},
    **{9: _Server.make_folder, 10: _Server.remove, 11: _Server.remove_folder},
    **{12: _Server.rename, 14: _Server.open, 15: _Server.read, 16: _Server.write},
    **{17: _Server.statistics, 18: _Server.nothing, 20: _Server.nothing, 26: _Server.begin},
    **{27: lambda *_: bytes(16), 28: _Server.list, 29: _Server.nothing, 30: _Server.nothing},
    **{35: _Server.create, 45: _Server.rename_2},
}


def main() -> None:
    """Serves until it is killed."""
    mount, folder = sys.argv[1:]
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
    arguments = [text.encode() for text in ("test", mount, "fuse", options)]
    if _LIBC.mount(arguments[0], arguments[1], arguments[2], 0, arguments[3]) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))
    server = _Server(folder)
    while True:
        request = os.read(device, 1 << 20)
        _, code, unique, node, *_ = _HEADER.unpack_from(request)
        error, answer = 0, None
        try:
            answer = server.answer(code, node or _FIRST, request[_HEADER.size :])
        except OSError as failure:
            error, answer = -(failure.errno or errno.EIO), b""
        if answer is not None:
            with suppress(OSError):  # the requester may have exited
                os.write(device, _ANSWER.pack(16 + len(answer), error, unique) + answer)


if __name__ == "__main__":
    main()
