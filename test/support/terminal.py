"""Runs a command on a terminal of its own: python3 terminal.py ROWS COLUMNS STDOUT COMMAND WORD...

Where STDOUT is "apart", the command's standard output is this process's, and else it is the terminal too. All that the
terminal shows comes by this process's standard error, and what comes on its standard input is typed. Where that ends, the
terminal is hung up. Ends with the command's exit status.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios

rows, columns, stdout, *command = sys.argv[1:]
out = os.dup(1)
ready, go = os.pipe()
pid, terminal = pty.fork()
if pid == 0:
    if stdout == "apart":
        os.dup2(out, 1)
    # The command must not ask for the terminal's size before it has one.
    os.close(go)
    os.read(ready, 1)
    os.execvp(command[0], command)

os.close(out)
os.close(1)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))
os.close(ready)
os.close(go)
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

os.close(terminal)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
