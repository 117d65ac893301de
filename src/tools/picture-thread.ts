import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ImageMagick, initializeImageMagick, MagickColors, MagickFormat } from '@imagemagick/magick-wasm';
import { MagickImageCollection, MagickReadSettings, ResourceLimits, AlphaAction } from '@imagemagick/magick-wasm';
import type { IMagickImage } from '@imagemagick/magick-wasm';

export interface PictureWork {
  bytes: Uint8Array;
  type: string;
  mostBytes: number;
}

/** A page that can be shown, with its size in pixels in the file and as it is shown: `4000 × 3000`. */
export interface PicturePage {
  data: Uint8Array;
  from: string;
  to: string;
  /** Whether its pixels are fractions, of which the library keeps what is between 0 and 1. */
  isCut: boolean;
}

/** The library would guess among a hundred formats, some of which are programs. */
const formats: Record<string, MagickFormat> = {
  'image/png': MagickFormat.Png,
  'image/jpeg': MagickFormat.Jpeg,
  'image/gif': MagickFormat.Gif,
  'image/webp': MagickFormat.WebP,
  'image/tiff': MagickFormat.Tiff,
  'image/bmp': MagickFormat.Bmp,
  'image/heic': MagickFormat.Heic,
  'image/avif': MagickFormat.Avif,
};

/** The longest sides that are tried, in pixels. Providers look at less than the first. */
const sides = [3072, 2048, 1536, 1024, 512];

/** In a thread of its own. @returns how many pages or frames there are @throws `Error` if it is damaged or too large */
export default async function convert(
  { bytes, mostBytes, type }: PictureWork,
  post: (page: PicturePage) => void,
): Promise<number> {
  const library = fileURLToPath(import.meta.resolve('@imagemagick/magick-wasm/magick.wasm'));
  await initializeImageMagick(await readFile(library));
  // A picture of few bytes may claim to have any number of pixels. Memory outside of the thread's objects is not limited else.
  ResourceLimits.memory = 700_000_000n;
  ResourceLimits.disk = 0n;
  const format = formats[type] ?? MagickFormat.Png;
  const pages = MagickImageCollection.create();
  pages.ping(bytes, new MagickReadSettings({ format }));
  const count = pages.length;
  pages.dispose();
  // The frames of other formats are those of a film.
  const shownPages = type === 'image/tiff' ? Math.min(count, 20) : 1;
  for (let frameIndex = 0; frameIndex < shownPages; frameIndex++) {
    const settings = new MagickReadSettings({ format, frameIndex, frameCount: 1 });
    ImageMagick.read(bytes, settings, (image) => post(shown(image, type === 'image/jpeg', mostBytes)));
  }
  return count;
}

function shown(image: IMagickImage, isPhoto: boolean, mostBytes: number): PicturePage {
  const isCut = image.getAttribute('quantum:format') === 'floating-point';
  image.autoOrient();
  const from = sizeOf(image);
  image.strip();
  // A JPEG is smaller than a PNG of the same photo by far, and hardly to be told from it.
  image.quality = 88;
  image.backgroundColor = MagickColors.White;
  for (const side of sides) {
    if (Math.max(image.width, image.height) > side) image.resize(side, side);
    const png = isPhoto ? undefined : written(image, MagickFormat.Png, mostBytes);
    // A JPEG would be black where a picture is transparent.
    if (png === undefined) image.alpha(AlphaAction.Remove);
    const data = png ?? written(image, MagickFormat.Jpeg, mostBytes);
    if (data !== undefined) return { data, from, to: sizeOf(image), isCut };
  }
  throw new Error(`even with ${sizeOf(image)} pixels it has more than ${mostBytes} bytes`);
}

const sizeOf = ({ height, width }: IMagickImage): string => `${width} × ${height}`;

/** @returns a copy, since the library's own memory is used again */
const written = (image: IMagickImage, format: MagickFormat, mostBytes: number): Uint8Array | undefined =>
  image.write(format, (data) => (data.length <= mostBytes ? new Uint8Array(data) : undefined));
