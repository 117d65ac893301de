/**
 * Loaded by `--import` into a process that measures another checkout: whatever is imported from this checkout's `src` comes
 * from the one that `OTHER_CHECKOUT` names, and all packages come from its `node_modules`. The code that measures stays this
 * checkout's, so that both are measured alike, and nothing has to be written into the other.
 */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const here = new URL('..', import.meta.url).href;
const other = pathToFileURL(`${process.env['OTHER_CHECKOUT']}/`).href;

/** Code that measures has to share its packages with the code that is measured: Temporal's has one runtime in a process. */
const isPackage = (specifier: string): boolean => !/^(?:\.{0,2}\/|\w+:)/.test(specifier);

const inOther = (url: string): string => other + url.slice(here.length);

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    if (isPackage(specifier) && parentURL?.startsWith(here))
      return next(specifier, { ...context, parentURL: inOther(parentURL) });
    const found = next(specifier, context);
    return found.url.startsWith(`${here}src/`) ? next(inOther(found.url), context) : found;
  },
});
