"""Runs a command on a terminal of its own: python3 terminal.py COMMAND WORD...

The command's standard output is this process's; all that the terminal shows comes by this process's standard error,
and what comes on its standard input is typed. Where that ends, the terminal is hung up. Ends with the command's exit status.
With WHOLE_TERMINAL=COLUMNS the command's standard output is the terminal too, which has so many columns.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios

columns = os.environ.get("WHOLE_TERMINAL")
out = os.dup(1)
pid, terminal = pty.fork()
if pid == 0:
    if columns is None:
        os.dup2(out, 1)
    # The size is set before the command can ask for it.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, int(columns or 120), 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])

os.close(out)
os.close(1)
signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
sources = [0, terminal]
while True:
    ready, _, _ = select.select(sources, [], [])
    if 0 in ready:
        typed = os.read(0, 65536)
        if typed:
            os.write(terminal, typed)
        else:
            break
    if terminal in ready:
        try:
            shown = os.read(terminal, 65536)
        except OSError:
            break
        if not shown:
            break
        os.write(2, shown)

# A command must leave the terminal as it was.
if not termios.tcgetattr(terminal)[3] & termios.ICANON:
    os.write(2, b"\nThe terminal is left raw\n")
os.close(terminal)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
