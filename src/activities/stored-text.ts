import type { Text } from '../protocol/message.ts';
import type { Store } from '../store/store.ts';
import { blobRef } from '../workflows/agent/previews.ts';

/** Texts of at least so many characters are stored, so that later inputs can refer to them. */
const storedFrom = 400;

/** A text as results and prompts repeat it: by reference if it is long. */
export const storedIfLong = async (store: Store, text: string): Promise<Text> =>
  text.length < storedFrom ? text : blobRef(await store.putBlob(text), text);
