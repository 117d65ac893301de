/** The hues, and where they begin, in degrees. */
const hues = ['red', 'orange', 'yellow', 'green', 'turquoise', 'blue', 'purple', 'pink', 'red'];
const begins = [0, 15, 47, 70, 165, 195, 255, 315, 345];

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
  const name = hues[begins.findLastIndex((from) => shifted >= from)];
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

/** The colours that have numbers, from 8 on (ECMA-376, 18.8.27). Those before repeat the first ones. */
const numbered = (
  '000000 FFFFFF FF0000 00FF00 0000FF FFFF00 FF00FF 00FFFF 800000 008000 000080 808000 800080 008080 C0C0C0 808080 ' +
  '9999FF 993366 FFFFCC CCFFFF 660066 FF8080 0066CC CCCCFF 000080 FF00FF FFFF00 00FFFF 800080 800000 008080 0000FF ' +
  '00CCFF CCFFFF CCFFCC FFFF99 99CCFF FF99CC CC99FF FFCC99 3366FF 33CCCC 99CC00 FFCC00 FF9900 FF6600 666699 969696 ' +
  '003366 339966 003300 333300 993300 993366 333399 333333'
).split(' ');

/** Styles of a workbook that say colours themselves, of which the library knows the numbers only in .xls and .xlsb. */
export function withoutNumbers(styles: string): string {
  const own = [...styles.matchAll(/rgbColor rgb="\w\w(\w{6})"/g)].map(([, rgb]) => rgb);
  return styles.replaceAll(/(fgColor [^>]*?)indexed="(\d+)"/g, (_, before: string, digits: string) => {
    const number = Number(digits);
    const rgb = own[number] ?? numbered[number < 8 ? number : number - 8];
    return rgb === undefined ? before : `${before}rgb="FF${rgb}"`;
  });
}
