import { Parser } from 'htmlparser2';
import { noted, type Readable, type TypedBytes } from '../readable.ts';
import { shortened } from '../../../workflows/runtime/size.ts';
import { decodeText } from '../../../util/text/encoding.ts';
import { openZip, type ZipMember } from '../archives/zip.ts';
import { pageOfMail } from '../mail/mail.ts';
import { chartsIn, leftOut, shapesIn, textOfSlides, textOfWord, type Parts } from './documents.ts';
import { needsPassword, objectsIn, refuseEncrypted, textOfOpenDocument } from './open-documents.ts';
import { propertiesIn } from './properties.ts';
import { textOfRtf } from './rtf.ts';
import { looksNotRead } from './unread-looks.ts';
import { textOfWorkbook } from './sheets.ts';
import { mailStart, oldSlidesType, oldWordType, textWorkbookType } from '../packages.ts';
import { textOfOldSlides } from './old-slides.ts';
import { beforeWord97, textOfOldWord } from './old-word.ts';

/** What a document may unpack to. A spreadsheet takes about ten times as much memory as its parts. */
const limits = { members: 10_000, bytes: 100_000_000 };

/** Reads one office document, in a thread of its own: a large one takes seconds, and one made to harm takes what it can get. */
export default async function readOffice({ bytes: given, mediaType }: TypedBytes): Promise<Readable> {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  try {
    return await read(bytes, mediaType);
  } catch (error) {
    const { message } = error as Error;
    const isLarge = message.startsWith('its files have');
    const isPlain = isLarge || [needsPassword, beforeWord97].includes(message);
    const hint = isLarge && /sheet|excel/.test(mediaType) ? '; each of its sheets may be saved as CSV' : '';
    throw new Error(isPlain ? message + hint : `it is damaged (${message})`, { cause: error });
  }
}

async function read(bytes: Buffer, mediaType: string): Promise<Readable> {
  const isOld = bytes.subarray(0, 4).equals(oldHead);
  if (isOld && bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'))) throw new Error(needsPassword);
  if (mediaType === 'application/rtf') return textOfRtf(bytes);
  if (mediaType === textWorkbookType) {
    const written = decodeText(bytes)?.text ?? '';
    const given = mailStart.test(written) ? ((await pageOfMail(bytes)) ?? written) : written;
    const isXml = given.includes('office:spreadsheet');
    const { notes, text } = isXml ? { text: given, notes: [] } : tablesOfPage(given);
    const readable = textOfWorkbook(text);
    return { ...readable, ...noted([...notes, readable.note]) };
  }
  if (mediaType === oldSlidesType) return textOfOldSlides(bytes);
  if (mediaType === oldWordType) return textOfOldWord(bytes);
  const readable = isOld ? textOfWorkbook(bytes) : await readParts(await openZip(bytes, limits), mediaType);
  if (readable.note === undefined && readable.text?.trim() === '') return { note: 'it has no text' };
  return readable;
}

const oldHead = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

async function readParts(members: ZipMember[], mediaType: string): Promise<Readable> {
  const byName = new Map(members.map((member) => [member.name, member]));
  if (members.some(({ isEncrypted }) => isEncrypted)) throw new Error(needsPassword);
  const names = [...byName.keys()];
  const parts: Parts = {
    names,
    async read(name) {
      const content = await byName.get(name)?.read();
      if (content === undefined) throw new Error(`it has no ${name}`);
      return content.toString('utf8');
    },
  };
  const readable = await readAs(mediaType, parts, byName);
  const hasMacros = names.some((name) => /vbaProject\.bin$/i.test(name));
  const said = readable.text?.trim() ? await propertiesIn(parts) : '';
  return {
    ...readable,
    ...(said !== '' && { text: `${readable.text?.trimEnd()}\n\n${said}` }),
    ...noted([readable.note, ...(await leftOut(parts)), hasMacros && 'its macros are neither read nor run']),
  };
}

async function readAs(mediaType: string, parts: Parts, members: ReadonlyMap<string, ZipMember>): Promise<Readable> {
  if (mediaType.includes('wordprocessingml') || mediaType.includes('word.')) return { text: await textOfWord(parts) };
  if (mediaType.includes('presentation') || mediaType.includes('powerpoint')) {
    const isOpen = mediaType.includes('opendocument');
    return isOpen ? { text: await textOfOpenDocument(parts) } : textOfSlides(parts);
  }
  if (mediaType.includes('opendocument.text')) return { text: await textOfOpenDocument(parts) };
  if (mediaType.includes('opendocument')) await refuseEncrypted(parts);
  const unpacked = new Map<string, Buffer>();
  // Pictures and the like are no part of the cells.
  for (const [name, member] of members) if (/\.(xml|rels|bin)$/i.test(name)) unpacked.set(name, await member.read());
  const { text = '', note } = textOfWorkbook(unpacked);
  const beside = [...(await chartsIn(parts)), ...(await objectsIn(parts)), ...(await shapesIn(parts))];
  const shapes = beside.map((shape) => `\n${shape}\n`).join('');
  return { text: text + shapes, ...noted([note, ...looksNotRead(unpacked)]) };
}

const kept = /^(table|tr|td|th)$/;
const unseen = /^(style|script|title|xml)$/;

/** The tables of a page, with the ends of cells that a page may leave out and the library for workbooks needs. */
function tablesOfPage(page: string): { text: string; notes: Array<string | false> } {
  let tables = '';
  let beside = '';
  let hasHidden = false;
  let depth = 0;
  let unseenDepth = 0;
  const parser = new Parser({
    onopentag(name, { colspan, rowspan, style = '' }) {
      if (name === 'table') depth += 1;
      if (unseen.test(name)) unseenDepth += 1;
      if (/display:\s*none|visibility:\s*hidden/i.test(style)) hasHidden = true;
      const spans = `${colspan ? ` colspan="${colspan}"` : ''}${rowspan ? ` rowspan="${rowspan}"` : ''}`;
      // A table in a cell is the text of the cell.
      if (depth === 1 && kept.test(name)) tables += `<${name}${spans}>`;
      else if (depth > 0) tables += ' ';
    },
    ontext(text) {
      if (unseenDepth > 0) return;
      if (depth === 0) beside += `${text} `;
      else tables += text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    },
    onclosetag(name) {
      if (depth === 1 && kept.test(name)) tables += `</${name}>`;
      if (name === 'table') depth -= 1;
      if (unseen.test(name)) unseenDepth -= 1;
    },
  });
  parser.end(page);
  const words = beside.replaceAll(/\s+/g, ' ').trim();
  return {
    text: `<html>${tables}</html>`,
    notes: [
      'it is a page (HTML), whatever its ending says, each of whose tables is a sheet',
      hasHidden && 'what its styles hide is shown as any other cell',
      words !== '' && `beside its tables stands: ${shortened(words, 300)}`,
    ],
  };
}
