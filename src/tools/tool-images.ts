import { grouped, maxFileBytes, maxImageBytes } from '../util/file-limits.ts';
import { imageTypeOf, pictureTypeOf } from '../util/image-type.ts';
import { shownPicture } from './pictures.ts';

/**
 * What a tool returns that shows images besides its text. Models that take images are shown them, others read the text alone.
 *
 * @example
 * return { text: 'The chart of 2026', images: [{ data: await readFile('chart.png') }] };
 */
export interface ShownByTool {
  text: string;
  /** PNG, JPEG, GIF, WebP, TIFF, BMP, HEIC or AVIF, told by their content. Too large ones are made smaller. */
  images: GivenImage[];
}

/** An image as bytes or in base64, with a data URI's head or without. A media type is not believed. */
interface GivenImage {
  data: string | Uint8Array;
  mediaType?: string;
}

/** An image that models can be shown. */
export interface ToolImage {
  mediaType: string;
  /** The content in base64. */
  data: string;
}

/** How many characters the head of a data URI and line breaks may take. */
const slack = 200_000;
const mostImages = 5;
const allBytes = 8_000_000;

/** Whether a tool's result shows images, rather than being an object that is to be read as JSON. */
export function showsImages(result: unknown): result is ShownByTool {
  const { text, images } = (result ?? {}) as Record<string, unknown>;
  return typeof text === 'string' && Array.isArray(images) && images.length > 0 && images.every(isGiven);
}

function isGiven(image: unknown): image is GivenImage {
  const { data } = (image ?? {}) as Record<string, unknown>;
  return typeof data === 'string' || data instanceof Uint8Array;
}

/** The images of a result as models can be shown them, and its text with what is wrong with the others. */
export async function checkedImages({ images: given, text: said }: ShownByTool) {
  const images: ToolImage[] = [];
  const problems: string[] = [];
  const notes: string[] = [];
  let left = allBytes;
  for (const [index, { data }] of given.entries()) {
    const image = images.length < mostImages ? await imageOf(data, left) : `at most ${mostImages} are shown`;
    if (typeof image === 'string') problems.push(`image ${index + 1}: ${image}`);
    else {
      images.push({ mediaType: image.mediaType, data: image.bytes.toString('base64') });
      left -= image.bytes.length;
      if (image.note !== undefined) notes.push(`\n[image ${index + 1}: ${image.note}]`);
    }
  }
  const text = `${said}${notes.join('')}`.trimStart();
  if (problems.length === 0) return { text, images };
  // A tool may return any number of them.
  const named = problems.slice(0, mostImages).join('; ') + (problems.length > mostImages ? '; …' : '');
  const note = `[${problems.length} of ${given.length} images cannot be shown: ${named}]`;
  return { text: text === '' ? note : `${text}\n${note}`, images };
}

async function imageOf(given: GivenImage['data'], left: number) {
  const size = typeof given === 'string' ? Math.floor((given.length * 3) / 4) : given.length;
  if (size > maxFileBytes + slack)
    return `it has about ${grouped(size)} bytes; at most ${grouped(maxFileBytes)} are read`;
  const bytes =
    typeof given === 'string' ? Buffer.from(given.replace(/^data:[^,]{0,200},/, ''), 'base64') : Buffer.from(given);
  const type = pictureTypeOf(bytes);
  if (type === undefined) return 'it is none of the formats that are read';
  const { note, pages } = await shownPicture(bytes, type, Math.min(maxImageBytes, left));
  const [page] = pages;
  if (page === undefined) return note ?? 'it cannot be shown';
  return { mediaType: imageTypeOf(page) ?? type, bytes: page, note };
}
