import PostalMime, { decodeWords, type Email } from 'postal-mime';
import { textOfElements } from '../../../util/text/elements.ts';
import { unpackedMember, type ZipMember } from '../archives/zip.ts';
import { uniqueNames } from '../names.ts';
import { mailType } from '../packages.ts';

export async function openMail(bytes: Buffer): Promise<ZipMember[]> {
  const mail = await PostalMime.parse(bytes, { attachmentEncoding: 'arraybuffer', forceRfc822Attachments: true });
  const names = namesOf(
    mail.attachments.map(({ filename, mimeType }, index) => {
      return filename ?? `part-${index + 1}${mimeType === mailType ? '.eml' : ''}`;
    }),
  );
  const files = mail.attachments.map(({ content }, index) =>
    unpackedMember(names[index] ?? '', Buffer.from(content as ArrayBuffer)),
  );
  const page = mail.html === undefined ? [] : [unpackedMember('message.html', Buffer.from(mail.html))];
  return [unpackedMember('message.txt', Buffer.from(textOf(mail))), ...page, ...files];
}

/** The page that a message is, such as one that programs pack with its pictures (MHTML). */
export async function pageOfMail(bytes: Buffer): Promise<string | undefined> {
  const { html } = await PostalMime.parse(bytes, { attachmentEncoding: 'arraybuffer' });
  return html;
}

/** The names of what is attached: of two files of one path an archive has but the first. */
export const namesOf = (attached: string[]): string[] =>
  uniqueNames(['message.txt', 'message.html', ...attached]).slice(2);

function textOf({ headers, html, text }: Email): string {
  // What says how a text was packed, which it is no longer, is left out.
  const said = headers.filter(({ key }) => !/^(mime-version|content-.*)$/.test(key));
  const lines = said.map(({ originalKey, value }) => `${originalKey}: ${decodeWords(value)}`);
  return `${lines.join('\n')}\n\n${text ?? (html === undefined ? '' : pageText(html))}`;
}

/** What begins a message in a file of many (RFC 4155), told from a sentence by the header behind it. */
const beginning = /^From .*\r?\n(?=[!-9;-~]+:|>From )/m;

export function openMailbox(bytes: Buffer): ZipMember[] {
  const messages = bytes.toString('latin1').split(beginning).slice(1);
  return messages.map((message, index) => {
    const plain = message.replaceAll(/^>(?=>*From )/gm, '');
    return unpackedMember(`message-${index + 1}.eml`, Buffer.from(plain, 'latin1'));
  });
}

/** The words of a message that is a page, without pictures and without the addresses of its links, which trackers make long. */
export function pageText(html: string): string {
  const text = textOfElements(html, () => '');
  const plain = text.replaceAll(/(?:[ \t]*\|)+[ \t]*$/gm, '').replaceAll(/\n{3,}/g, '\n\n');
  return `[the words of message.html]\n${plain.trim()}`;
}
