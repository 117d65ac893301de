/** How many characters of a property are shown. */
const maxChars = 300;

/**
 * What a file says of itself besides its text, as the line behind it: `[properties: title Plan; author Ada]`.
 *
 * @returns empty if it says nothing
 */
export function propertiesText(found: Array<[label: string, value: unknown]>): string {
  const said = found.flatMap(([label, value]) => {
    const text = typeof value === 'string' ? value.replaceAll(/[\p{C}\s]+/gu, ' ').trim() : '';
    return text === '' ? [] : [`${label} ${text.slice(0, maxChars).toWellFormed()}`];
  });
  return said.length === 0 ? '' : `[properties: ${said.join('; ')}]`;
}
