import PostalMime, { decodeWords, type Email } from 'postal-mime';
import { mailType } from './mail-type.ts';
import { uniqueNames } from '../names.ts';
import { pageText } from './page-text.ts';
import { memberOf } from '../archives/tar.ts';
import { within, type ZipLimits, type ZipMember } from '../archives/zip.ts';

/** Opens a message: its headers with its text, its text as a page, and what is attached. @throws `Error` if it is over the limits */
export async function openMail(bytes: Buffer, limits: ZipLimits): Promise<ZipMember[]> {
  const mail = await PostalMime.parse(bytes, { attachmentEncoding: 'arraybuffer', forceRfc822Attachments: true });
  const names = mail.attachments.map(({ filename, mimeType }, index) => {
    const ending = mimeType === mailType ? '.eml' : '';
    return filename ?? `part-${index + 1}${ending}`;
  });
  // Of two files of one path an archive has but the first.
  const unique = uniqueNames(['message.txt', 'message.html', ...names]).slice(2);
  const files = mail.attachments.map(({ content }, index) =>
    memberOf(unique[index] ?? '', Buffer.from(content as ArrayBuffer)),
  );
  const page = mail.html === undefined ? [] : [memberOf('message.html', Buffer.from(mail.html))];
  const members = [memberOf('message.txt', Buffer.from(textOf(mail))), ...page, ...files];
  return within(members, limits);
}

/** Headers that say how a text was packed, which it is no longer. */
const packing = /^(mime-version|content-.*)$/;

function textOf({ headers, html, text }: Email): string {
  const said = headers.filter(({ key }) => !packing.test(key));
  const lines = said.map(({ originalKey, value }) => `${originalKey}: ${decodeWords(value)}`);
  return `${lines.join('\n')}\n\n${text ?? (html === undefined ? '' : pageText(html))}`;
}

/** What begins a message in a file of many (RFC 4155), told from a sentence by the header behind it. */
const beginning = /^From .*\r?\n(?=[!-9;-~]+:|>From )/m;

/** Opens a file of messages as files with the ending of a message. */
export function openMailbox(bytes: Buffer, limits: ZipLimits): ZipMember[] {
  const messages = bytes.toString('latin1').split(beginning).slice(1);
  const members = messages.map((message, index) => {
    const plain = message.replaceAll(/^>(?=>*From )/gm, '');
    return memberOf(`message-${index + 1}.eml`, Buffer.from(plain, 'latin1'));
  });
  return within(members, limits);
}
