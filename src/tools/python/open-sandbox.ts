import { constants, createContext, runInContext, SourceTextModule, type Context } from 'node:vm';
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

/**
 * Evaluates Pyodide's modules in a sandbox.
 *
 * @param text the text of a module by its name; undefined if there is none, or no longer
 * @returns its `loadPyodide`
 */
export async function pyodideIn(context: Context, text: (name: string) => string | undefined): Promise<unknown> {
  const known = new Map<string, SourceTextModule>();
  const link = async (specifier: string): Promise<SourceTextModule> => {
    const name = specifier.slice(specifier.lastIndexOf('/') + 1);
    const source = text(name);
    if (source === undefined) throw new Error(`there is no module ${name}`);
    const old = known.get(name);
    if (old !== undefined) return old;
    const module = new SourceTextModule(source, {
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
