import { crc32, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shownPicture } from '../../src/tools/pictures.ts';
import { imageTypeOf, pictureTypeOf } from '../../src/util/image-type.ts';
import { fixture, pixel } from '../support/files.ts';

const shown = (bytes: Buffer, most?: number) => shownPicture(bytes, pictureTypeOf(bytes) ?? '', most);

/** The sides of a PNG or a JPEG in pixels. */
function sidesOf(image: Buffer): [width: number, height: number] {
  if (imageTypeOf(image) === 'image/png') return [image.readUInt32BE(16), image.readUInt32BE(20)];
  const at = image.indexOf(Buffer.from([0xff, 0xc0]));
  return [image.readUInt16BE(at + 7), image.readUInt16BE(at + 5)];
}

/** A grey PNG, each line of which is as given. */
function pngOf(width: number, height: number): Buffer {
  const chunk = (name: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const size = Buffer.alloc(4);
    size.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const lines = deflateSync(Buffer.alloc((width + 1) * height));
  const parts = [chunk('IHDR', header), chunk('IDAT', lines), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
}

describe('a picture', () => {
  test('that providers take is shown as it is', async () => {
    expect(await shown(pixel)).toEqual({ pages: [pixel] });
    const webp = fixture('picture.webp');
    expect(await shown(webp)).toEqual({ pages: [webp] });
  });

  test.each(['picture.tif', 'picture.bmp', 'picture.heic'])(
    'that they do not take is shown as PNG: %s',
    async (name) => {
      const { note, pages } = await shown(fixture(name));
      expect(note).toBeUndefined();
      expect(pages.map(imageTypeOf)).toEqual(['image/png']);
      expect(pages.map(sidesOf)).toEqual([[120, 80]]);
    },
  );

  test('of fractions says that what is above 1 is white', async () => {
    // Width, height, bits, no packing, black is zero, where, one sample, how many bytes, and IEEE floats.
    const tags = [256, 1, 257, 1, 258, 32, 259, 1, 262, 1, 273, 200, 277, 1, 278, 1, 279, 4, 339, 3];
    const bytes = Buffer.alloc(204);
    bytes.write('49492a0008000000', 'hex');
    bytes.writeUInt16LE(tags.length / 2, 8);
    for (let index = 0; index < tags.length; index += 2) {
      bytes.writeUInt16LE(tags[index] ?? 0, 10 + index * 6);
      bytes.writeUInt16LE(3, 12 + index * 6);
      bytes.writeUInt32LE(1, 14 + index * 6);
      bytes.writeUInt16LE(tags[index + 1] ?? 0, 18 + index * 6);
    }
    bytes.writeFloatLE(180, 200);
    const { note, pages } = await shown(bytes);
    expect(pages.map(sidesOf)).toEqual([[1, 1]]);
    expect(note).toBe('its pixels are fractions: above 1 all is shown white, below 0 black');
  });

  test('that lies on its side is shown upright, since no provider turns it', async () => {
    const { note, pages } = await shown(fixture('sideways.jpg'));
    expect(note).toBeUndefined();
    expect(pages.map(sidesOf)).toEqual([[300, 400]]);
  });

  test('that moves, or says what it is, has a note', async () => {
    const frame = Buffer.from('0021f90400000000002c0000000001000100000202440100', 'hex');
    const gif = Buffer.concat([Buffer.from('474946383961010001008000000000000000', 'hex'), frame]);
    expect(await shown(gif)).toEqual({ pages: [gif] });
    const film = Buffer.concat([gif, frame]);
    expect(await shown(film)).toEqual({ pages: [film], note: 'it moves: only the first of its frames can be seen' });
    const bare = Buffer.concat([gif, frame.subarray(9), frame.subarray(9), Buffer.from(';')]);
    expect((await shown(bare)).note).toMatch(/^it moves/);
    const photo = fixture('pier.jpg');
    expect(await shown(photo)).toEqual({
      pages: [photo],
      note: 'it says of itself: description Pier 9 at dawn; camera Leica; changed 2021:06:07 08:09:10; place 59.9 N, 10.75 E',
    });
  });

  test('of several pages is shown page by page', async () => {
    const { note, pages } = await shown(fixture('fax.tif'));
    expect(note).toBeUndefined();
    expect(pages.map(sidesOf)).toEqual([
      [120, 80],
      [120, 80],
      [120, 80],
    ]);
  });

  test('with too many bytes is shown smaller and upright, and the note says so', async () => {
    const { note, pages } = await shown(fixture('sideways.jpg'), 60_000);
    const [image = pixel] = pages;
    expect(imageTypeOf(image)).toBe('image/jpeg');
    expect(sidesOf(image)).toEqual([300, 400]);
    expect(image.length).toBeLessThanOrEqual(60_000);
    expect(note).toBeUndefined();
    const tiny = await shown(fixture('sideways.jpg'), 8000);
    expect(tiny).toEqual({ pages: [], note: expect.stringMatching(/cannot be shown \(even with 300 × 400 pixels/) });
  });

  test('with too many pixels is shown smaller, however few bytes it has', async () => {
    const { note, pages } = await shown(pngOf(500, 9000));
    expect(pages.map(sidesOf)).toEqual([[171, 3072]]);
    expect(note).toBe('it is shown smaller, with 171 × 3072 pixels instead of 500 × 9000');
  });

  test('with more pixels than there is memory for has a note alone', async () => {
    expect(await shown(fixture('many-pixels.png'))).toEqual({
      pages: [],
      note: expect.stringMatching(/^it cannot be shown \(.*\)$/),
    });
  });

  test('damaged anywhere is shown, or has a note', async () => {
    const pictures = ['picture.tif', 'picture.bmp', 'picture.heic', 'fax.tif'].map(fixture);
    const damage = fc.tuple(fc.constantFrom(...pictures), fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 60 }));
    await fc.assert(
      fc.asyncProperty(damage, async ([whole, place, wrong]) => {
        const broken = Buffer.from(whole);
        broken.set(wrong.slice(0, broken.length - 12), 12 + (place % Math.max(1, broken.length - 12 - wrong.length)));
        const { note, pages } = await shown(broken);
        expect(pages.length > 0 || note !== undefined).toBe(true);
      }),
      { numRuns: 8 },
    );
  });
});
