/** What a camera or a program says of a picture (Exif 2.32). */
interface Exif {
  /** How it is to be turned; 1 for a picture that is upright. */
  orientation: number;
  /** In words: `taken 2021:06:07 08:09:10; description Pier 9`; empty if it says nothing. */
  said: string;
}

const tags: Readonly<Record<number, string>> = {
  0x010e: 'description',
  0x010f: 'camera',
  0x0110: 'model',
  0x0132: 'changed',
  0x013b: 'artist',
  0x8298: 'copyright',
  0x9003: 'taken',
};
const [orientationTag, cameraTag, gpsTag] = [0x0112, 0x8769, 0x8825];

const maxChars = 200;
const mostEntries = 200;
/** In bytes, by the types of values: texts, numbers of two and of four bytes, fractions. */
const sizes: Readonly<Record<number, number>> = { 2: 1, 3: 2, 4: 4, 5: 8 };

type Entries = ReadonlyMap<number, number[] | string>;

/** What a picture says of itself. Never throws. */
export function exifOf(bytes: Buffer, mediaType: string): Exif {
  const marks = ['Exif\0\0II*\0', 'Exif\0\0MM\0*'].map((mark) => bytes.indexOf(mark, 0, 'latin1'));
  const mark = marks.find((at) => at !== -1);
  const start = mediaType === 'image/tiff' ? 0 : mark === undefined ? undefined : mark + 6;
  if (start === undefined) return { orientation: 1, said: '' };
  const tiff = bytes.subarray(start);
  const whole = entriesOf(tiff, numberAt(tiff, 4, 4));
  const led = (tag: number): Entries => entriesOf(tiff, Number(whole.get(tag)?.[0] ?? NaN));
  const place = placeOf(led(gpsTag));
  const said = [...new Map([...whole, ...led(cameraTag)])].flatMap(([tag, value]) =>
    tags[tag] === undefined || typeof value !== 'string' || value === '' ? [] : [`${tags[tag]} ${value}`],
  );
  if (place !== '') said.push(`place ${place}`);
  return { orientation: Number(whole.get(orientationTag)?.[0] ?? 1), said: said.join('; ') };
}

/** A number at a place; NaN beyond the end. */
function numberAt(tiff: Buffer, at: number, length: 2 | 4): number {
  if (!(at >= 0) || at + length > tiff.length) return NaN;
  return tiff[0] === 0x49 ? tiff.readUIntLE(at, length) : tiff.readUIntBE(at, length);
}

function entriesOf(tiff: Buffer, at: number): Entries {
  const found = new Map<number, number[] | string>();
  const count = Math.min(mostEntries, numberAt(tiff, at, 2) || 0);
  for (let entry = at + 2; entry < at + 2 + 12 * count; entry += 12) {
    const [tag, type, length] = [numberAt(tiff, entry, 2), numberAt(tiff, entry + 2, 2), numberAt(tiff, entry + 4, 4)];
    const size = (sizes[type] ?? NaN) * length;
    const value = size <= 4 ? entry + 8 : numberAt(tiff, entry + 8, 4);
    if (!(value + size <= tiff.length)) continue;
    if (type === 2) {
      const text = tiff.toString('utf8', value, value + Math.min(size, maxChars));
      found.set(tag, text.replaceAll(/[\p{C}\s]+/gu, ' ').trim());
    } else if (length <= 3)
      found.set(
        tag,
        Array.from({ length }, (_, index) => valueAt(tiff, value, type, index)),
      );
  }
  return found;
}

function valueAt(tiff: Buffer, at: number, type: number, index: number): number {
  if (type === 3) return numberAt(tiff, at + 2 * index, 2);
  const whole = numberAt(tiff, at + (type === 5 ? 8 : 4) * index, 4);
  return type === 5 ? whole / numberAt(tiff, at + 8 * index + 4, 4) : whole;
}

/** Where it was taken, in degrees: `59.9 N, 10.75 E`. */
function placeOf(gps: Entries): string {
  const sides = [1, 3].map((tag) => {
    const value = gps.get(tag + 1);
    const [degrees = NaN, minutes = 0, seconds = 0] = typeof value === 'string' ? [] : (value ?? []);
    return `${Number((degrees + minutes / 60 + seconds / 3600).toFixed(5))} ${String(gps.get(tag))}`;
  });
  return sides.some((side) => /NaN|undefined/.test(side)) ? '' : sides.join(', ');
}
