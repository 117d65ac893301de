/** The hues by where they begin, in degrees. */
const hues: Array<[from: number, name: string]> = [
  [345, 'red'],
  [315, 'pink'],
  [255, 'purple'],
  [195, 'blue'],
  [165, 'turquoise'],
  [70, 'green'],
  [47, 'yellow'],
  [15, 'orange'],
  [0, 'red'],
];

/** A colour in a word. @param rgb six hexadecimal digits @returns undefined for white, which is what cells have without one */
export function colourName(rgb: string): string | undefined {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => Number.parseInt(rgb.slice(at, at + 2), 16) / 255);
  const [low, high] = [Math.min(red, green, blue), Math.max(red, green, blue)];
  const range = high - low;
  if (low > 0.98) return undefined;
  if (range < 0.06) return high < 0.15 ? 'black' : 'gray';
  const sector =
    high === red ? (green - blue) / range + 6 : high === green ? (blue - red) / range + 2 : (red - green) / range + 4;
  const hue = (sector * 60) % 360;
  // The pale yellows of spreadsheets have a hue that would be orange if it were strong.
  const shifted = low > 0.6 && hue >= 40 && hue < 47 ? 47 : hue;
  const name = hues.find(([from]) => shifted >= from)?.[1];
  return name === 'orange' && high < 0.7 ? 'brown' : name;
}

/** Names for the colours that a workbook has. Shades that share a name have their digits behind it: `yellow FFF2CC`. */
export function colourNames(shades: Iterable<string>): Map<string, string> {
  const named = [...new Set(shades)].flatMap((rgb) => {
    const name = colourName(rgb);
    return name === undefined ? [] : [[rgb, name] as const];
  });
  const isShared = (name: string): boolean => named.filter(([, each]) => each === name).length > 1;
  return new Map(named.map(([rgb, name]) => [rgb, isShared(name) ? `${name} ${rgb}` : name]));
}
