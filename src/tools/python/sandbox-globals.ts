/** What a sandbox gets from outside. Only numbers, texts and bytes are passed, since any object would be a way out. */
export interface HostBridge {
  /** A part of Pyodide by name; undefined once code of others may run. */
  part: (name: string) => Uint8Array | undefined;
  /** So many random bytes, in Base64. */
  random: (bytes: number) => string;
  later: (callback: () => void, ms: number) => number;
  never: (timer: number) => void;
  decode: (bytes: Uint8Array, encoding: string) => string;
  now: () => number;
  print: (bytes: Uint8Array) => void;
  /** Takes a file of the folder, as the code has left it. A `mode` that is undefined says that it cannot be kept. */
  found: (path: string, mode: 'file' | 'executable' | 'link' | undefined, content: Uint8Array | string) => void;
  gone: (path: string) => void;
  end: (outcome: string) => void;
}

/** What can be done with a sandbox. Nothing is returned, since what comes out of it comes through `HostBridge`. */
export interface SandboxGlobals {
  /** @param load Pyodide's, as it was evaluated in the sandbox @param warmUp Python to run where there is no snapshot */
  load: (
    load: unknown,
    lock: string,
    snapshot: Uint8Array | undefined,
    warmUp: string,
    loaded: (problem?: string, snapshot?: Uint8Array) => void,
  ) => void;
  /** Makes a file with a whole path. @param mode `executable`, `readOnly`, or anything else for an ordinary one */
  put: (path: string, bytes: Uint8Array, mode: string) => void;
  /** Runs a text of Python, whose last value is JSON. */
  run: (text: string, code: string) => void;
  look: (folder: string) => void;
}

type MemoryNode = Record<'mode' | 'usedBytes' | 'atime' | 'mtime' | 'ctime', number> &
  Record<'contents' | 'link', unknown>;

interface MemoryFiles {
  mkdirTree(path: string): void;
  writeFile(path: string, bytes: Uint8Array, options: { canOwn: boolean }): void;
  chdir(path: string): void;
  readdir(path: string): string[];
  lookupPath(path: string, options: { follow: boolean }): { node: MemoryNode };
}

interface Pyodide {
  _api: { on_fatal?: (error: unknown) => void };
  FS: MemoryFiles;
  runPython(text: string): unknown;
  toPy(value: unknown): unknown;
  runPythonAsync(text: string, options: { globals: unknown }): Promise<unknown>;
  unregisterJsModule(name: string): void;
  setStdin(options: { stdin(): null }): void;
  setStdout(options: { write(bytes: Uint8Array): number }): void;
  setStderr(options: { write(bytes: Uint8Array): number }): void;
  makeMemorySnapshot(): Uint8Array;
}

/**
 * Makes the global scope in which it is evaluated one in which Pyodide can be loaded, and nothing more. It takes it for a
 * JavaScript shell without any system, the poorest of those that it knows. This function is evaluated as a text, so that it
 * refers to nothing of its module.
 */
