"""Runs this program without a network: nothing that it starts can reach another computer."""

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys

MARK = "CAIRN_WALK_ALONE"
GET_FLAGS, SET_FLAGS, UP = 0x8913, 0x8914, 1


def leave():
    """Starts the program again in a network namespace of its own, if the system allows it."""
    if os.environ.get(MARK):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            name = b"lo".ljust(16, b"\0")
            flags = struct.unpack("16xh", fcntl.ioctl(control, GET_FLAGS, name + b"\0\0")[:18])[0]
            fcntl.ioctl(control, SET_FLAGS, struct.pack("16sh", b"lo", flags | UP))
        return
    unshare = shutil.which("unshare")
    alone = [unshare, "--map-root-user", "--net"]
    if not unshare or subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
        print("The system does not allow a network namespace: this computer's network is used.")
        return
    os.execve(unshare, [*alone, sys.executable, *sys.argv], os.environ | {MARK: "1"})
