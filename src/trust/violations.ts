import { z } from 'zod';
import { kindOf } from '../config/modules.ts';
import type { Privilege } from '../config/privileges.ts';
import type { Policy } from './policy.ts';
import { rules, type Refused } from './rules.ts';
import { anyConfigSchema } from './schemas.ts';

export interface Violation extends Refused {
  path: PropertyKey[];
}

/** What a schema says of a value: what it may reach, the keys of a mapping, and what is in a list or a free mapping. */
export interface Form {
  privilege?: Privilege;
  keys?: Record<string, z.ZodType>;
  each?: z.ZodType;
}

/** The part of zod's internal definitions that `formOf` reads. */
interface Definition {
  innerType?: z.ZodType;
  in?: z.ZodType;
  options?: z.ZodType[];
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  valueType?: z.ZodType;
}

/** Looks through what wraps a schema. The outermost privilege counts, and of several forms every key is known. */
export function formOf(schema: z.ZodType): Form {
  const { element, in: written, innerType, options, shape, valueType } = schema.def as Definition;
  const inner = innerType ?? written;
  const forms = (inner === undefined ? (options ?? []) : [inner]).map(formOf);
  const each = element ?? valueType ?? forms.find((form) => form.each !== undefined)?.each;
  const keys = shape ?? (forms.some((form) => form.keys) && Object.assign({}, ...forms.map((form) => form.keys)));
  const own = z.globalRegistry.get(schema)?.['privilege'] as Privilege | undefined;
  const privilege = own ?? (inner === undefined ? undefined : forms[0]?.privilege);
  return { ...(privilege && { privilege }), ...(keys && { keys }), ...(each && { each }) };
}

const unclassified: Refused = { what: 'have this key' };

/** Everything in a value that reaches beyond what the policy allows. A key that its schema says nothing of is refused. */
export function violations(schema: z.ZodType, value: unknown, policy: Policy, path: PropertyKey[] = []): Violation[] {
  return visit(schema, { value, beside: {}, path, given: {}, isCovered: false }, policy);
}

interface Place {
  value: unknown;
  beside: Record<string, unknown>;
  path: PropertyKey[];
  /** What the rules see in a mapping beside its keys: the type of a module's backend. */
  given: object;
  /** Whether a privilege above holds for what has none of its own. */
  isCovered: boolean;
}

function visit(schema: z.ZodType, place: Place, policy: Policy): Violation[] {
  const { beside, given, isCovered, path, value } = place;
  const { each, keys, privilege } = formOf(schema);
  if (privilege === 'configuration') return visit(anyConfigSchema, place, policy);
  if (privilege === 'moduleConfig') {
    // That of a user's own module goes with its path, which is refused by itself.
    const kind = typeof beside['module'] === 'string' ? kindOf(beside['module']) : undefined;
    return kind === undefined
      ? []
      : visit(kind.schema, { ...place, given: kind.type ? { type: kind.type } : {} }, policy);
  }
  const isLeaf = each === undefined && keys === undefined;
  if (privilege === undefined && isLeaf && !isCovered) return [{ ...unclassified, path }];
  const refused = privilege === undefined || privilege === 'none' ? undefined : rules[privilege](value, beside, policy);
  const own = refused === undefined ? [] : [{ ...refused, path }];
  if (typeof value !== 'object' || value === null || isLeaf) return own;
  const shown = { ...value, ...given };
  const entries: Array<[PropertyKey, unknown]> = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  const below = entries.flatMap(([key, part]) => {
    const at = { value: part, path: [...path, key], given: {}, isCovered: isCovered || privilege !== undefined };
    if (each !== undefined) return visit(each, { ...at, beside: {} }, policy);
    const known = keys !== undefined && Object.hasOwn(keys, key) ? keys[String(key)] : undefined;
    return known === undefined ? [{ ...unclassified, path: at.path }] : visit(known, { ...at, beside: shown }, policy);
  });
  return [...own, ...below];
}
