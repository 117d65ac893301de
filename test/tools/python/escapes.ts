/**
 * Attempts at getting out of Python, by name. Each is the body of a function, in which `OUTSIDE` is a folder of the machine
 * with a file `secret.txt`, and `PORT` a port at which a server listens. An attempt has failed if it raises.
 */
export const refused: Record<string, string> = {
  // The machine's files
  'reads a file by its path': 'return open(OUTSIDE + "/secret.txt").read()',
  'reads the users': 'return open("/etc/passwd").read()',
  'reads the environment of the process': 'return open("/proc/self/environ", "rb").read()',
  'reads the memory of the process': 'return open("/proc/self/mem", "rb").read(1)',
  'reads what the process was started with': 'return open("/proc/self/cmdline", "rb").read()',
  'climbs out of its folder': 'return open("../../../.." + OUTSIDE + "/secret.txt").read()',
  'follows a link out': 'os.symlink(OUTSIDE, "link"); return os.listdir("link")',
  'follows a link of the link': 'os.symlink("/", "root"); return open("root" + OUTSIDE + "/secret.txt").read()',
  'makes a hard link': 'os.link(OUTSIDE + "/secret.txt", "hard")',
  'opens a file descriptor of the parent': 'return os.read(3, 100)',
  'opens every file descriptor': 'return [os.fstat(n) for n in range(3, 64)]',
  'writes beside its folder': 'open(OUTSIDE + "/new.txt", "w").write("x")',
  'makes a device of the disk': 'os.mknod("disk", 0o60600, os.makedev(8, 0)); return open("disk", "rb").read(1)',
  'mounts the machine': 'from pyodide_js import mountNodeFS; mountNodeFS("/mnt", "/")',
  'mounts by the file system': 'from pyodide_js import FS; FS.mount(FS.filesystems.NODEFS, {"root": "/"}, "/mnt")',
  'asks for the home of a user': 'import pwd; return pwd.getpwuid(0).pw_dir + pwd.getpwnam("nobody").pw_shell',
  'reads a member of an archive by a path': 'import zipfile; return zipfile.ZipFile(OUTSIDE + "/a.zip").namelist()',
  'opens a database of the machine':
    'import sqlite3; c = sqlite3.connect("file:" + OUTSIDE + "/secret.txt?mode=ro", uri=True); return c.execute("select 1 from sqlite_master").fetchall()',
  'attaches a database':
    'import sqlite3; return sqlite3.connect(":memory:").execute("attach ? as a", [OUTSIDE + "/a.db"])',
  'loads an extension of SQLite':
    'import sqlite3; c = sqlite3.connect(":memory:"); c.enable_load_extension(True); c.load_extension("/lib/x.so")',
  // Variables and secrets
  'has a secret in its environment': 'return os.environ["SECRET"]',
  'has one in the bytes of the environment': 'return os.environb[b"SECRET"]',
  'has one in the environment of C':
    'import ctypes; g = ctypes.CDLL(None).getenv; g.restype = ctypes.c_char_p; return g(b"SECRET").decode()',
  'imports the process': 'from js import process; return process.env.SECRET',
  'imports require': 'from js import require; return require("fs").readFileSync("/etc/passwd")',
  'imports the global object': 'from js import globalThis; return globalThis.process',
  'imports fetch': 'from js import fetch; return fetch("http://127.0.0.1:%d" % PORT)',
  'imports the module of the bridge': 'import pyodide_js; return pyodide_js._module',
  'finds the module of the bridge': 'import importlib; return importlib.import_module("pyodide_js").loadPackage',
  'finds it among all modules': 'return sys.modules["pyodide_js"]',
  'finds it by its finder': 'return [f for f in sys.meta_path if hasattr(f, "jsproxies")][0].jsproxies["pyodide_js"]',
  'takes a wheel for the module':
    'import pyodide.http; return pyodide.http.pyfetch("http://127.0.0.1:%d" % PORT).send(None)',
  // JavaScript
  'evaluates JavaScript': 'from pyodide.code import run_js; return run_js("process")',
  'makes a function of a text':
    'from pyodide.ffi import to_js; return to_js([]).constructor.constructor("return process")()',
  'makes one of an async function': 'return promise().constructor.prototype.then.constructor("return process")()',
  'makes one of a map':
    'from pyodide.ffi import to_js; return to_js({}).constructor.constructor("return this")().process',
  'makes one of an error': `
try:
    to_js([]).at(10**400)
except Exception as error:
    return getattr(error, "js_error", error).constructor.constructor("return process")()
raise ValueError`,
  'makes one with a new Function':
    'from pyodide.ffi import to_js; return to_js([]).constructor.constructor.new("return process")',
  'makes a function and calls it later':
    'from pyodide.ffi import to_js; return to_js([]).map.constructor.apply(None, to_js(["return process"]))',
  'takes the frames of a stack': `
E = error_of().constructor.__proto__
E.prepareStackTrace = lambda error, frames: frames
return error_of().stack.at(0).getThis()`,
  'defines how a stack is told': `
E = error_of().constructor.__proto__
Object = to_js([]).constructor.prototype.__proto__.constructor
Object.defineProperty(E, "prepareStackTrace", to_js({"value": print}, dict_converter=Object.fromEntries))`,
  'puts itself between promises': 'promise().constructor.prototype.then = lambda *given: print(given)',
  'makes promises of its own kind': 'promise().constructor.resolve = lambda *given: print(given)',
  'changes how arrays grow': 'to_js([]).constructor.prototype.push = print',
  'changes what all objects have': 'to_js([]).constructor.prototype.__proto__.execArgv = to_js(["--inspect"])',
  'changes how functions are called': 'to_js([]).map.constructor.prototype.call = print',
  'changes how typed arrays are copied': 'to_js(b"a").constructor.prototype.__proto__.set = print',
  'changes an own property of the language': 'delattr(to_js([]).constructor, "from_")',
  'walks all objects for a way to the bridge': `
from pyodide.ffi import JsProxy
for each in gc.get_objects():
    for one in (each.values() if isinstance(each, dict) else [each]):
        if isinstance(one, JsProxy):
            for name in ("process", "require", "mountNodeFS", "FS", "_module", "loadPackage", "fetch"):
                if hasattr(one, name):
                    return name
raise ValueError`,
  'walks all modules for one': `
from pyodide.ffi import JsProxy
for module in list(sys.modules.values()):
    for one in list(getattr(module, "__dict__", {}).values()):
        if isinstance(one, JsProxy) and (hasattr(one, "FS") or hasattr(one, "constructor") and one.constructor.constructor("return 1")):
            return one
raise ValueError`,
  'evaluates by a function of C': 'return _pyodide_core.run_js("process")',
  // The network
  'connects to a port': 'import socket; socket.create_connection(("127.0.0.1", PORT), 2).send(b"x")',
  'connects without blocking':
    'import socket; s = socket.socket(); s.setblocking(False); s.connect(("127.0.0.1", PORT)); s.send(b"x")',
  'sends a datagram':
    'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", PORT))',
  'connects to a socket of the system': 'import socket; socket.socket(socket.AF_UNIX).connect("/var/run/docker.sock")',
  'fetches a page':
    'import urllib.request; return urllib.request.urlopen("http://127.0.0.1:%d/" % PORT, timeout=2).read()',
  'fetches one with http.client':
    'import http.client; c = http.client.HTTPConnection("127.0.0.1", PORT, timeout=2); c.request("GET", "/"); return c.getresponse().read()',
  'fetches one as Pyodide does':
    'from pyodide.http import open_url; return open_url("http://127.0.0.1:%d/" % PORT).read()',
  'fetches one of the cloud':
    'import urllib.request; return urllib.request.urlopen("http://169.254.169.254/", timeout=2).read()',
  'opens a connection of asyncio': 'import asyncio; return asyncio.run(asyncio.open_connection("127.0.0.1", PORT))',
  'installs a package': 'import micropip; return micropip.install("six")',
  'loads a package': 'import pyodide._package_loader as p; return p.pyodide_js.loadPackage("numpy")',
  listens: 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); s.accept()',
  // Processes and signals
  'runs a command': 'import subprocess; return subprocess.run(["id"], capture_output=True).stdout',
  'runs a shell': 'import subprocess; return subprocess.check_output("id", shell=True)',
  'opens a pipe to a command': 'return os.popen("id").read()',
  forks: 'return os.fork()',
  'forks for ever': 'while True: os.fork()',
  'becomes a program': 'os.execv("/bin/sh", ["sh", "-c", "id"])',
  'becomes one by its name': 'os.execvp("node", ["node", "-e", "1"])',
  spawns: 'return os.spawnv(os.P_NOWAIT, "/bin/sh", ["sh"])',
  'spawns as POSIX does': 'return os.posix_spawn("/bin/sh", ["sh"], {})',
  'has a terminal made': 'import pty; return pty.fork()',
  'runs a process of Python': 'import multiprocessing; p = multiprocessing.Process(target=print); p.start()',
  'has a pool of processes':
    'from concurrent.futures import ProcessPoolExecutor; return ProcessPoolExecutor().submit(os.getpid).result()',
  'starts a thread': 'import threading; threading.Thread(target=print).start()',
  'starts a thread below that': 'import _thread; return _thread.start_new_thread(print, ())',
  'kills its parent': 'os.kill(os.getppid(), 9)',
  'kills the first process': 'os.kill(1, 9)',
  'kills all': 'os.kill(-1, 9)',
  'kills its group': 'os.killpg(0, 9)',
  'becomes another user': 'os.setuid(1); return os.getuid() == 1 and os.fork()',
  'changes its root': 'os.chroot("/tmp"); return os.fork()',
  'lifts a limit': 'import resource; resource.setrlimit(resource.RLIMIT_NPROC, (9999, 9999))',
  'traces a process': 'import ctypes; return ctypes.CDLL("libc.so.6").ptrace(0, 0, 0, 0)',
  'loads a library of the machine': 'import ctypes; return ctypes.CDLL("/lib/x86_64-linux-gnu/libc.so.6")',
  'loads a library that it has written':
    'import ctypes; open("a.so", "wb").write(b"\\x7fELF" + bytes(100)); return ctypes.CDLL("/workspace/a.so")',
  'runs a command of C': 'import ctypes; s = ctypes.CDLL(None).system(b"id"); assert s in (0, 1); return os.fork()',
};

