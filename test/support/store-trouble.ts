import type { Store } from '../../src/store/store.ts';

/** An error as SQLite gives it. @param errcode its result code, see https://sqlite.org/rescode.html */
export function sqliteError(errcode: number): Error {
  return Object.assign(new Error(`SQLite says ${errcode}`), { code: 'ERR_SQLITE_ERROR', errcode });
}

/** The same store, of which one operation fails as often as there are errors, the first one first. */
export function failing(store: Store, operation: keyof Store, errors: Error[]): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      if (name === 'rates' || name === 'liveTexts') return target[name];
      const method = target[name].bind(target) as (...values: unknown[]) => Promise<unknown>;
      if (name !== operation) return method;
      return async (...values: unknown[]) => {
        const error = errors.shift();
        if (error !== undefined) throw error;
        return method(...values);
      };
    },
  });
}
