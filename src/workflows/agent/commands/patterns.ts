/** Whether a text is what the pattern says, in which `*` stands for any characters, none included. */
export function fits(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

const upward = /(?<=^|[/\\])(?:\.|%2e)(?:(?:\.|%2e)(?=[/\\]|$)|[*?[])/gi;

/** The steps upwards in a path or an address, also those that a name of files may stand for. */
export const upwards = (path: string): number => path.match(upward)?.length ?? 0;

/** Whether a path leads out of the folder in which a pattern has its first wildcard. */
export const leadsOut = (pattern: string, path: string): boolean => {
  const [begun = '', ...more] = pattern.split('*');
  return more.length > 0 && begun.includes('/') && upwards(path) > upwards(begun);
};
