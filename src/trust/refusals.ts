import type { Policy } from './policy.ts';
import type { Refused, Rule } from './rules.ts';

/** What a key reaches beyond the worker's own configuration: programs, modules, addresses, keys, files. */
export type Reach = 'commands' | 'modules' | 'hosts' | 'keys' | 'files';

/** A key of an input or of a configuration, and those below it. */
export interface Entry {
  /** Absent: whatever the value is, it reaches nothing. */
  reach?: Reach;
  rule?: Rule;
  keys?: Record<string, Entry>;
  /** The entries of a list, or of a mapping whose keys are names of the author's choice. */
  each?: Entry;
  /** What is below the key, by what stands beside it. */
  choose?: (beside: Record<string, unknown>) => Entry;
  /** The mapping as its keys' rules see it. */
  seen?: (value: Record<string, unknown>) => Record<string, unknown>;
}

/** A value that is refused, and where it stands. */
export interface Refusal extends Refused {
  path: PropertyKey[];
}

const unclassified: Refused = { what: 'have this key' };

/** Everything in a value that reaches beyond what the policy allows. */
export function refusals(entry: Entry, value: unknown, policy: Policy, path: PropertyKey[] = []): Refusal[] {
  return visit(entry, value, {}, policy, path);
}

function visit(
  entry: Entry,
  value: unknown,
  beside: Record<string, unknown>,
  policy: Policy,
  path: PropertyKey[],
): Refusal[] {
  const chosen = entry.choose === undefined ? entry : entry.choose(beside);
  const refused = chosen.rule?.(value, beside, policy);
  const own = refused === undefined ? [] : [{ ...refused, path }];
  if (typeof value !== 'object' || value === null) return own;
  const { each, keys, seen } = chosen;
  if (each !== undefined) {
    const entries: Array<[PropertyKey, unknown]> = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    return [...own, ...entries.flatMap(([key, part]) => visit(each, part, {}, policy, [...path, key]))];
  }
  if (keys === undefined) return own;
  const mapped = value as Record<string, unknown>;
  const shown = seen?.(mapped) ?? mapped;
  const below = Object.entries(mapped).flatMap(([key, part]) => {
    const place = [...path, key];
    const found = Object.hasOwn(keys, key) ? keys[key] : undefined;
    return found === undefined ? [{ ...unclassified, path: place }] : visit(found, part, shown, policy, place);
  });
  return [...own, ...below];
}
