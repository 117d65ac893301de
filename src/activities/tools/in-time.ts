import { createContext, Script } from 'node:vm';

const longestMs = 1000;

const place: { work?: () => unknown } = createContext({});
const script = new Script('work()');

/**
 * Does what may take for ever: to match a text with a pattern that somebody else has written. Only a script can be ended while
 * it goes on, with whatever it has called.
 *
 * @returns undefined where it has taken too long
 */
export function inTime<T>(work: () => T): T | undefined {
  place.work = work;
  try {
    return script.runInContext(place, { timeout: longestMs }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  } finally {
    delete place.work;
  }
}
