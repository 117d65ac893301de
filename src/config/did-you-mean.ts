/** ` did you mean …?` with the choice that is nearest to a mistyped word; empty where none is near. */
export function didYouMean(word: string, choices: string[]): string {
  const [nearest] = choices
    .map((choice) => ({ choice, distance: distance(word.toLowerCase(), choice.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance);
  return nearest !== undefined && nearest.distance <= Math.max(2, word.length / 4)
    ? ` did you mean ${nearest.choice}?`
    : '';
}

/** Levenshtein distance: how many letters to change, add or leave out. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next[j] = Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
