import { randomBytes } from 'node:crypto';
import vm, { constants, createContext, runInContext, type Context } from 'node:vm';
import { makeGlobals, type HostBridge, type SandboxGlobals } from './sandbox-globals.ts';

/**
 * A global scope beside this one, in which there is the language, no Node, and no way to make code of a text. What runs in it
 * reaches nothing else as long as it gets no object from here, of which each leads to all others.
 */
export function openSandbox(outside: HostBridge): { context: Context; sandbox: SandboxGlobals } {
  const context = createContext(constants.DONT_CONTEXTIFY, { codeGeneration: { strings: false, wasm: true } });
  const make = runInContext(`(${makeGlobals.toString()})`, context) as typeof makeGlobals;
  return { context, sandbox: make(outside) };
}

/** Pyodide's `loadPyodide`, as a sandbox has evaluated it. @param text of a module; undefined if there is none, or no longer */
export async function pyodideIn(context: Context, text: (name: string) => string | undefined): Promise<unknown> {
  const known = new Map<string, vm.SourceTextModule>();
  const link = async (specifier: string): Promise<vm.SourceTextModule> => {
    const name = specifier.slice(specifier.lastIndexOf('/') + 1);
    const source = text(name);
    if (source === undefined) throw new Error(`there is no module ${name}`);
    const old = known.get(name);
    if (old !== undefined) return old;
    // Not imported by its name: it is there only where `--experimental-vm-modules` is, which the other functions here do not need.
    const module = new vm.SourceTextModule(source, {
      context,
      identifier: `/${name}`,
      initializeImportMeta: (meta) => void (meta.url = `/${name}`),
      importModuleDynamically: (wanted) => link(wanted),
    });
    known.set(name, module);
    await module.link(link);
    await module.evaluate();
    return module;
  };
  const { namespace } = await link('pyodide.mjs');
  return (namespace as { loadPyodide: unknown }).loadPyodide;
}

/**
 * What a sandbox gets, in a form that nobody inside can make use of: whatever the arguments are, nothing is thrown, since an
 * error of this side is an object of it, and what is returned is a number, a text, bytes or nothing.
 */
export function bridgeOf(handlers: Pick<HostBridge, 'part' | 'print' | 'found' | 'gone' | 'end'>): HostBridge {
  const { end, found, gone, part, print } = handlers;
  const timers = new Map<number, NodeJS.Timeout>();
  return {
    part: (name: unknown) => attempt(() => part(String(name))),
    // At most so many at once, as browsers have it.
    random: (bytes: unknown) => attempt(() => randomBytes(Math.min(Number(bytes), 65_536)).toString('base64')) ?? '',
    later: (callback, ms: unknown) =>
      attempt(() => {
        // What is longer than Node takes would be over at once.
        const wait = Math.min(Math.max(0, Number(ms) || 0), 2 ** 31 - 1);
        const timer = setTimeout(() => attempt(callback), wait);
        const id = Number(timer);
        timers.set(id, timer);
        return id;
      }) ?? 0,
    never: (id) =>
      attempt(() => {
        clearTimeout(timers.get(id));
        timers.delete(id);
      }),
    decode: (bytes, encoding) => attempt(() => new TextDecoder(encoding).decode(bytes)) ?? '',
    now: () => performance.now(),
    print: (bytes) => attempt(() => print(bytes)),
    found: (path, mode, content) => attempt(() => found(path, mode, content)),
    gone: (path) => attempt(() => gone(path)),
    end: (outcome) => attempt(() => end(outcome)),
  };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
