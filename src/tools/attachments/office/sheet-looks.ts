import { parseXml } from './xml-text.ts';

/** How a sheet looks; rows and columns count from 0. */
export interface SheetLooks {
  hiddenRows: Map<number, string>;
  hiddenColumns: number[];
  isHidden: boolean;
  coloured: Array<{ row: number; column: number; shade: string }>;
}

/** How often the looks of a row or a cell are repeated at most, whatever it says: the last ones fill the sheet. */
const mostRepeats = 1000;

/** How the sheets of an .ods look, which the library for workbooks does not read. @param xml `content.xml`; absent for others */
export function openDocumentLooks(xml: Buffer | undefined): { sheets: SheetLooks[]; shades: string[] } | undefined {
  if (xml === undefined) return undefined;
  const shadeOf = new Map<string, string>();
  const hiding = new Set<string>();
  const sheets: SheetLooks[] = [];
  let style = '';
  let tables = 0;
  let row = 0;
  let rows = 1;
  let column = 0;
  const times = (text = '1'): number => Number(text) || 1;
  const few = (count: number): number => Math.min(mostRepeats, count);
  parseXml(xml.toString('utf8'), {
    open(name, attributes) {
      const sheet = sheets.at(-1);
      const repeated = times(attributes['number-columns-repeated']);
      if (name === 'style') style = attributes['style:name'] ?? '';
      if (name === 'table-cell-properties' && /^#[\da-f]{6}$/i.test(attributes['background-color'] ?? ''))
        shadeOf.set(style, attributes['background-color']?.slice(1).toUpperCase() ?? '');
      if (name === 'table-properties' && attributes['display'] === 'false') hiding.add(style);
      if (name === 'table' && (tables += 1) === 1) {
        const isHidden = hiding.has(attributes['table:style-name'] ?? '');
        sheets.push({ hiddenRows: new Map(), hiddenColumns: [], isHidden, coloured: [] });
        [row, rows, column] = [0, 0, 0];
      }
      if (sheet === undefined || tables !== 1) return;
      if (name === 'table-column') {
        const isHidden = (attributes['visibility'] ?? 'visible') !== 'visible';
        if (isHidden) for (let each = 0; each < few(repeated); each++) sheet.hiddenColumns.push(column + each);
        column += repeated;
      } else if (name === 'table-row') {
        rows = times(attributes['number-rows-repeated']);
        column = 0;
        const how = { collapse: 'hidden', filter: 'filtered' }[attributes['visibility'] ?? ''];
        if (how !== undefined) for (let each = 0; each < few(rows); each++) sheet.hiddenRows.set(row + each, how);
      } else if (name === 'table-cell' || name === 'covered-table-cell') {
        const shade = shadeOf.get(attributes['table:style-name'] ?? '');
        if (shade !== undefined && repeated < mostRepeats && rows < mostRepeats)
          for (let down = 0; down < rows; down++)
            for (let right = 0; right < repeated; right++)
              sheet.coloured.push({ row: row + down, column: column + right, shade });
        column += repeated;
      }
    },
    close(name) {
      if (name === 'table') tables -= 1;
      if (name === 'table-row' && tables === 1) row += rows;
    },
  });
  return { sheets, shades: [...shadeOf.values()] };
}
