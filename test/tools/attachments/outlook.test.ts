import * as xlsx from '@e965/xlsx';
import { expect, test } from 'vitest';
import { archiveLimits, unpackArchive } from '../../../src/tools/attachments/archives/archive.ts';
import { recognise } from '../../../src/tools/attachments/recognise.ts';

interface Container {
  utils: { cfb_new: () => object; cfb_add: (container: object, path: string, content: Buffer) => void };
  write: (container: object, how: { type: 'buffer' }) => Buffer;
}

/** A message of Outlook with these streams. */
function messageOf(streams: Record<string, Buffer | string>): Buffer {
  const { utils, write } = xlsx.CFB as Container;
  const container = utils.cfb_new();
  for (const [path, content] of Object.entries(streams))
    utils.cfb_add(container, `/${path}`, Buffer.isBuffer(content) ? content : Buffer.from(content, 'utf16le'));
  return Buffer.from(write(container, { type: 'buffer' }));
}

/** Properties with a time, behind as many bytes as stand before them. */
function sentAt(iso: string, headBytes: number): Buffer {
  const properties = Buffer.alloc(headBytes + 16);
  properties.writeUInt16LE(0x40, headBytes);
  properties.writeUInt16LE(0x39, headBytes + 2);
  properties.writeBigUInt64LE(BigInt(Date.parse(iso) + 11_644_473_600_000) * 10_000n, headBytes + 8);
  return properties;
}

async function filesOf(bytes: Buffer): Promise<Record<string, string>> {
  const found = await recognise('a.msg', bytes);
  expect(found).toEqual({ kind: 'archive', mediaType: 'application/vnd.ms-outlook' });
  const files: Record<string, string> = {};
  await unpackArchive({ name: 'a.msg', bytes, mediaType: found.mediaType }, { ...archiveLimits }, (file) => {
    files[file.path] = file.bytes.toString();
    return Promise.resolve();
  });
  return files;
}

test('a message of Outlook is its headers with its text, its page, and what is attached, also a message', async () => {
  const inner = '__attach_version1.0_#00000001/__substg1.0_3701000D/';
  const bytes = messageOf({
    '__properties_version1.0': sentAt('2026-03-02T10:00:00Z', 32),
    '__substg1.0_0C1A001F': 'Bo Berg',
    '__substg1.0_5D01001F': 'bo@example.org',
    '__substg1.0_0037001E': Buffer.from('Angebot f\xfcr M\xe4rz\0', 'latin1'),
    '__substg1.0_1000001F': 'Der Preis: 1.250 €',
    '__substg1.0_10130102': Buffer.from('<p>1.250 €</p>'),
    '__attach_version1.0_#00000000/__substg1.0_3707001F': 'a/b.csv',
    '__attach_version1.0_#00000000/__substg1.0_37010102': Buffer.from('a;b'),
    '__attach_version1.0_#00000001/__substg1.0_3001001F': 'Old',
    [`${inner}__properties_version1.0`]: sentAt('2026-03-01T10:00:00Z', 24),
    [`${inner}__substg1.0_10090102`]: Buffer.from('LZFu'),
  });
  expect(await filesOf(bytes)).toEqual({
    'message.txt':
      'From: Bo Berg\nSender-Address: bo@example.org\nSubject: Angebot für März\nDate: 2026-03-02T10:00:00.000Z\n\nDer Preis: 1.250 €',
    'message.html': '<p>1.250 €</p>',
    'a_b.csv': 'a;b',
    'Old/message.txt': 'Date: 2026-03-01T10:00:00.000Z\n\n[its text is packed as RTF, which is not read]',
  });
});

test.each([
  ['that it names', 0x3ffd, 950, '\xa4\xa4\xa4\xe5', '中文'],
  ['of its page', 0x3fde, 950, '\xa4\xa4\xa4\xe5', '中文'],
  [
    'that it looks like, where it cannot be in the one that it names',
    0x3fde,
    65001,
    'B\xf6rje M\xfcller',
    'Börje Müller',
  ],
])('what is not Unicode in a message is read in the code page %s', async (_, tag, page, from, name) => {
  const properties = Buffer.alloc(48);
  properties.writeUInt16LE(3, 32);
  properties.writeUInt16LE(tag, 34);
  properties.writeUInt32LE(page, 40);
  const bytes = messageOf({
    '__properties_version1.0': properties,
    '__substg1.0_0C1A001E': Buffer.from(from, 'latin1'),
    '__substg1.0_1000001E': Buffer.from('Hi'),
  });
  expect(await filesOf(bytes)).toEqual({ 'message.txt': `From: ${name}\n\nHi` });
});
