import { Parser } from 'htmlparser2';
import { decodeText } from '../encoding.ts';
import { shortened } from '../../../workflows/runtime/size.ts';

interface TextWorkbook {
  text: string;
  notes: Array<string | false>;
}

/** How many characters of what stands beside tables are shown. */
const longestBeside = 300;

/** A workbook that is a text: XML of Excel 2003, or a page with tables. @returns it, and what is to be said of a page */
export function textWorkbook(bytes: Buffer): TextWorkbook {
  const text = decodeText(bytes)?.text ?? '';
  return text.includes('office:spreadsheet') ? { text, notes: [] } : tablesOfPage(text);
}

const kept = /^(table|tr|td|th)$/;
const unseen = /^(style|script|title|xml)$/;
const hides = /display:\s*none|visibility:\s*hidden/i;

/** The tables of a page, with the ends of cells that a page may leave out and the library for workbooks needs. */
function tablesOfPage(page: string): TextWorkbook {
  let tables = '';
  let beside = '';
  let hasHidden = false;
  let depth = 0;
  let unseenDepth = 0;
  const parser = new Parser({
    onopentag(name, { colspan, rowspan, style = '' }) {
      if (name === 'table') depth += 1;
      if (unseen.test(name)) unseenDepth += 1;
      if (hides.test(style)) hasHidden = true;
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
      words !== '' && `beside its tables stands: ${shortened(words, longestBeside)}`,
    ],
  };
}
