import { UnknownKeyError, type Keys } from '../encryption/keys.ts';
import type { Store } from './store.ts';

/** How the names of secrets begin that record which keys have sealed content. */
const keyName = 'encryption key ';

/**
 * Records the key that seals a store's new content. @returns a sentence for a person if keys of earlier content are missing
 * @throws `UnknownKeyError` where the store is sealed and there is no key at all: what is added would be plain
 */
export async function checkStoreKeys(store: Store, keys: Keys): Promise<string | undefined> {
  const names = await store.secretNames();
  const recorded = names.filter((name) => name.startsWith(keyName)).map((name) => name.slice(keyName.length));
  const missing = recorded.filter((id) => !keys.ids.includes(id));
  if (!keys.on && missing.length > 0) throw new UnknownKeyError(missing.join(', '), []);
  const [own] = keys.ids;
  if (own !== undefined) await store.secret(`${keyName}${own}`);
  if (missing.length === 0) return undefined;
  return (
    `The store has content that is encrypted with ${missing.join(', ')}, which REPRISE_ENCRYPTION_KEY does not have; ` +
    'runs that need it fail until the key is added'
  );
}
