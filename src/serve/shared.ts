import type { Reprise } from '../client.ts';
import { coalesced } from '../util/coalesced.ts';

/**
 * Asks once for all who come at the same time. What asks all runs is to be asked so: whoever may read them would else keep their
 * workers, and Temporal, from everything else.
 */
export function shared<T>(ask: (reprise: Reprise) => Promise<T>): (reprise: Reprise) => Promise<T> {
  const looks = new WeakMap<Reprise, () => Promise<T>>();
  return (reprise) => {
    const present = looks.get(reprise) ?? coalesced(() => ask(reprise));
    looks.set(reprise, present);
    return present();
  };
}
