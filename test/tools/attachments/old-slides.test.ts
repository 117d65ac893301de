import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readContent } from '../../../src/tools/attachments/content.ts';
import { textOfOldSlides } from '../../../src/tools/attachments/office/old-slides.ts';
import { recognise } from '../../../src/tools/attachments/recognise.ts';
import { fixture } from '../../support/files.ts';

const read = async (bytes: Buffer) => readContent('a.ppt', bytes, await recognise('a.ppt', bytes));
const plan = gunzipSync(fixture('plan.ppt.gz'));

test('.ppt has its slides with their tables and notes, and names those that are hidden', async () => {
  expect(await read(plan)).toEqual({
    text:
      '[slide 1]\nPlan für März\nBudget: 7 500 €\nПривет\n[notes]\nAsk Ada first.\n\n' +
      '[slide 2]\nWho does what\nTask | Who | Until\nCoffee and tea |  | May\n\n[slide 3]\nNot for guests',
    note:
      'hidden slides, which are read like the others: 3; ' +
      'of an old presentation (.ppt) pictures, charts, links, and what is struck out or above the line are not read',
  });
});

test('.ppt that needs a password says so', async () => {
  const bytes = Buffer.from(plan);
  bytes.writeUInt32LE(0xf3d1c4df, bytes.indexOf(Buffer.from('5fc091e3', 'hex')));
  expect(await read(bytes)).toEqual({ note: 'it needs a password; nothing of it can be read' });
});

test('.ppt whose bytes are changed anywhere is read, or said to be damaged, without an end of the stack or of time', () => {
  // Of its 600,000 bytes most are filled up.
  const places = [...plan.keys()].filter((at) => plan[at] !== 0xff);
  const change = fc.tuple(fc.constantFrom(...places), fc.nat(255));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 20 }), (changes) => {
      const bytes = Buffer.from(plan);
      for (const [at, byte] of changes) bytes[at] = byte;
      try {
        textOfOldSlides(bytes);
      } catch (error) {
        expect((error as Error).message).not.toMatch(/call stack/);
      }
    }),
    { numRuns: 300 },
  );
});

test('.ppt whose document is nowhere is damaged, and not empty', async () => {
  const bytes = Buffer.from(plan);
  // The last edit, and in it the number of the document.
  const edit = bytes.lastIndexOf(Buffer.from('0000f50f', 'hex'));
  bytes.writeUInt32LE(999, edit + 8 + 16);
  expect(await read(bytes)).toEqual({
    note: 'it is damaged (it does not say where its slides are); nothing of it can be read',
  });
});
