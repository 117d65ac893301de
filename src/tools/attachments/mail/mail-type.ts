import { extname } from 'node:path';

/** A message, which is an archive of its text and what is attached to it, a file of several messages, and one of Outlook. */
export const mailType = 'message/rfc822';
export const mailboxType = 'application/mbox';
export const outlookType = 'application/vnd.ms-outlook';

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
