import { decoded, decodeText, pageEncoding } from '../../../util/text/encoding.ts';
import { streamsIn } from '../office/compound.ts';
import { unpackedMember, type ZipMember } from '../archives/zip.ts';
import { namesOf, pageText } from './mail.ts';

/** The streams of a message by their paths ([MS-CFB], [MS-OXMSG]). */
type Streams = ReadonlyMap<string, Buffer>;

/** Properties by their tags ([MS-OXPROPS]). */
const headers: Array<[name: string, tags: string[]]> = [
  ['From', ['0C1A', '0042']],
  ['Sender-Address', ['5D01', '0C1F']],
  ['To', ['0E04']],
  ['Cc', ['0E03']],
  ['Bcc', ['0E02']],
  ['Subject', ['0037']],
];
const submitted = 0x0039;
const delivered = 0x0e06;

/** The code pages of a message and of its page, as their type and tag stand in the properties. */
const codePages = ['0300fd3f', '0300de3f'].map((tag) => Buffer.from(tag, 'hex'));

/** Opens a message of Outlook: its headers with its text, its text as a page, and what is attached, also other messages. */
export const openOutlook = (bytes: Buffer): ZipMember[] => messageIn(streamsIn(bytes), '', 32);

/** @param headBytes what stands before the properties: 24 bytes in a message that is attached ([MS-OXMSG] 2.4) */
function messageIn(streams: Streams, at: string, headBytes: number): ZipMember[] {
  const properties = streams.get(`${at}__properties_version1.0`) ?? Buffer.alloc(0);
  const encoding = encodingIn(properties);
  const said = headers.flatMap(([name, tags]) => {
    const value = firstText(streams, at, tags, encoding);
    return value === '' ? [] : [`${name}: ${value.replaceAll(/\s+/g, ' ').trim()}`];
  });
  const date = dateOf(properties, headBytes);
  if (date !== undefined) said.push(`Date: ${date}`);
  const page = streams.get(`${at}__substg1.0_10130102`) ?? Buffer.from(textAt(streams, at, '1013', encoding));
  const isPacked = streams.has(`${at}__substg1.0_10090102`);
  const noText = isPacked ? '[its text is packed as RTF, which is not read]' : '';
  const words = page.length > 0 ? pageText(decodeText(page)?.text ?? '') : noText;
  const text = textAt(streams, at, '1000', encoding) || words;
  const members = [unpackedMember('message.txt', Buffer.from(`${said.join('\n')}\n\n${text}`))];
  if (page.length > 0) members.push(unpackedMember('message.html', page));
  const attached = foldersIn(streams, `${at}__attach_version1.0_#`);
  const names = namesOf(
    attached.map((folder, index) => {
      const name = firstText(streams, folder, ['3707', '3704', '3001'], encoding);
      return name.replaceAll(/[\\/]/g, '_') || `part-${index + 1}`;
    }),
  );
  for (const [index, folder] of attached.entries()) {
    const name = names[index] ?? '';
    const inner = `${folder}__substg1.0_3701000D/`;
    const content = streams.get(`${folder}__substg1.0_37010102`);
    if (streams.has(`${inner}__properties_version1.0`)) {
      for (const member of messageIn(streams, inner, 24)) members.push({ ...member, name: `${name}/${member.name}` });
    } else if (content !== undefined) members.push(unpackedMember(name, content));
  }
  return members;
}

/** The encoding of what is not Unicode; undefined where the message does not say it. */
function encodingIn(properties: Buffer): string | undefined {
  const at = codePages.map((tag) => properties.indexOf(tag)).find((place) => place !== -1) ?? properties.length;
  return at + 12 > properties.length ? undefined : pageEncoding(properties.readUInt32LE(at + 8));
}

const firstText = (streams: Streams, at: string, tags: string[], encoding: string | undefined): string =>
  tags.map((tag) => textAt(streams, at, tag, encoding)).find((each) => each !== '') ?? '';

/** A text as Unicode, or else in the encoding that the computer had. */
function textAt(streams: Streams, at: string, tag: string, encoding: string | undefined): string {
  const wide = streams.get(`${at}__substg1.0_${tag}001F`)?.toString('utf16le');
  const bytes = Buffer.from(streams.get(`${at}__substg1.0_${tag}001E`)?.filter((byte) => byte !== 0) ?? []);
  const narrow = (encoding && decoded(encoding, bytes)) ?? decodeText(bytes)?.text;
  return (wide ?? narrow ?? '').replaceAll('\0', '');
}

function foldersIn(streams: Streams, beginning: string): string[] {
  const paths = [...streams.keys()].filter((path) => path.startsWith(beginning));
  return [...new Set(paths.map((path) => path.slice(0, path.indexOf('/', beginning.length) + 1)))].sort();
}

/** When a message was sent, or else when it came: properties of 16 bytes, a time in 100 ns since 1601. */
function dateOf(properties: Buffer, headBytes: number): string | undefined {
  const times = new Map<number, string>();
  for (let at = headBytes; at + 16 <= properties.length; at += 16) {
    if (properties.readUInt16LE(at) !== 0x40) continue;
    const time = Number(properties.readBigUInt64LE(at + 8) / 10_000n) - 11_644_473_600_000;
    times.set(properties.readUInt16LE(at + 2), new Date(time).toISOString());
  }
  return times.get(submitted) ?? times.get(delivered);
}
