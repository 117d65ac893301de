import type { CellObject } from '@e965/xlsx';
import { describe, expect, test } from 'vitest';
import { readContent } from '../../../src/tools/attachments/content.ts';
import { conventionsOf, valueOf } from '../../../src/tools/attachments/office/cell-values.ts';
import { propertiesOf } from '../../../src/tools/attachments/office/properties.ts';
import { recognise, type Recognised } from '../../../src/tools/attachments/recognise.ts';
import { previewOf } from '../../../src/tools/attachments/run-files.ts';
import { looksNotRead } from '../../../src/tools/attachments/office/unread-looks.ts';
import { sheetsOf } from '../../../src/tools/attachments/table.ts';
import { workbookOf } from '../../support/office.ts';
import { partsOf, zipOf } from '../../support/zip.ts';

const found = async (name: string, bytes: Buffer): Promise<Recognised> => recognise(name, bytes);
const read = async (name: string, bytes: Buffer) => readContent(name, bytes, await found(name, bytes));

/** What is left out of every .xls, whether it has any or not. */
const unreadOfOld =
  '; of an old workbook (.xls) charts, texts in shapes, rules for cells, and what is struck out or above its line are not read';

describe('a workbook', () => {
  const date = (iso: string): Date => new Date(`${iso}Z`);
  const sheets = {
    Sales: [
      ['region', 'amount', 'when', 'at', 'paid', 'share'],
      ['North, east', 1234.5, date('2026-03-31T00:00:00'), date('2026-03-31T13:45:00'), true, 0.25],
      ['He said "no"', -7, null, null, false, { t: 'e', v: 0x07 } as never],
      ['two\nlines', { t: 'n', v: 42, f: 'SUM(B2:B3)' } as never],
      ['[sheet 2: not one]', '007'],
    ],
    Empty: [],
    'Costs 2026': [
      ['a', 'b'],
      [1, 2],
    ],
  };

  test.each(['xlsx', 'xlsb', 'xls', 'ods'] as const)(
    '.%s is read sheet by sheet: values, dates, what formulas say',
    async (type) => {
      const { note, text } = await read(`a.${type}`, workbookOf(sheets, type));
      // The library writes formulas into these two alone.
      const hasFormulas = ['xlsx', 'ods'].includes(type);
      const sums = hasFormulas
        ? 'Sales: cells that add up others of their column, which sums would count twice: B4; '
        : '';
      expect(note).toBe(`${sums}the sheet Empty is empty${type === 'xls' ? unreadOfOld : ''}`);
      expect(text).toBe(
        [
          '[sheet 1: Sales]',
          ...(hasFormulas ? ['[formulas, with the header in row 1: B4 = SUM(B2:B3)]'] : []),
          'region,amount,when,at,paid,share',
          '"North, east",1234.5,2026-03-31,2026-03-31T13:45:00,TRUE,0.25',
          // The library writes no errors into an .ods.
          `"He said ""no""",-7,,,FALSE${type === 'ods' ? '' : ',#DIV/0!'}`,
          'two lines,42',
          '"[sheet 2: not one]",007',
          '',
          '[sheet 2: Empty]',
          '',
          '[sheet 3: Costs 2026]',
          'a,b',
          '1,2',
          '',
        ].join('\n'),
      );
      expect(sheetsOf(text ?? '').map(({ name }) => name)).toEqual(Object.keys(sheets));
    },
  );

  test('is known by what is in it, whatever its name says', async () => {
    const bytes = workbookOf(sheets);
    const excel = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    for (const name of ['a.xlsx', 'a', 'a.zip', 'a.docx']) {
      expect(await found(name, bytes)).toEqual({ kind: 'workbook', mediaType: excel });
    }
    expect((await found('a.xlsm', bytes)).mediaType).toBe('application/vnd.ms-excel.sheet.macroEnabled.12');
  });

  test('shows its sheets with their columns, their number of rows, and the first rows', async () => {
    const { text = '' } = await read('a.xlsx', workbookOf(sheets));
    expect(await previewOf('workbook', text)).toBe(
      'Sheet "Sales", 4 rows: region, amount, when, at, paid, share\n' +
        'North, east | 1234.5 | 2026-03-31 | 2026-03-31T13:45:00 | TRUE | 0.25\n' +
        'He said "no" | -7 |  |  | FALSE | #DIV/0!\n' +
        '[formulas, with the header in row 1: B4 = SUM(B2:B3)]\n' +
        'Sheet "Empty", 0 rows: empty\nSheet "Costs 2026", 1 row: a, b\n1 | 2',
    );
  });

  test('says where the first row of a sheet may be data, and which may be totals', async () => {
    const rows = [
      ['Kiel', 77],
      ['Bonn', 5],
    ];
    const { note } = await read('a.xlsx', workbookOf({ S: rows, T: [['town', 'tons'], ...rows, ['Total', 82]] }));
    expect(note).toBe('S: its first row may be data; T: rows that may be totals, which sums would count twice: Total');
  });

  test('whose formulas were never computed shows them, and says so', async () => {
    const xml = '<worksheet><sheetData><row r="1"><c r="A1"><f>1+1</f></c></row></sheetData></worksheet>';
    const parts = await partsOf(workbookOf({ S: [['x']] }));
    const { note, text } = await read('a.xlsx', zipOf({ ...parts, 'xl/worksheets/sheet1.xml': xml }));
    expect(text).toBe('[sheet 1: S]\n=1+1\n');
    expect(note).toMatch(/^1 formulas of S have no value, .* they are shown as formulas$/);
  });

  test('whose formulas are all to be computed anew shows those that are 0, and no others', async () => {
    const formula = (f: string, v: number) => ({ t: 'n', v, f }) as never;
    const parts = await partsOf(workbookOf({ S: [['x'], [formula('1+1', 0)], [formula('1+2', 3)], [0]] }));
    const book = (parts['xl/workbook.xml'] ?? '').toString();
    const asked = book.replace('</sheets>', '</sheets><calcPr calcId="124519" fullCalcOnLoad="1"/>');
    const { note, text } = await read('a.xlsx', zipOf({ ...parts, 'xl/workbook.xml': asked }));
    expect(text).toMatch(/\nx\n=1\+1\n3\n0\n$/);
    expect(note).toMatch(/^1 formulas of S have no value/);
    expect((await read('a.xlsx', zipOf(parts))).text).toMatch(/\nx\n0\n3\n0\n$/);
  });

  test.each([
    [46_112 + 49_500.25 / 86_400, 'yyyy-mm-dd hh:mm', false, '2026-03-31T13:45:00.250'],
    [86.96 / 86_400, 'mm:ss.00', false, '00:01:26.960'],
    [0.1 + 0.2, 'hh:mm', false, '07:12:00'],
    [1 / 3, '[Red]h:mm:ss', true, '08:00:00'],
    [1 / 3, 'yyyy-mm-dd h:mm', true, '1904-01-01T08:00:00'],
    [0, 'yyyy-mm-dd', true, '1904-01-01'],
  ])(
    'has its times to the millisecond, and a day where it says one: %d as %s, from 1904: %s',
    (v, z, is1904, shown) => {
      expect(valueOf({ t: 'n', v, z }, { is1904 })).toBe(shown);
    },
  );

  test.each([
    ['', '', '=A2*2'],
    ['', 'ok', ''],
  ])('of an old office shows formulas whose texts are all empty: %j and %j', (first, second, shown) => {
    const formula = (v: string): CellObject => ({ t: 's', v, f: 'A2*2' });
    const cells = [formula(first), formula(second)];
    const [cell] = cells;
    const conventions = conventionsOf({ SheetNames: [], Sheets: {} }, true, cells);
    expect(valueOf(cell, conventions)).toBe(shown);
    expect(valueOf(cell, conventionsOf({ SheetNames: [], Sheets: {} }, false, cells))).toBe('');
  });

  test('says what only the formats of its numbers, its names, links, authors and shapes say', async () => {
    const number = (v: number, z: string) => ({ t: 'n', v, z }) as never;
    const site = { t: 's', v: 'site', l: { Target: 'https://example.org/7' } } as never;
    const noted = { t: 's', v: 'Abel', c: [{ a: 'Tove', t: 'Moved' }] } as never;
    const given = workbookOf({
      S: [
        ['who', 'postcode', 'took', 'price', 'paid', 'see'],
        [noted, number(1067, '00000'), number(1.5, '[h]:mm'), number(9.5, '0.00 "EUR"'), number(5, '[$€-407]0'), site],
        ['Bo', number(80_331, '00000'), number(0.25, '[h]:mm'), number(7, '0.00 "EUR"'), number(6, '$0'), null],
      ],
    });
    const parts = await partsOf(given);
    const book = (parts['xl/workbook.xml'] ?? '')
      .toString()
      .replace('</sheets>', '</sheets><definedNames><definedName name="Vat">0.19</definedName></definedNames>');
    const box =
      '<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>Due 7 May</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>';
    const sheet = (parts['xl/worksheets/sheet1.xml'] ?? '')
      .toString()
      .replace(
        '</sheetData>',
        '</sheetData><dataValidations><dataValidation type="list"/></dataValidations><headerFooter><oddHeader>&amp;CSecret</oddHeader><oddFooter>Page &amp;P</oddFooter></headerFooter>',
      );
    const bytes = zipOf({
      ...parts,
      'xl/workbook.xml': book,
      'xl/worksheets/sheet1.xml': sheet,
      'xl/drawings/drawing9.xml': box,
    });
    const { note, text = '' } = await read('a.xlsx', bytes);
    expect(text).toBe(
      [
        '[sheet 1: S]',
        '[units that the formats of numbers say: column D in EUR]',
        '[names: Vat = 0.19]',
        'who,postcode,took,price,paid,see,_comment,_link',
        'Abel,01067,36:00:00,9.5,5 €,site,A2: Moved (Tove),F2: https://example.org/7',
        'Bo,80331,06:00:00,7,6 $',
        '',
        '[shapes]',
        'Due 7 May',
        '',
      ].join('\n'),
    );
    expect(note).toBe(
      'S: cells in 1 of its rows have comments, see _comment; which values cells may have (data validation) is not read; ' +
        'headers and footers of printed pages are not read',
    );
    expect(sheetsOf(text)).toHaveLength(1);
  });

  test('keeps a comment of several lines in its row', async () => {
    const noted = { t: 'n', v: 2, c: [{ a: 'Ada', t: 'Ada:\nSure?' }] } as never;
    const { text = '' } = await read('a.xlsx', workbookOf({ S: [['n'], [noted], [3]] }));
    expect(text).toBe('[sheet 1: S]\nn,_comment\n2,A2: Ada: Sure?\n3\n');
  });

  test('tells what stands above its line, is struck out, or has a comment of nobody', async () => {
    const runs =
      '<r><t>10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>6</t></r><r><rPr><strike/></rPr><t> W</t></r>';
    const parts = await partsOf(workbookOf({ S: [['x', { t: 's', v: 'y', c: [{ a: 'A', t: 'Hm' }] } as never]] }));
    const nobodys =
      '<comments><commentList><comment ref="B1"><text><t>Hm</t></text></comment></commentList></comments>';
    const sheet = (cell: string): string =>
      `<worksheet><sheetData><row r="1">${cell}</row></sheetData><legacyDrawing/></worksheet>`;
    const shared = (parts['[Content_Types].xml'] ?? '')
      .toString()
      .replace(
        '</Types>',
        '<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>',
      );
    const { text } = await read(
      'a.xlsx',
      zipOf({
        ...parts,
        '[Content_Types].xml': shared,
        'xl/sharedStrings.xml': `<sst><si>${runs}</si></sst>`,
        'xl/worksheets/sheet1.xml': sheet('<c r="A1" t="s"><v>0</v></c><c r="B1"><v>7</v></c>'),
        'xl/comments1.xml': nobodys,
      }),
    );
    expect(text).toBe('[sheet 1: S]\n[comment at B1: Hm]\n10^6~~ W~~,7\n');
    const xml = sheet(`<c r="A1" t="inlineStr"><is>${runs}</is></c>`);
    const { note } = await read('a.xlsx', zipOf({ ...parts, 'xl/worksheets/sheet1.xml': xml }));
    expect(note).toMatch(/^some letters stand above or below their line/);
  });

  test('knows colours that have numbers, also where the workbook has its own', async () => {
    const styles = (colors: string): string =>
      '<styleSheet><fills><fill/><fill/><fill><patternFill patternType="solid"><fgColor indexed="10"/></patternFill></fill></fills>' +
      `<cellXfs><xf/><xf fillId="2"/></cellXfs>${colors}</styleSheet>`;
    const parts = await partsOf(workbookOf({ S: [['x'], [1]] }));
    const sheet =
      '<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2" s="1"><v>2</v></c></row></sheetData></worksheet>';
    const noteOf = async (colors: string) =>
      (await read('a.xlsx', zipOf({ ...parts, 'xl/styles.xml': styles(colors), 'xl/worksheets/sheet1.xml': sheet })))
        .note;
    expect(await noteOf('')).toMatch(/1 rows are coloured \(red\)/);
    const own = `<colors><indexedColors>${'<rgbColor rgb="0000FF00"/>'.repeat(11)}</indexedColors></colors>`;
    expect(await noteOf(own)).toMatch(/1 rows are coloured \(green\)/);
  });

  test.each(['<strike/>', '<strike val="1"/>', '<strike val="true" />'])(
    'says that cells are struck out: %s',
    (strike) => {
      const styles = (text: string) => new Map([['xl/styles.xml', Buffer.from(`<font>${text}</font>`)]]);
      expect(looksNotRead(styles(strike))).toEqual(['some cells are struck out, and read like the others']);
      expect(looksNotRead(styles('<strike val="0"/>'))).toEqual([]);
    },
  );

  test('says where a cell has a picture or linked data, and where an error', async () => {
    const parts = await partsOf(workbookOf({ S: [['x']] }));
    const cells =
      '<c r="A1" s="0" t="e" vm="1"><v>#VALUE!</v></c><c r="B1" t="e"><v>#VALUE!</v></c><c r="C1" t="e" vm="2"><f>A:A</f><v>#VALUE!</v></c>';
    const xml = `<worksheet><sheetData><row r="1">${cells}</row></sheetData></worksheet>`;
    const { text } = await read('a.xlsx', zipOf({ ...parts, 'xl/worksheets/sheet1.xml': xml }));
    expect(text).toMatch(/\n"\[picture or linked data\]",#VALUE!,#VALUE!\n/);
  });

  test('names columns without any width, and what an .xls says of itself', async () => {
    const cells = { S: [['shown', 'narrow']] };
    const parts = await partsOf(workbookOf(cells));
    const xml = (parts['xl/worksheets/sheet1.xml'] ?? '')
      .toString()
      .replace('<sheetData>', '<cols><col min="2" max="2" width="0" customWidth="1"/></cols><sheetData>');
    const narrow = await read('a.xlsx', zipOf({ ...parts, 'xl/worksheets/sheet1.xml': xml }));
    expect(narrow.note).toBe('S: these columns are hidden, and read all the same: narrow');
    expect(propertiesOf({ Title: 'Tides', Author: 'Ada' })).toBe('[properties: title Tides; author Ada]');
  });

  test('.ods names hidden sheets, and what stands above its line; its charts are read', async () => {
    const chart = '<chart:chart><chart:title><text:p>Catch</text:p></chart:title></chart:chart>';
    const content =
      '<office:document-content><office:automatic-styles><style:style style:name="t" style:family="table"><style:table-properties table:display="false"/></style:style>' +
      '<style:style style:name="T1"><style:text-properties style:text-position="super 58%"/></style:style></office:automatic-styles><office:body><office:spreadsheet>' +
      '<table:table table:name="S" table:style-name="t"><table:table-row><table:table-cell office:value-type="string"><text:p>m<text:span text:style-name="T1">2</text:span></text:p></table:table-cell></table:table-row></table:table>' +
      '</office:spreadsheet></office:body></office:document-content>';
    const bytes = zipOf({
      mimetype: { content: 'application/vnd.oasis.opendocument.spreadsheet', packed: false },
      'content.xml': content,
      'styles.xml': '<office:document-styles/>',
      'Object 1/content.xml': chart,
      'META-INF/manifest.xml': '<manifest/>',
    });
    const { note, text = '' } = await read('a.ods', bytes);
    expect(text).toMatch(/\n\[chart\]\nCatch\n$/);
    expect(sheetsOf(text)).toMatchObject([{ csv: 'm2' }]);
    expect(note).toMatch(/^the sheet S is hidden; some letters stand above or below their line/);
  });

  test('.ods keeps the sign of its durations, and fractions of seconds', async () => {
    const cell = (iso: string, shown: string): string =>
      `<table:table-row><table:table-cell table:style-name="c" office:value-type="time" office:time-value="${iso}"><text:p>${shown}</text:p></table:table-cell></table:table-row>`;
    const time = '<number:hours number:style="long"/><number:text>:</number:text><number:minutes number:style="long"/>';
    const content =
      `<office:document-content><office:automatic-styles><number:time-style style:name="N" number:truncate-on-overflow="false">${time}</number:time-style>` +
      '<style:style style:name="c" style:family="table-cell" style:data-style-name="N"/></office:automatic-styles><office:body><office:spreadsheet>' +
      `<table:table table:name="S">${cell('-PT06H00M00S', '-06:00')}${cell('PT00H01M26.96S', '01:26,96')}</table:table>` +
      '</office:spreadsheet></office:body></office:document-content>';
    const bytes = zipOf({
      mimetype: { content: 'application/vnd.oasis.opendocument.spreadsheet', packed: false },
      'content.xml': content,
      'styles.xml': '<office:document-styles/>',
      'META-INF/manifest.xml': '<manifest/>',
    });
    expect((await read('a.ods', bytes)).text).toBe('[sheet 1: S]\n-06:00:00\n00:01:26.960\n');
  });

  test('with macros is read without them', async () => {
    const parts = await partsOf(workbookOf({ S: [['x']] }));
    const { note, text } = await read('a.xlsm', zipOf({ ...parts, 'xl/vbaProject.bin': Buffer.from('Shell "rm"') }));
    expect({ note, text }).toEqual({ note: 'its macros are neither read nor run', text: '[sheet 1: S]\nx\n' });
  });
});
