/** What is run before a snapshot is taken, so that it need not be imported each time. It must not import `random`. */
export const warmUp = `
import ast, importlib.abc, importlib.machinery, json, linecache, os, sys, traceback, zipfile
from pyodide.code import CodeRunner
`;

/**
 * The Python that runs an agent's `source`, as a REPL would: what it prints, then the value of its last expression. Its own
 * value is JSON: `{}`, or `{"problem": …}` with a traceback that has only the lines of the agent's own files. The first
 * import of a name that a wheel has unpacks it.
 */
export const runner = `${warmUp}

NAME = "code.py"
SITE = next(path for path in sys.path if path.endswith("site-packages"))

class Wheels(importlib.abc.MetaPathFinder):
    def __init__(self, folder):
        self.wheels = {}
        for each in sorted(os.listdir(folder)):
            path = f"{folder}/{each}"
            try:
                names = zipfile.ZipFile(path).namelist()
            except zipfile.BadZipFile:
                continue
            for name in {entry.split("/")[0].split(".")[0] for entry in names if ".dist-info/" not in entry}:
                self.wheels.setdefault(name, []).append(path)

    def find_spec(self, name, path=None, target=None):
        wheels = [] if path is not None else self.wheels.pop(name, [])
        for each in wheels:
            zipfile.ZipFile(each).extractall(SITE)
        if not wheels:
            return None
        importlib.invalidate_caches()
        return importlib.machinery.PathFinder.find_spec(name)

def is_own(filename):
    return filename == NAME or filename.startswith("/workspace/")

def shorten(error, seen):
    if error is None or id(error) in seen:
        return
    seen.add(id(error))
    error.stack = traceback.StackSummary.from_list([frame for frame in error.stack if is_own(frame.filename)])
    for other in [error.__cause__, error.__context__, *(error.exceptions or [])]:
        shorten(other, seen)

def problem_of(error):
    try:
        told = traceback.TracebackException.from_exception(error)
        shorten(told, set())
        return "".join(told.format()).rstrip()
    except BaseException:
        return type(error).__name__

async def run(source):
    for name in ("js", "pyodide_js"):
        sys.modules.pop(name, None)
    if os.path.isdir("/wheels"):
        sys.meta_path.append(Wheels("/wheels"))
    sys.path.insert(0, "/workspace")
    sys.stdout.reconfigure(line_buffering=True)
    linecache.cache[NAME] = (len(source), None, [line + "\\n" for line in source.split("\\n")], NAME)
    main = sys.modules["__main__"].__dict__
    try:
        value = await CodeRunner(source, filename=NAME, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT).compile().run_async(main)
        if value is not None:
            print(repr(value))
        return {}
    except SystemExit as exit:
        if exit.code is None or exit.code == 0:
            return {}
        return {"problem": f"SystemExit: {exit.code}"}
    except BaseException as error:
        return {"problem": problem_of(error)}
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except BaseException:
                pass

json.dumps(await run(source))
`;
