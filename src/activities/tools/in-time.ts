import { createContext, Script } from 'node:vm';

const longestMs = 1000;

const place: { work?: () => unknown } = createContext({});
const script = new Script('work()');

/** A pattern of somebody else may take for ever, and only a script can be ended. @returns undefined when late */
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