export function makeGlobals(outside: HostBridge): SandboxGlobals {
  const { part, random, later, never, decode, now, print, found, gone, end } = outside;
  const scope = globalThis as unknown as Record<string, unknown>;
  const language = Object.getOwnPropertyNames(scope).filter((name) => name !== 'globalThis');
  const nothing = (): undefined => undefined;
  const copied = (bytes: Uint8Array): Uint8Array => {
    const own = new Uint8Array(bytes.length);
    own.set(bytes);
    return own;
  };

  scope['read'] = scope['load'] = nothing;
  scope['readbuffer'] = (path: unknown): ArrayBufferLike | undefined => {
    const bytes = part(String(path).slice(String(path).lastIndexOf('/') + 1));
    return bytes && copied(bytes).buffer;
  };
  // Pyodide has the system's random bytes from a command there, whose only number says how many.
  scope['os'] = { system: (_: string, [, command]: string[]) => random(Number(/\d+/.exec(`${command}`)?.[0])) };
  scope['console'] = { log: nothing, warn: nothing, error: nothing, info: nothing, debug: nothing };
  scope['performance'] = { now: () => now() };
  scope['setTimeout'] = (callback: () => void, ms: unknown) => later(() => callback(), Number(ms) || 0);
  scope['clearTimeout'] = (timer: unknown) => never(Number(timer));
  scope['TextDecoder'] = class {
    readonly #encoding: string;
    constructor(encoding: unknown = 'utf-8') {
      this.#encoding = String(encoding);
    }
    decode(bytes = new Uint8Array(0)): string {
      return decode(bytes, this.#encoding);
    }
  };
  scope['TextEncoder'] = class {
    encode(text: string): Uint8Array {
      // Percent escapes are of UTF-8.
      const escaped = encodeURIComponent(text).matchAll(/%(..)|(.)/g);
      return Uint8Array.from(escaped, ([, code, character = '']) =>
        code === undefined ? character.charCodeAt(0) : parseInt(code, 16),
      );
    }
    encodeInto(text: string, target: Uint8Array): { written: number } {
      const bytes = this.encode(text);
      target.set(bytes);
      return { written: bytes.length };
    }
  };

  let python: Pyodide;
  /** What a file was when it was made, by its path. The time is one that no change leaves. */
  const before = new Map<string, { node: MemoryNode; contents: unknown; bytes: number; mode: number }>();
  const made = 946_684_800_000;

  const isThere = (path: string): boolean => {
    try {
      return (python.FS.lookupPath(path, { follow: false }).node.mode & 0o170000) !== 0o040000;
    } catch {
      return false;
    }
  };

  /** Makes the language unchangeable, so that no code can put itself between the sandbox and what it gets from outside. */
  const harden = (): void => {
    // The stack frames that it is given would come from outside.
    for (const name of ['prepareStackTrace', 'captureStackTrace', 'prototype'] as const) {
      Object.defineProperty(Error, name, { value: Error[name], writable: false, configurable: false });
    }
    const frozen = new Set<unknown>();
    // Otherwise objects could not have properties of their own that are called as in these.
    for (const prototype of [Object.prototype, Error.prototype] as Array<Record<string, unknown>>) {
      for (const name of Object.getOwnPropertyNames(prototype)) {
        const { value, writable } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
        if (writable !== true) continue;
        Object.defineProperty(prototype, name, {
          get: () => value as unknown,
          set(this: object, own: unknown) {
            if (this === prototype) return;
            Object.defineProperty(this, name, { value: own, writable: true, enumerable: true, configurable: true });
          },
        });
      }
    }
    const freeze = (value: unknown): void => {
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null || frozen.has(value)) return;
      frozen.add(value);
      // Pyodide sets how many frames an error has.
      if (value === Error) Object.preventExtensions(value);
      else Object.freeze(value);
      freeze(Object.getPrototypeOf(value));
      for (const property of Object.values(Object.getOwnPropertyDescriptors(value))) {
        for (const each of Object.values(property)) freeze(each);
      }
    };
    const iterators = [[].values(), new Map().keys(), new Set().keys(), ''[Symbol.iterator](), ''.matchAll(/a/g)];
    const functions = [function* () {}, async function* () {}, async () => {}];
    for (const each of [...language.map((name) => scope[name]), ...iterators, ...functions]) freeze(each);
    for (const name of Object.getOwnPropertyNames(scope)) {
      if (name !== 'globalThis') Object.defineProperty(scope, name, { writable: false, configurable: false });
    }
  };

  return {
    load(load, lock, memory, warmUp, loaded) {
      const given = {
        indexURL: '/',
        lockFileContents: JSON.parse(lock),
        // What `import js` finds.
        jsglobals: Object.create(null),
        // Sets are in the same order in every run.
        env: { PYTHONHASHSEED: '0', PYTHONDONTWRITEBYTECODE: '1', MPLBACKEND: 'agg' },
        ...(memory === undefined ? { _makeSnapshot: true } : { _loadSnapshot: copied(memory) }),
      };
      (load as (options: object) => Promise<Pyodide>)(given).then(
        (it) => {
          python = it;
          for (const name of ['read', 'load', 'readbuffer']) delete scope[name];
          it.FS.mkdirTree('/workspace');
          if (memory === undefined) it.runPython(warmUp);
          return memory === undefined ? loaded(undefined, it.makeMemorySnapshot()) : loaded();
        },
        (error: unknown) => loaded(String(error)),
      );
    },
    put(path, bytes, mode) {
      const { FS } = python;
      FS.mkdirTree(path.slice(0, path.lastIndexOf('/')) || '/');
      FS.writeFile(path, copied(bytes), { canOwn: true });
      const { node } = FS.lookupPath(path, { follow: false });
      node.mode = 0o100000 + (mode === 'executable' ? 0o755 : mode === 'readOnly' ? 0o444 : 0o644);
      node.atime = node.mtime = node.ctime = made;
      before.set(path, { node, contents: node.contents, bytes: bytes.length, mode: node.mode });
    },
    run(text, code) {
      const write = (bytes: Uint8Array): number => {
        print(bytes);
        return bytes.length;
      };
      python.setStdin({ stdin: () => null });
      python.setStdout({ write });
      python.setStderr({ write });
      python.unregisterJsModule('pyodide_js');
      python.unregisterJsModule('js');
      harden();
      python.FS.chdir('/workspace');
      python['_api'].on_fatal = (error) => end(JSON.stringify({ broken: `Python broke: ${String(error)}` }));
      python.runPythonAsync(text, { globals: python.toPy({ source: code }) }).then(
        (outcome) => end(String(outcome)),
        (error: unknown) => end(JSON.stringify({ broken: `Python broke: ${String(error)}` })),
      );
    },
    look(folder) {
      const { FS } = python;
      // A path may be a file's where a folder was, which must go first.
      for (const path of before.keys()) if (path.startsWith(`${folder}/`) && !isThere(path)) gone(path);
      const visit = (path: string): void => {
        const { node } = FS.lookupPath(path, { follow: false });
        const kind = node.mode & 0o170000;
        if (kind === 0o040000) return visitAll(path);
        if (kind === 0o120000) return found(path, 'link', String(node.link));
        if (kind !== 0o100000) return found(path, undefined, '');
        const old = before.get(path);
        const isSame = old?.node === node && old.contents === node.contents && old.bytes === node.usedBytes;
        if (isSame && node.ctime === made && node.mode === old.mode) return;
        const content = (node.contents as Uint8Array).subarray(0, node.usedBytes);
        found(path, (node.mode & 0o111) === 0 ? 'file' : 'executable', content);
      };
      const visitAll = (place: string): void => {
        for (const name of FS.readdir(place)) {
          if (name !== '.' && name !== '..') visit(`${place}/${name}`);
        }
      };
      visitAll(folder);
    },
  };
}
