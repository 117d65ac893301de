import { describe, expect, test } from 'vitest';
import { readContent } from '../../../src/tools/attachments/content.ts';
import { mended } from '../../../src/tools/attachments/office/sheet-parts.ts';
import { looksNotRead } from '../../../src/tools/attachments/office/unread-looks.ts';
import { recognise } from '../../../src/tools/attachments/recognise.ts';
import { workbookOf } from '../../support/office.ts';
import { partsOf, zipOf } from '../../support/zip.ts';

const read = async (name: string, bytes: Buffer) => readContent(name, bytes, await recognise(name, bytes));

describe('a workbook of any program', () => {
  const dated = (numFmts: string, prefix: string): string =>
    `<${prefix}styleSheet>${numFmts}<${prefix}cellXfs><${prefix}xf/><${prefix}xf numFmtId="31"/></${prefix}cellXfs></${prefix}styleSheet>`;

  test.each([
    ['no formats of its own', dated('', ''), '2026-03-31'],
    ['others', dated('<numFmts><numFmt numFmtId="164" formatCode="0.0"/></numFmts>', ''), '2026-03-31'],
    ['an empty list of them', dated('<numFmts count="0"/>', ''), '2026-03-31'],
    ['prefixes', dated('<x:numFmts><x:numFmt numFmtId="164" formatCode="0.0"/></x:numFmts>', 'x:'), '2026-03-31'],
    [
      'another meaning for the number',
      dated('<numFmts><numFmt numFmtId="31" formatCode="0.0"/></numFmts>', ''),
      '46112',
    ],
  ])('has days in formats that East Asia knows by their numbers: with %s', async (_, styles, shown) => {
    const parts = await partsOf(workbookOf({ S: [['x'], [1]] }));
    const sheet = '<worksheet><sheetData><row r="1"><c r="A1" s="1"><v>46112</v></c></row></sheetData></worksheet>';
    const bytes = zipOf({ ...parts, 'xl/styles.xml': styles, 'xl/worksheets/sheet1.xml': sheet });
    expect((await read('a.xlsx', bytes)).text).toBe(`[sheet 1: S]\n${shown}\n`);
  });

  test('has its comments and pictures where it is of the strict kind, and where its elements have prefixes', async () => {
    const strict = 'http://purl.oclc.org/ooxml/officeDocument/relationships/';
    const noted = { t: 's', v: 'Abel', c: [{ a: 'Tove', t: 'Moved' }] } as never;
    const parts = await partsOf(workbookOf({ S: [['who'], [noted]] }));
    const renamed = Object.entries(parts).map(([name, content]) => {
      const said = content.toString().replaceAll(/http:[/\w.]*\/officeDocument\/2006\/relationships\//g, strict);
      return [name, name.endsWith('.rels') ? said : content] as const;
    });
    expect((await read('a.xlsx', zipOf(Object.fromEntries(renamed)))).text).toMatch(/Abel,A2: Moved \(Tove\)/);
    const cell = '<x:c r="A1" t="e" vm="1"><x:v>#VALUE!</x:v></x:c>';
    const sheet = mended('xl/worksheets/Data.xml', Buffer.from(cell)).toString();
    expect(sheet).toBe('<x:c r="A1" t="str" vm="1"><x:v>[picture or linked data]</x:v></x:c>');
  });

  const ofSheet = (prefix: string): string =>
    `<${prefix}conditionalFormatting sqref="A1"/><${prefix}dataValidation type="list"/>` +
    `<${prefix}is><${prefix}vertAlign val="subscript"/></${prefix}is><${prefix}oddHeader>&amp;CSecret</${prefix}oddHeader>`;
  const ofStyles = (prefix: string): string =>
    `<${prefix}font><${prefix}strike/><${prefix}color rgb="FFFF0000"/></${prefix}font>`;

  test.each([
    ['sheet1.xml', ''],
    ['sheet1.xml', 'x:'],
    ['Sheet1.xml', ''],
    ['data.xml', 'main:'],
  ])('names what is not read of its looks: xl/worksheets/%s with elements that begin with %j', (name, prefix) => {
    const parts = [
      [`xl/worksheets/${name}`, ofSheet(prefix)],
      ['xl/styles.xml', ofStyles(prefix)],
    ] as const;
    expect(looksNotRead(new Map(parts.map(([each, xml]) => [each, Buffer.from(xml)])))).toHaveLength(6);
  });
});

/** An .ods. @param styles what its automatic styles are @param table what its only table has */
const sheetOf = (styles: string, table: string): Buffer =>
  zipOf({
    mimetype: { content: 'application/vnd.oasis.opendocument.spreadsheet', packed: false },
    'content.xml':
      `<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet>` +
      `<table:table table:name="S">${table}</table:table></office:spreadsheet></office:body></office:document-content>`,
    'styles.xml': '<office:document-styles/>',
    'META-INF/manifest.xml': '<manifest/>',
  });

describe('.ods', () => {
  const styled = (format: string): string =>
    `<number:number-style style:name="N">${format}</number:number-style><style:style style:name="c" style:family="table-cell" style:data-style-name="N"/>`;
  const number = (value: number): string =>
    `<table:table-row><table:table-cell table:style-name="c" office:value-type="float" office:value="${value}"><text:p>${value}</text:p></table:table-cell></table:table-row>`;

  test.each([
    [
      '<number:number number:min-integer-digits="1"/><number:text> kg</number:text>',
      '[units that the formats of numbers say: column A in kg]\n12',
    ],
    ['<number:number number:min-integer-digits="1" number:display-factor="1000"/><number:text>k</number:text>', '12'],
    ['<number:text>INV-</number:text><number:number number:min-integer-digits="5"/>', 'INV-00012'],
    [
      '<number:number number:min-integer-digits="5"><number:embedded-text number:position="2">-</number:embedded-text></number:number>',
      '000-12',
    ],
  ])('has a number of the format %s as %j', async (format, shown) => {
    const { text } = await read('a.ods', sheetOf(styled(format), number(12)));
    expect(text).toBe(`[sheet 1: S]\n${shown}\n`);
  });

  test('tells how rows look that stand below many empty ones', async () => {
    const yellow =
      '<style:style style:name="y" style:family="table-cell"><style:table-cell-properties fo:background-color="#ffff00"/></style:style>';
    const row = (text: string, more = ''): string =>
      `<table:table-row ${more}><table:table-cell table:style-name="y" office:value-type="string"><text:p>${text}</text:p></table:table-cell></table:table-row>`;
    const empty = '<table:table-row table:number-rows-repeated="5000"><table:table-cell/></table:table-row>';
    const bytes = sheetOf(yellow, `${row('name')}${empty}${row('Vik', 'table:visibility="collapse"')}`);
    expect((await read('a.ods', bytes)).text).toMatch(/\nname,_hidden,_color\nVik,hidden,yellow\n/);
  });

  const page = '<text:p>Page <text:page-number>1</text:page-number> of <text:page-count>9</text:page-count></text:p>';
  test.each([
    ['<style:header><text:p>Draft</text:p></style:header>', 1],
    ['<style:footer-left><text:p>Draft</text:p></style:footer-left>', 1],
    ['<style:header style:display="false"><text:p>Draft</text:p></style:header>', 0],
    [
      '<style:header><text:p><text:sheet-name>???</text:sheet-name><text:s/>(<text:title>???</text:title>)</text:p></style:header>',
      0,
    ],
    [`<style:footer>${page}</style:footer>`, 0],
    ['<style:header/><text:p>Draft</text:p>', 0],
    ['<style:header style:display="false"/><style:header><text:p>Draft</text:p></style:header>', 1],
  ])('names headers and footers that are not read, unless programs set them: %s', (styles, count) => {
    expect(looksNotRead(new Map([['styles.xml', Buffer.from(styles)]]))).toHaveLength(count);
  });
});

test.each([
  ['quoted-printable', '<table border=3D"1"><tr><td>Gr=C3=B6=\r\n=C3=9Fe</td><td>7</td></tr></table>'],
  ['base64', Buffer.from('<table><tr><td>Größe</td><td>7</td></tr></table>').toString('base64')],
])('an .xls that is a page packed in %s is read as its page', async (encoding, body) => {
  const head =
    'MIME-Version: 1.0\r\nX-Document-Type: Workbook\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\n';
  const part = `Content-Type: text/html; charset="utf-8"\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n--b--\r\n`;
  const { note, text } = await read('a.xls', Buffer.from(head + part));
  expect(text).toMatch(/\nGröße,7\n$/);
  expect(note).toBe('it is a page (HTML), whatever its ending says, each of whose tables is a sheet');
});