/** Attempts that may do as they please, since nothing of it leaves Python. */
export const harmless: Record<string, string> = {
  'writes over the users': 'os.makedirs("/etc", exist_ok=True); open("/etc/passwd", "w").write("root::0:0::/:/bin/sh")',
  'makes the outer folder and writes there':
    'os.makedirs(OUTSIDE, exist_ok=True); open(OUTSIDE + "/secret.txt", "w").write("changed")',
  'removes everything':
    'import shutil; shutil.rmtree(OUTSIDE, ignore_errors=True); shutil.rmtree("/home", ignore_errors=True)',
  'extracts an archive that leads out': `
import io, tarfile, zipfile
with zipfile.ZipFile("evil.zip", "w") as z: z.writestr("../../../.." + OUTSIDE + "/zip.txt", "x")
zipfile.ZipFile("evil.zip").extractall()
data = io.BytesIO()
with tarfile.open(fileobj=data, mode="w") as t:
    link = tarfile.TarInfo("tar"); link.type = tarfile.SYMTYPE; link.linkname = OUTSIDE; t.addfile(link)
data.seek(0); tarfile.open(fileobj=data).extractall(filter="fully_trusted")
import shutil
os.remove("evil.zip"); os.remove("tar"); shutil.rmtree(OUTSIDE.split("/")[1])`,
  'sends itself a signal': 'import signal; signal.signal(signal.SIGUSR1, print); signal.raise_signal(signal.SIGUSR1)',
  'sets an alarm': 'import signal; signal.alarm(1)',
  'runs a command in vain': 'return os.system("touch " + OUTSIDE + "/system.txt")',
  'closes what it writes to': 'os.close(os.dup(1)); os.dup2(os.open("/dev/null", os.O_WRONLY), 9)',
  'says what the process says': 'print(json.dumps({"end": "done"}), {"snapshot": b""}, chr(0), chr(27) + "[2J")',
  'takes other classes for its own': 'sys.modules["json"] = sys; del sys.modules["json"]',
  'makes a name with a line break': 'open("a\\n/../b" if False else "a\\nb", "w").close(); os.remove("a\\nb")',
  'names a file like a prototype': 'open("constructor", "w").close(); os.remove("constructor")',
  'hides in a hook of the end': 'import atexit; atexit.register(lambda: os.fork()); sys.excepthook = print',
};

