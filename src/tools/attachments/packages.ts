import { extname } from 'node:path';
import type { AttachmentKind } from '../../protocol/attachment.ts';
import { parseTable } from './table.ts';
import { openZip } from './archives/zip.ts';

export type FileType = [kind: AttachmentKind, mediaType: string];

const openXml = 'application/vnd.openxmlformats-officedocument';
const openDocument = 'application/vnd.oasis.opendocument';

export const oldWordType = 'application/msword';
export const oldSlidesType = 'application/vnd.ms-powerpoint';

/** A message, which is an archive of its text and what is attached to it, a file of several messages, and one of Outlook. */
export const mailType = 'message/rfc822';
export const mailboxType = 'application/mbox';
export const outlookType = 'application/vnd.ms-outlook';

/** Workbooks that are texts: XML of Excel 2003, and pages with tables that programs name .xls. */
export const textWorkbookType = 'application/vnd.ms-excel+text';

/** How a page begins that a program has packed with its pictures (MHTML). */
export const mailStart = /^mime-version:/i;

/** What a text is that programs have made to be opened as a workbook or a table; undefined if it is none. */
export function workbookType(name: string, text: string): FileType | undefined {
  if (/<([a-z]+:)?Workbook\b[^>]*urn:schemas-microsoft-com:office:spreadsheet/.test(text.slice(0, examined)))
    return ['workbook', textWorkbookType];
  const ending = extname(name).toLowerCase();
  if (/^\.(txt|dat)$/.test(ending) && isList(text.slice(0, examined))) return ['table', 'text/csv'];
  if (byEnding.get(ending)?.[0] !== 'workbook') return undefined;
  if (mailStart.test(text) || (/<table\b/i.test(text) && /<t[dh]\b/i.test(text))) return ['workbook', textWorkbookType];
  return parseTable(text.slice(0, examined)).columns.length > 1 ? ['table', 'text/csv'] : undefined;
}

/** Whether all lines of a text have as many tabs, or more than one semicolon or bar each: no prose has. */
function isList(beginning: string): boolean {
  // Its last line may be cut.
  const whole = beginning.length < examined ? beginning.trimEnd() : beginning.slice(0, beginning.lastIndexOf('\n'));
  const lines = whole.split(/\r?\n/).slice(0, 100);
  return ['\t', ';', '|'].some((mark) => {
    const [count = 0, ...others] = lines.map((line) => line.split(mark).length - 1);
    return count >= (mark === '\t' ? 1 : 2) && others.length > 0 && others.every((each) => each === count);
  });
}

const examined = 20_000;

/** Formats of office documents by their endings (IANA's media types). */
const byEnding = new Map<string, FileType>([
  ['.docx', ['document', `${openXml}.wordprocessingml.document`]],
  ['.docm', ['document', 'application/vnd.ms-word.document.macroEnabled.12']],
  ['.pptx', ['document', `${openXml}.presentationml.presentation`]],
  ['.pptm', ['document', 'application/vnd.ms-powerpoint.presentation.macroEnabled.12']],
  ['.xlsx', ['workbook', `${openXml}.spreadsheetml.sheet`]],
  ['.xlsm', ['workbook', 'application/vnd.ms-excel.sheet.macroEnabled.12']],
  ['.xlsb', ['workbook', 'application/vnd.ms-excel.sheet.binary.macroEnabled.12']],
  ['.xls', ['workbook', 'application/vnd.ms-excel']],
  ['.odt', ['document', `${openDocument}.text`]],
  ['.odp', ['document', `${openDocument}.presentation`]],
  ['.ods', ['workbook', `${openDocument}.spreadsheet`]],
  ['.zip', ['archive', 'application/zip']],
]);

/** The part by which a file of Office Open XML is known, and the ending of its plainest form. */
const byPart: Array<[part: RegExp, ending: string]> = [
  // Word on the web numbers the parts that it writes.
  [/^word\/document\d*\.xml$/, '.docx'],
  [/^ppt\/presentation\.xml$/, '.pptx'],
  [/^xl\/workbook\.xml$/, '.xlsx'],
  [/^xl\/workbook\.bin$/, '.xlsb'],
];

