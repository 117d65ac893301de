import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { payloadCodec } from '../../src/encryption/codec.ts';
import { Keys, readKeys, TamperedError, UnknownKeyError } from '../../src/encryption/keys.ts';

const newKey = (): string => randomBytes(32).toString('base64');
const keysOf = (text: string): Keys => readKeys({ REPRISE_ENCRYPTION_KEY: text });

test.each([
  ['a short one', randomBytes(16).toString('base64'), 'it is not 32 bytes'],
  ['hexadecimal digits', randomBytes(32).toString('hex'), 'it is not 32 bytes'],
  ['a password', 'correct horse battery staple', 'it is not 32 bytes'],
  ['the second of two', `${newKey()},abc`, 'its key 2 of 2 is not 32 bytes'],
  ['an empty one', `${newKey()},`, 'its key 2 of 2 is not 32 bytes'],
])('a bad key is refused, and not shown: %s', (_, text, message) => {
  expect(() => keysOf(text)).toThrow(message);
  for (const part of text.split(',').filter((each) => each !== ''))
    expect(() => keysOf(text)).toThrow(expect.objectContaining({ message: expect.not.stringContaining(part) }));
});

test('without the variable nothing is encrypted', () => {
  expect([keysOf('').on, readKeys({}).on]).toEqual([false, false]);
});

test('keys are told apart by ids, and the first one encrypts', () => {
  const [one, two] = [newKey(), newKey()];
  const keys = keysOf(` ${one}, ${two} `);
  expect(keys.ids).toEqual([keysOf(one).ids[0], keysOf(two).ids[0]]);
  const { id, sealed } = keys.seal('payload', '', Buffer.from('text'));
  expect(id).toBe(keys.ids[0]);
  expect(Buffer.from(keysOf(`${two},${one}`).open('payload', '', id, sealed)).toString()).toBe('text');
  expect(() => keysOf(two).open('payload', '', id, sealed)).toThrow(UnknownKeyError);
});

test('no two ciphertexts of the same are alike, and none is opened for anything else or when it was changed', () => {
  const keys = keysOf(newKey());
  const seal = () => keys.seal('store', 'blobs one', Buffer.from('text'));
  const { id, sealed } = seal();
  expect(Buffer.from(seal().sealed)).not.toEqual(Buffer.from(sealed));
  expect(() => keys.open('store', 'blobs other', id, sealed)).toThrow(TamperedError);
  expect(() => keys.open('payload', 'blobs one', id, sealed)).toThrow(TamperedError);
  expect(() => keys.open('store', 'blobs one', id, sealed.subarray(0, 20))).toThrow(TamperedError);
  for (let place = 0; place < sealed.length; place++) {
    const changed = sealed.slice();
    changed[place]! ^= 1;
    expect(() => keys.open('store', 'blobs one', id, changed)).toThrow(TamperedError);
  }
});

test('a payload comes back as it was, with its metadata, and what is not encrypted is left alone', async () => {
  const codec = payloadCodec(keysOf(newKey()));
  const payload = {
    metadata: { encoding: Buffer.from('json/plain'), own: Buffer.from('x') },
    data: Buffer.from('"a"'),
  };
  const [encoded] = await codec.encode([payload]);
  expect(Buffer.from(encoded!.data!).toString('latin1')).not.toContain('json/plain');
  const [decoded] = await codec.decode([encoded!]);
  expect(Buffer.from(decoded!.data!)).toEqual(payload.data);
  expect(Buffer.from(decoded!.metadata!['own']!)).toEqual(payload.metadata.own);
  expect(await codec.decode([payload])).toEqual([payload]);
});
