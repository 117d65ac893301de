import { crc32, deflateSync } from 'node:zlib';
import { extractImages } from 'unpdf';

/** The pixels of an image, row by row: gray, RGB or RGBA by how many channels there are. */
export interface Pixels {
  data: Uint8Array | Uint8ClampedArray;
  width: number;
  height: number;
  channels: 1 | 3 | 4;
}

/** The images on a page of a PDF as PNG, at most so many, without what is too small to show anything. */
export async function picturesOf(pdf: Parameters<typeof extractImages>[0], page: number, most: number) {
  const images = (await extractImages(pdf, page)) as Pixels[];
  const shown = images.filter(({ height, width }) => Math.min(height, width) >= 32);
  return shown.slice(0, most).map((image) => pngOf(smaller(image)));
}

/** An image of which a square of pixels has become one, so that its longer side has 2000, of which models see no more. */
export function smaller(image: Pixels): Pixels {
  const step = Math.ceil(Math.max(image.width, image.height) / 2000);
  if (step <= 1) return image;
  const { channels, data } = image;
  const [width, height] = [Math.floor(image.width / step), Math.floor(image.height / step)];
  const small = new Uint8Array(width * height * channels);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let channel = 0; channel < channels; channel++) {
        let sum = 0;
        for (let dy = 0; dy < step; dy++)
          for (let dx = 0; dx < step; dx++)
            sum += data[((y * step + dy) * image.width + x * step + dx) * channels + channel] ?? 0;
        small[(y * width + x) * channels + channel] = Math.round(sum / (step * step));
      }
  return { data: small, width, height, channels };
}

/** The types of colours by the number of channels (PNG specification, 11.2.1). */
const colourTypes = { 1: 0, 3: 2, 4: 6 };

export function pngOf({ channels, data, height, width }: Pixels): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, colourTypes[channels], 0, 0, 0], 8);
  const row = width * channels;
  // A byte before each row says how it is filtered: by the row above, which packs scanned text best of what is simple.
  const rows = Buffer.alloc((row + 1) * height);
  for (let y = 0; y < height; y++) {
    rows[y * (row + 1)] = 2;
    for (let x = 0; x < row; x++)
      rows[y * (row + 1) + 1 + x] = ((data[y * row + x] ?? 0) - (y === 0 ? 0 : (data[(y - 1) * row + x] ?? 0))) & 0xff;
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
