import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Opens the store of a home folder to read texts from it, and changes nothing there.
 *
 * @returns undefined if there is no store that can be read
 */
export function openBlobs(home: string): { read: (id: string) => string | undefined; close: () => void } | undefined {
  const file = join(home, 'store.sqlite');
  if (!existsSync(file)) return undefined;
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
    const select = database.prepare('SELECT content FROM blobs WHERE id = ?');
    return {
      read: (id) => {
        const content = select.get(id)?.['content'] as string | Uint8Array | undefined;
        return typeof content === 'object' ? Buffer.from(content).toString() : content;
      },
      close: () => database.close(),
    };
  } catch {
    return undefined;
  }
}