/**
 * What a file is that begins like a zip archive, or like the documents of old offices, in which encrypted ones are kept as
 * well: by its parts, and by the ending of its name where it is damaged. Undefined if it is of no kind that is read.
 */
export async function packageType(name: string, bytes: Buffer): Promise<FileType | undefined> {
  const ending = extname(name).toLowerCase();
  const named = byEnding.get(ending);
  if (bytes.subarray(0, 8).equals(oldHead)) {
    // What is attached to a message may be a workbook.
    if (holds(bytes, '__properties_version1.0')) return ['archive', outlookType];
    if (holds(bytes, 'EncryptedPackage')) return named ?? byEnding.get('.docx');
    // Either may be put into the other.
    if (holds(bytes, 'WordDocument') && !ending.startsWith('.xl')) return ['document', oldWordType];
    if (holds(bytes, 'PowerPoint Document') && !ending.startsWith('.xl')) return ['document', oldSlidesType];
    return ['Workbook', 'WORKBOOK', 'Book'].some((each) => holds(bytes, each)) ? byEnding.get('.xls') : undefined;
  }
  const head = bytes.subarray(0, 4).toString('latin1');
  if (head !== 'PK\x03\x04' && head !== 'PK\x05\x06') return undefined;
  const own = openDocumentType(bytes);
  if (own !== undefined) return own;
  // Damaged ones, and archives of more files, which are of no office, are not looked into.
  const members = await openZip(bytes, { members: 10_000, bytes: Infinity }).catch(() => []);
  const names = members.map(({ name: each }) => each);
  const plain = named ?? byEnding.get('.zip');
  if (names.length === 0) return plain;
  // Some programs pack the type, or put it elsewhere.
  if (names.includes('content.xml') && names.includes('META-INF/manifest.xml') && ending.startsWith('.od'))
    return plain;
  const [, known = '.zip'] = byPart.find(([each]) => names.some((part) => each.test(part))) ?? [];
  if (!names.includes('[Content_Types].xml')) return byEnding.get('.zip');
  const found = byEnding.get(known);
  return named?.[0] === found?.[0] ? named : found;
}

const oldHead = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);

/** Whether an old document has a stream of this name: the entries of its directory have 128 bytes ([MS-CFB] 2.6). */
export function holds(bytes: Buffer, stream: string): boolean {
  const name = Buffer.from(`${stream}\0`, 'utf16le');
  for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + 1)) if (at % 128 === 0) return true;
  return false;
}

/** OpenDocument files begin with their type, unpacked (OASIS OpenDocument 1.3, part 2, 3.3). */
function openDocumentType(bytes: Buffer): FileType | undefined {
  const [, kind = ''] =
    /mimetypeapplication\/vnd\.oasis\.opendocument\.([a-z]+)/.exec(bytes.toString('latin1', 0, 200)) ?? [];
  return [...byEnding.values()].find(([, mediaType]) => mediaType === `${openDocument}.${kind}`);
}

export function mailTypeOf(name: string, bytes: Buffer): FileType | undefined {
  // What stands before the text of a message mostly has fewer bytes.
  const [head = ''] = bytes.toString('latin1', 0, 50_000).split(/\r?\n\r?\n/, 1);
  const [first = '', ...lines] = head.split(/\r?\n/);
  const isMailbox = first.startsWith('From ');
  const headers = isMailbox ? lines : [first, ...lines];
  if (headers.length < 2 || !headers.every((line) => /^([\w-]+:|[ \t])/.test(line))) return undefined;
  const isSaid = /^\.(eml|mht|mhtml)$/i.test(extname(name)) || headers.some((line) => /^mime-version:/i.test(line));
  const isMail = headers.some((line) => /^(from|date|subject|message-id|received):/i.test(line));
  if (!isMail || !(isMailbox || isSaid)) return undefined;
  return ['archive', isMailbox ? mailboxType : mailType];
}
