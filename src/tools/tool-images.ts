import { grouped } from '../util/file-limits.ts';
import { imageTypeOf } from '../util/image-type.ts';

/**
 * What a tool returns that shows images besides its text. Models that take images are shown them, others read the text alone.
 *
 * @example
 * return { text: 'The chart of 2026', images: [{ data: await readFile('chart.png') }] };
 */
export interface ShownByTool {
  text: string;
  /** PNG, JPEG, GIF or WebP, told by their content. */
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

/** How many images a result may have, and how many bytes each of them and all together. */
const mostImages = 5;
/** Anthropic takes at most 5 MiB of base64 for each (https://platform.claude.com/docs/en/build-with-claude/vision). */
const imageBytes = 3_900_000;
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

/** The images of a result that models can be shown, and its text with what is wrong with the others. */
export function checkedImages({ images: given, text }: ShownByTool): { text: string; images: ToolImage[] } {
  const images: ToolImage[] = [];
  const problems: string[] = [];
  let left = allBytes;
  for (const [index, { data }] of given.entries()) {
    const image = images.length < mostImages ? imageOf(data, left) : `at most ${mostImages} are shown`;
    if (typeof image === 'string') problems.push(`image ${index + 1}: ${image}`);
    else {
      images.push({ mediaType: image.mediaType, data: image.bytes.toString('base64') });
      left -= image.bytes.length;
    }
  }
  if (problems.length === 0) return { text, images };
  // A tool may return any number of them.
  const named = problems.slice(0, mostImages).join('; ') + (problems.length > mostImages ? '; …' : '');
  const note = `[${problems.length} of ${given.length} images cannot be shown: ${named}]`;
  return { text: text === '' ? note : `${text}\n${note}`, images };
}

/** @param left how many bytes it may have at most */
function imageOf(data: GivenImage['data'], left: number): { mediaType: string; bytes: Buffer } | string {
  const size = typeof data === 'string' ? Math.floor((data.length * 3) / 4) : data.length;
  const most = Math.min(imageBytes, left);
  if (size > most + slack) return `it has about ${grouped(size)} bytes; at most ${grouped(most)} are shown`;
  const bytes = typeof data === 'string' ? decoded(data) : Buffer.from(data);
  if (bytes.length > most) return `it has ${grouped(bytes.length)} bytes; at most ${grouped(most)} are shown`;
  const mediaType = imageTypeOf(bytes);
  return mediaType === undefined ? 'it is not PNG, JPEG, GIF or WebP' : { mediaType, bytes };
}

/** How many characters the head of a data URI and line breaks may take. */
const slack = 200_000;

const decoded = (data: string): Buffer => Buffer.from(data.replace(/^data:[^,]{0,200},/, ''), 'base64');
