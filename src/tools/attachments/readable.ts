/** What could be read of a file, and a note on what is wrong with the rest. */
export interface Readable {
  text?: string;
  note?: string;
}

/** What is to be said of a file as its note, if anything is. What does not apply is empty, false or undefined. */
export function noted(said: ReadonlyArray<string | false | undefined>): Pick<Readable, 'note'> {
  const note = said.filter(Boolean).join('; ');
  return note === '' ? {} : { note };
}
