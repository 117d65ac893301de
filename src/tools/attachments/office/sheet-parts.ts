import { withoutNumbers } from './colours.ts';

/** A part of a workbook with what the library for workbooks would not read of it. */
export function mended(name: string, part: Buffer): Buffer {
  if (/^xl\/styles\.xml$/i.test(name)) return changed(part, (styles) => withDates(withoutNumbers(styles)));
  if (/^xl\/worksheets\/[^/]+\.xml$/i.test(name) && part.includes(' vm="')) return changed(part, withPictures);
  if (name.endsWith('.rels') && part.includes(strict)) return changed(part, (said) => said.replaceAll(strict, usual));
  if (/^(content|styles)\.xml$/.test(name) && part.includes('display-factor=')) return changed(part, withoutFalseUnits);
  return part;
}

const changed = (part: Buffer, change: (xml: string) => string): Buffer => Buffer.from(change(part.toString('utf8')));

/** What relationships are called in files of the strict kind (ISO/IEC 29500), and in all others. */
const strict = 'http://purl.oclc.org/ooxml/officeDocument/relationships/';
const usual = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/';

/** Cells with pictures and the like, which would be errors. */
const withPictures = (sheet: string): string =>
  sheet.replaceAll(
    /<((?:\w+:)?)c ([^<>]*)t="e"([^<>]* vm="\d+"[^<>]*)><\1v>#VALUE!<\/\1v>/g,
    '<$1c $2t="str"$3><$1v>[picture or linked data]</$1v>',
  );

/** The numbers of formats that are days or times in East Asia without being declared (ECMA-376, 18.8.30). */
const eastAsian = [
  ...Array.from({ length: 10 }, (_, index) => 27 + index),
  ...Array.from({ length: 9 }, (_, index) => 50 + index),
];
const dates = eastAsian.map((number) => `<numFmt numFmtId="${number}" formatCode="yyyy-mm-dd"/>`).join('');

/** Styles that declare these formats before their own, which count if they have the same numbers. */
function withDates(styles: string): string {
  const list = /<(?:\w+:)?numFmts(?: [^<>]*[^/<>])?>/;
  if (list.test(styles)) return styles.replace(list, (begin) => begin + dates);
  const bare = styles.replace(/<(?:\w+:)?numFmts\b[^<>]*\/>/, '');
  return bare.replace(/<(?:\w+:)?styleSheet\b[^<>]*>/, (begin) => `${begin}<numFmts>${dates}</numFmts>`);
}

/** Formats of OpenDocument without their texts where these say thousands or millions: 5000 shown as `5 k` is no 5000 k. */
const withoutFalseUnits = (xml: string): string =>
  xml.replaceAll(
    /<number:((?:number|currency|percentage)-style) [^<>]*[^/<>]>(?:(?!<number:\1 ).)*?<\/number:\1>/gs,
    (style) =>
      style.includes('display-factor=')
        ? style.replaceAll(/<number:(text|currency-symbol)(?: [^<>]*)?(?:\/>|>[^<]*<\/number:\1>)/g, '')
        : style,
  );
