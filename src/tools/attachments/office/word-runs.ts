/** How a run of text in a .doc looks: the first byte of each property, by its number ([MS-DOC] 2.6). */
interface Run {
  from: number;
  properties: ReadonlyMap<number, number>;
}

/** How many bytes a page of properties has. */
const pageBytes = 512;

/**
 * The runs of a .doc, by where they begin in its stream.
 *
 * @param at where the header says which pages of properties there are
 * @param entryBytes what a page has of each run besides where it begins: 1 for characters, 13 for paragraphs
 */
export function runsOf(document: Buffer, table: Buffer, at: number, entryBytes: 1 | 13): Run[] {
  const start = document.readUInt32LE(at);
  const count = Math.floor((document.readUInt32LE(at + 4) - 4) / 8);
  const runs: Run[] = [];
  for (let index = 0; index < count; index++) {
    const number = table.readUInt32LE(start + (count + 1 + index) * 4) & 0x3f_ffff;
    const page = document.subarray(number * pageBytes, (number + 1) * pageBytes);
    const size = page[pageBytes - 1] ?? 0;
    for (let run = 0; run < size; run++) {
      const offset = (page[(size + 1) * 4 + run * entryBytes] ?? 0) * 2;
      const written =
        offset === 0 ? Buffer.alloc(0) : entryBytes === 1 ? sized(page, offset) : ofParagraph(page, offset);
      runs.push({ from: page.readUInt32LE(run * 4), properties: propertiesIn(written) });
    }
  }
  return runs.sort((one, other) => one.from - other.from);
}

const sized = (page: Buffer, at: number): Buffer => page.subarray(at + 1, at + 1 + (page[at] ?? 0));

/** Behind the length, which is one of two, the number of a style comes first. */
function ofParagraph(page: Buffer, at: number): Buffer {
  const half = page[at] ?? 0;
  return half === 0 ? page.subarray(at + 4, at + 2 + (page[at + 1] ?? 0) * 2) : page.subarray(at + 3, at + half * 2);
}

/** How many bytes the value of a property has, by the upper bits of its number; 6 means that it says so itself. */
const valueBytes = [1, 1, 2, 4, 2, 2, undefined, 3];

function propertiesIn(written: Buffer): Map<number, number> {
  const properties = new Map<number, number>();
  let at = 0;
  while (at + 2 < written.length) {
    const number = written.readUInt16LE(at);
    properties.set(number, written[at + 2] ?? 0);
    // Of the table's cells two bytes tell the length, less one.
    const own = number === 0xd608 ? written.readUInt16LE(at + 2) + 1 : (written[at + 2] ?? 0) + 1;
    at += 2 + (valueBytes[number >> 13] ?? own);
  }
  return properties;
}

/** The properties at a place of the stream. */
export function propertiesAt(runs: Run[], place: number): ReadonlyMap<number, number> {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((runs[middle]?.from ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return runs[low - 1]?.properties ?? new Map<number, number>();
}
