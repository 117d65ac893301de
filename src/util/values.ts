/** Whether a value is an object of keys and values, and neither a list nor null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a text is as JSON; undefined if it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What stands at a path of a value; undefined if there is nothing. */
export const at = (value: unknown, path: PropertyKey[]): unknown =>
  path.reduce<unknown>((place, key) => (place as Record<PropertyKey, unknown> | null | undefined)?.[key], value);
