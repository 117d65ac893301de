import { extname } from 'node:path';
import PostalMime, { decodeWords, type Email } from 'postal-mime';
import { memberOf } from './tar.ts';
import { atMost, type ZipLimits, type ZipMember } from './zip.ts';

/** A message, which is an archive of its text and what is attached to it, and a file of several messages. */
export const mailType = 'message/rfc822';
export const mailboxType = 'application/mbox';

/** How many bytes are looked at: what stands before the text of a message has mostly fewer. */
const headBytes = 50_000;

/** What programs name messages and web pages that are saved as such. */
const endings = /^\.(eml|mht|mhtml)$/i;

/** What a file is that has a message, by how it begins; undefined if it has none. */
export function mailTypeOf(name: string, bytes: Buffer): string | undefined {
  const [head = ''] = bytes.toString('latin1', 0, headBytes).split(/\r?\n\r?\n/, 1);
  const [first = '', ...lines] = head.split(/\r?\n/);
  const isMailbox = first.startsWith('From ');
  const headers = isMailbox ? lines : [first, ...lines];
  if (headers.length < 2 || !headers.every((line) => /^([\w-]+:|[ \t])/.test(line))) return undefined;
  const isSaid = endings.test(extname(name)) || headers.some((line) => /^mime-version:/i.test(line));
  const isMail = headers.some((line) => /^(from|date|subject|message-id|received):/i.test(line));
  if (isMailbox) return isMail ? mailboxType : undefined;
  return isSaid && isMail ? mailType : undefined;
}

/** Opens a message: its headers with its text, its text as a page, and what is attached. @throws `Error` if it is over the limits */
export async function openMail(bytes: Buffer, limits: ZipLimits): Promise<ZipMember[]> {
  const mail = await PostalMime.parse(bytes, { attachmentEncoding: 'arraybuffer', forceRfc822Attachments: true });
  const files = mail.attachments.map(({ content, filename, mimeType }, index) => {
    const ending = mimeType === mailType ? '.eml' : '';
    return memberOf(filename ?? `part-${index + 1}${ending}`, Buffer.from(content as ArrayBuffer));
  });
  const page = mail.html === undefined ? [] : [memberOf('message.html', Buffer.from(mail.html))];
  const members = [memberOf('message.txt', Buffer.from(textOf(mail))), ...page, ...files];
  if (members.length > limits.members) throw new Error(`it has ${members.length} files${atMost(limits.members)}`);
  if (members.reduce((sum, member) => sum + member.bytes, 0) > limits.bytes)
    throw new Error(`it has more bytes${atMost(limits.bytes)}`);
  return members;
}

/** Headers that say how a text was packed, which it is no longer. */
const packing = /^(mime-version|content-.*)$/;

function textOf({ headers, html, text }: Email): string {
  const said = headers.filter(({ key }) => !packing.test(key));
  const lines = said.map(({ originalKey, value }) => `${originalKey}: ${decodeWords(value)}`);
  return `${lines.join('\n')}\n\n${text ?? (html === undefined ? '' : '[its text is in message.html]')}`;
}

/** Opens a file of messages, each behind a line `From …` (RFC 4155), as files with the ending of a message. */
export function openMailbox(bytes: Buffer, limits: ZipLimits): ZipMember[] {
  const messages = bytes
    .toString('latin1')
    .split(/^From .*\r?\n/m)
    .slice(1);
  if (messages.length > limits.members) throw new Error(`it has ${messages.length} messages${atMost(limits.members)}`);
  return messages.map((message, index) => {
    const plain = message.replaceAll(/^>(?=>*From )/gm, '');
    return memberOf(`message-${index + 1}.eml`, Buffer.from(plain, 'latin1'));
  });
}
