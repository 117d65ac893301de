import { afterAll, describe, expect, test } from 'vitest';
import { readContent, shown } from '../../src/tools/mcp/content.ts';
import { fixture, pixel } from '../support/files.ts';
import { toolBench } from '../support/tool-bench.ts';

const base64 = pixel.toString('base64');
const bench = toolBench({
  'tools/sample.ts': `
    export const tools = [{
      name: 'show', description: 'Shows', parameters: { type: 'object' },
      execute: ({ text = 'Seen', images }: any) => ({ text, images: images.map((data: unknown) => ({ data: decoded(data) })) }),
    }, {
      name: 'list', description: 'Lists', parameters: { type: 'object' },
      execute: () => ({ text: 'Two', images: ['a.png', 'b.png'] }),
    }];
    const decoded = (data: any) => data.startsWith?.('bytes:') ? Buffer.from(data.slice(6), 'base64') : data;
  `,
});
afterAll(() => bench.close());

const show = (images: string[]) => bench.call({ name: 'show' }, { images }).result;
const big = (bytes: number): string => Buffer.concat([pixel, Buffer.alloc(bytes - pixel.length)]).toString('base64');

describe('a tool that returns {text, images}', () => {
  test.each([
    ['base64', base64],
    ['a data URI', `data:image/gif;base64,${base64}`],
    ['bytes', `bytes:${base64}`],
  ])('shows %s, of the type that the content tells', async (_, data) => {
    const { images, status, text } = await show([data]);
    expect({ status, text }).toEqual({ status: 'ok', text: 'Seen' });
    expect(images).toEqual([{ blob: expect.any(String), mediaType: 'image/png' }]);
    expect(await bench.store.blob(images?.[0]?.blob ?? '')).toBe(base64);
  });

  test.each<[string, string[], RegExp, number]>([
    [
      'what is no image',
      [Buffer.from('<svg/>').toString('base64')],
      /image 1: it is none of the formats that are read/,
      0,
    ],
    ['a damaged one', [Buffer.from('BM\0\0\0\0\0\0\0\0').toString('base64')], /image 1: it cannot be shown \(/, 0],
    ['endless text', ['A'.repeat(30_000_000)], /image 1: it has about 22,500,000 bytes/, 0],
    ['too many', Array.from({ length: 7 }, () => base64), /^Seen\n\[2 of 7 images .* image 6: at most 5 are shown/, 5],
  ])('leaves out %s, and says so', async (_, given, note, shown) => {
    const { images = [], text } = await show(given);
    expect(text).toMatch(note);
    expect(images).toHaveLength(shown);
  });

  test('shows one that is too large smaller, and upright, and says so', async () => {
    const { images = [], text } = await show([
      big(3_800_000),
      big(3_800_000),
      fixture('sideways.jpg').toString('base64'),
    ]);
    expect(images.map(({ mediaType }) => mediaType)).toEqual(['image/png', 'image/png', 'image/jpeg']);
    expect(text).toBe('Seen');
    const over = await show([big(4_000_000), base64]);
    expect(over).toMatchObject({ text: 'Seen', images: [{ mediaType: 'image/png' }, { mediaType: 'image/png' }] });
    expect((await bench.store.blob(over.images?.[0]?.blob ?? '')).length).toBeLessThan(1000);
  });

  test('is any object to be read as JSON where its images are no images', async () => {
    expect(await bench.call({ name: 'list' }).result).toEqual({
      status: 'ok',
      text: '{"text":"Two","images":["a.png","b.png"]}',
    });
  });
});

const textBlock = (text: string) => ({ type: 'text' as const, text });

describe('what a tool of an MCP server returns', () => {
  test.each<[string, Parameters<typeof readContent>[0], ReturnType<typeof shown>]>([
    ['texts are joined', { content: [textBlock('a'), textBlock('b')] }, 'a\nb'],
    ['structured content alone is JSON', { content: [], structuredContent: { degrees: 21 } }, '{"degrees":21}'],
    [
      'an image is shown in its place',
      { content: [textBlock('Here:'), { type: 'image', data: base64, mimeType: 'image/png' }] },
      { text: expect.stringMatching(/^Here:\n\[image 1: image\/png, .*\]$/) as string, images: [{ data: base64 }] },
    ],
    [
      'audio is named',
      { content: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }] },
      '[audio: audio/wav, 3 bytes]',
    ],
    [
      'a resource is its text',
      { content: [{ type: 'resource', resource: { uri: 'file:///a.txt', text: 'Hello' } }] },
      '[resource: file:///a.txt]\nHello',
    ],
    [
      'a resource that is an image is shown',
      { content: [{ type: 'resource', resource: { uri: 'file:///a.png', blob: base64, mimeType: 'image/png' } }] },
      {
        text: expect.stringMatching(/^\[resource: file:\/\/\/a\.png\] \[image 1: image\/png, /) as string,
        images: [{ data: base64 }],
      },
    ],
  ])('%s', (_, result, expected) => {
    expect(shown(readContent(result))).toEqual(expected);
  });
});
