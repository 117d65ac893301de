import { parse } from 'node:path';

/** The name by which agents know a file: the last part of its path, on one line. Undefined if nothing is left of it. */
export function plainName(path: string): string | undefined {
  const last = path.split(/[/\\]/).at(-1) ?? '';
  const line = last.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  if (/^\.{0,2}$/.test(line)) return undefined;
  const { name, ext } = parse(line);
  return line.length <= 120 ? line : `${name.slice(0, 120 - ext.length)}${ext.slice(0, 120)}`;
}

/** Numbers names that come again, as files: `a.csv`, `a-2.csv`. Names that differ only in letter case count as equal. */
export function uniqueNames(names: string[], again = fileAgain): string[] {
  const taken = new Set<string>();
  return names.map((given) => {
    let unique = given;
    for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = again(given, number);
    taken.add(unique.toLowerCase());
    return unique;
  });
}

function fileAgain(given: string, number: number): string {
  const { name, ext } = parse(given);
  return `${name}-${number}${ext}`;
}