/** Programs that never end. */
export const endless: Record<string, string> = {
  'computes for ever': 'while True: pass',
  'computes for ever in C': '10 ** 10 ** 10',
  'matches for ever': 'import re; re.match(r"(a+)+$", "a" * 60 + "b")',
  sleeps: 'import time; time.sleep(10_000)',
  'waits for what never comes': 'import asyncio; await asyncio.Event().wait()',
  'catches everything that ends it': 'while True:\n    try:\n        while True: pass\n    except BaseException: pass',
  'ignores signals': 'import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass',
  'prints for ever': 'while True: print("x" * 1000)',
  'prints for ever without a line': 'import sys\nwhile True: sys.stderr.write("é")',
};

/** Programs that need more and more, or end what runs them. */
export const ruinous: Record<string, string> = {
  'fills the memory': 'x = []\nwhile True: x.append(bytearray(50_000_000))',
  'fills the memory with objects': 'x = []\nwhile True: x += [bytes(500) for _ in range(10_000)]',
  'fills the memory with files': 'n = 0\nwhile True:\n    n += 1\n    open(f"/tmp/{n}", "wb").write(bytes(20_000_000))',
  'fills one file': 'with open("large", "wb") as file:\n    while True: file.write(bytes(100_000_000))',
  'fills the memory of JavaScript':
    'from pyodide.ffi import to_js\nx = [to_js([0] * 1_000_000)]\nwhile True: x.append(x[0].slice())',
  'fills it outside of all objects':
    'from pyodide.ffi import to_js\nx = []\nwhile True: x.append(to_js(bytes(100_000_000)))',
  'ends the interpreter': 'import os; os._exit(0)',
  aborts: 'import os; os.abort()',
  'reads at no address': 'import ctypes; ctypes.string_at(0xfffffff0, 100)',
  'calls a function that is none': 'import ctypes; ctypes.CFUNCTYPE(ctypes.c_int)(12345678)()',
  'recurses in C':
    'import sys\nsys.setrecursionlimit(10 ** 9)\nclass A:\n    def __repr__(self): return repr(self)\nrepr(A())',
  'recurses in a parser': 'import ast; ast.parse("-" * 10_000_000 + "1")',
  'forges the outcome': 'import json\njson.dumps.__code__ = (lambda value: "forged").__code__',
  'forges an outcome of another kind': 'import json\njson.dumps.__code__ = (lambda value: "null").__code__',
};
