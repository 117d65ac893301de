/** Whether a text says anything: signs alone do not. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** The first JSON object in a text, fenced or among other words; undefined: there is none. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  const fenced = /```(?:json)?\s*\n([^]*?)\n\s*```/.exec(text)?.[1];
  const from = text.indexOf('{');
  const until = text.lastIndexOf('}');
  const whole = from === -1 || until < from ? undefined : text.slice(from, until + 1);
  for (const candidate of [fenced, whole]) {
    if (candidate === undefined) continue;
    try {
      const value: unknown = JSON.parse(candidate);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // Braces that are no JSON.
    }
  }
  return undefined;
}
