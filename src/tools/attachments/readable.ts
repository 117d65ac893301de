/** What could be read of a file, and a note on what is wrong with the rest. */
export interface Readable {
  text?: string;
  note?: string;
}

/** A file whose bytes tell what it has, and as which type. */
export interface TypedBytes {
  bytes: Uint8Array;
  mediaType: string;
}

/** What is to be said of a file as its note, if anything is. What does not apply is empty, false or undefined. */
export function noted(said: ReadonlyArray<string | false | undefined>): Pick<Readable, 'note'> {
  const note = said.filter(Boolean).join('; ');
  return note === '' ? {} : { note };
}

/** What a file says of itself, as the line behind its text: `[properties: title Plan; author Ada]`; empty if nothing. */
export function propertiesText(found: Array<[label: string, value: unknown]>): string {
  const said = found.flatMap(([label, value]) => {
    const text = typeof value === 'string' ? value.replaceAll(/[\p{C}\s]+/gu, ' ').trim() : '';
    return text === '' ? [] : [`${label} ${text.slice(0, 300).toWellFormed()}`];
  });
  return said.length === 0 ? '' : `[properties: ${said.join('; ')}]`;
}
