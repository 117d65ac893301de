import type { CallToolResult } from '../protocol/tools/tool.ts';
import type { Store } from '../store/store.ts';
import { recordAttributes } from '../telemetry/calls.ts';
import { hashOf } from '../util/ids.ts';
import { cancellable } from './cancellable.ts';
import { presentKey } from './model.ts';

/**
 * From the journal if an earlier attempt has it there, else new, and journalled before the activity completes.
 * @param input tells whether the result is of the same call
 */
export async function journalled(
  store: Store,
  input: object,
  make: (key: string) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const key = presentKey();
  const inputHash = hashOf(JSON.stringify(input));
  const known = await store.findToolResult(key, inputHash);
  if (known !== undefined) {
    recordAttributes({ journalHit: true });
    return known;
  }
  const result = await make(key);
  return cancellable(async () => store.commitToolResult(key, inputHash, result));
}
