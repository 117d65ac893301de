import { grouped, maxImageBytes, maxImageSide, readingLimits } from '../util/file-limits.ts';
import { imageTypeOf } from '../util/image-type.ts';
import { moduleBeside, runIsolated } from '../util/isolated.ts';
import { exifOf } from './exif.ts';
import type { PicturePage, PictureWork } from './picture-thread.ts';

interface ShownPicture {
  /** Its pages as images that all providers take: one, but for TIFF. Empty if it cannot be shown. */
  pages: Buffer[];
  /** What is not as in the file. */
  note?: string;
}

const program = moduleBeside(import.meta.url, 'picture-thread');

let last: Promise<unknown> = Promise.resolve();

/**
 * As it is, if providers take that, else upright, made smaller and as PNG or JPEG. Never throws. A process converts one
 * at a time, since a large one may take a gigabyte of memory.
 */
export async function shownPicture(bytes: Buffer, type: string, mostBytes = maxImageBytes): Promise<ShownPicture> {
  const { orientation, said } = exifOf(bytes, type);
  const { note, pages } = isFit(bytes, mostBytes, orientation)
    ? { pages: [bytes], note: isAnimated(bytes) ? 'it moves: only the first of its frames can be seen' : undefined }
    : await convertNext({ bytes, type, mostBytes });
  const notes = [note, said === '' ? undefined : `it says of itself: ${said}`].filter((each) => each !== undefined);
  return { pages, ...(notes.length > 0 && { note: notes.join('; ') }) };
}

function convertNext(work: PictureWork): Promise<ShownPicture> {
  const converted = last.then(() => convert(work));
  last = converted;
  return converted;
}

/** Chunks that only those PNG and WebP have that move. */
const moving = /acTL|ANIM/;

function isAnimated(bytes: Buffer): boolean {
  return imageTypeOf(bytes) === 'image/gif' ? hasFrames(bytes) : moving.test(bytes.toString('latin1', 0, 200));
}

/** Whether a GIF has more frames than one (GIF 89a, 18 to 26). What is before a frame, such as its delay, may be left out. */
function hasFrames(bytes: Buffer): boolean {
  const colours = (at: number): number => (((bytes[at] ?? 0) & 0x80) === 0 ? 0 : 3 * 2 ** (((bytes[at] ?? 0) & 7) + 1));
  let frames = 0;
  let at = 13 + colours(10);
  // Programs skip zeros between the parts.
  const isNext = (): boolean => [0, 0x21, 0x2c].includes(bytes[at] ?? 0x3b);
  for (; frames < 2 && isNext(); at += 1) {
    if (bytes[at] === 0) continue;
    if (bytes[at] === 0x2c) {
      frames += 1;
      at += 11 + colours(at + 9);
    } else at += 2;
    for (let size = bytes[at] ?? 0; size > 0; size = bytes[at] ?? 0) at += size + 1;
  }
  return frames > 1;
}

/** @param orientation providers do not look at it: a photo would lie on its side */
function isFit(bytes: Buffer, mostBytes: number, orientation: number): boolean {
  const type = imageTypeOf(bytes);
  if (type === undefined || bytes.length > mostBytes || (orientation > 1 && orientation <= 8)) return false;
  // Only PNG packs so well that few bytes may have too many pixels; its sides are in its head.
  return (
    type !== 'image/png' ||
    bytes.length < 24 ||
    Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) <= maxImageSide
  );
}

async function convert(work: PictureWork): Promise<ShownPicture> {
  const pages: PicturePage[] = [];
  const notes: string[] = [];
  try {
    const onMessage = (page: PicturePage): void => void pages.push(page);
    const count = await runIsolated<number, PicturePage>(program, work, { ...readingLimits, onMessage });
    const rest = `of its ${grouped(count)} pages or frames the first ${pages.length} can be seen`;
    if (count > pages.length) notes.push(rest);
  } catch (error) {
    const what = pages.length === 0 ? 'it' : `page ${pages.length + 1}`;
    notes.push(`${what} cannot be shown (${(error as Error).message})`);
  }
  if (pages.some(({ isCut }) => isCut))
    notes.push('its pixels are fractions: above 1 all is shown white, below 0 black');
  const smaller = pages.find(({ from, to }) => from !== to);
  if (smaller !== undefined) notes.push(`it is shown smaller, with ${smaller.to} pixels instead of ${smaller.from}`);
  return {
    pages: pages.map(({ data }) => Buffer.from(data)),
    ...(notes.length > 0 && { note: notes.join('; ') }),
  };
}
