import type { Store } from '../store/store.ts';
import type { Metrics } from './metrics.ts';

/** A store that records how long its operations take, and which of them fail. */
export function timedStore(store: Store, metrics: Metrics): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      return async (...given: unknown[]) => {
        const began = performance.now();
        const tags = { 'reprise.store.operation': name };
        try {
          const result: unknown = await member.apply(target, given);
          metrics.record('reprise.store.duration', (performance.now() - began) / 1000, tags);
          return result;
        } catch (error) {
          const failed = { ...tags, 'error.type': (error as { code?: string }).code ?? (error as Error).name };
          metrics.record('reprise.store.duration', (performance.now() - began) / 1000, failed);
          throw error;
        }
      };
    },
  });
}
