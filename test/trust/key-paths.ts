import type { z } from 'zod';
import type { Privilege } from '../../src/config/privileges.ts';
import { formOf } from '../../src/trust/violations.ts';

/** A key whose value may reach something, or that ends its branch, with its privilege; undefined if it has none. */
export interface KeyPath {
  path: string;
  privilege: Privilege | undefined;
}

/** All such keys of a schema. A list is written `[]`. */
export function keyPaths(schema: z.ZodType, path = '', above?: Privilege): KeyPath[] {
  const { each, keys, privilege } = formOf(schema);
  const covering = privilege ?? above;
  const below = [
    ...Object.entries(keys ?? {}).flatMap(([key, part]) =>
      keyPaths(part, path === '' ? key : `${path}.${key}`, covering),
    ),
    ...(each === undefined ? [] : keyPaths(each, `${path}[]`, covering)),
  ];
  const isOwn = privilege !== undefined || (below.length === 0 && keys === undefined && above === undefined);
  return [...(isOwn ? [{ path, privilege }] : []), ...below];
}
