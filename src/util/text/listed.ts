/** Names with commas between them, and how many more there are than are shown: `a, b and 3 more`. */
export const listed = (names: ReadonlyArray<string | number>, most: number): string =>
  names.slice(0, most).join(', ') + (names.length > most ? ` and ${names.length - most} more` : '');
