import { readFileSync } from 'node:fs';
import { readContent } from '../../src/tools/attachments/content.ts';
import { recognise } from '../../src/tools/attachments/recognise.ts';
import { table } from './table.ts';

const folder = new URL('../../examples/gaia-like/', import.meta.url);

/** Something in a file: what it is, and how a reading of it is told, of ours and in MarkItDown's. */
type Probe = [file: string, what: string, read: RegExp | undefined, named: RegExp | undefined, theirs: RegExp];

const probes: Probe[] = [
  ['warehouse.xlsx', 'hidden rows', /_hidden\n.*\n.*,hidden$/m, /rows are hidden/, /hidden/],
  ['tickets.xlsx', 'rows that a filter hides', /,filtered$/m, /rows are hidden/, /filtered|hidden/],
  ['tickets.xlsx', 'a hidden column', /Refunded/, /columns are hidden/, /Refunded/],
  ['tickets.xlsx', 'a hidden sheet', /\[sheet 2: Prices\]/, /sheet Prices is hidden/, /## Prices/],
  ['tickets.xlsx', 'a chart', /\[chart: Ferries \(bar\)\]/, undefined, /Sold by ferry/],
  ['tickets.xlsx', 'colours that come from rules', undefined, /conditional formatting/, /FFC7CE|pink|red/i],
  ['budget.xlsx', 'colours of cells', /,yellow/, /cells are coloured/, /yellow/i],
  ['budget.xlsx', 'comments of cells', /Paid twice by mistake/, /have comments/, /Paid twice/],
  ['budget.xlsx', 'colours of text', undefined, /colours of text are not read/, /\bred\b|FF0000/i],
  ['catches.xlsx', 'merged cells', /^North,Bode/m, /ranges of cells are merged/, /North \| Bode/],
  ['catches.xlsx', 'titles above the header, a header of two rows', /^Coast,Harbour,2022 Cod/m, undefined, /2022 Cod/],
  ['deliveries.xlsx', 'dates that count from 1904', /2023-11-29/, undefined, /2023-11-29/],
  ['invoice.xlsx', 'formulas beside their values', /C3 = B3\*1\.07/, undefined, /1\.07/],
  ['offer.xlsx', 'formulas that were never computed', /=SUM\(B2:B3\)/, /have no value/, /SUM\(/],
  ['warehouse.ods', 'hidden rows', /,hidden$/m, /rows are hidden/, /Rope/],
  ['budget.ods', 'colours of cells', /,yellow/, /cells are coloured/, /Crane/],
  ['tickets.xls', 'rows that a filter hides', /,filtered$/m, /rows are hidden/, /filtered|hidden/],
  ['port.pptx', 'the series of a chart', /2021 \| 22 \| 104/, undefined, /2021 \| 22\.0 \| 104\.0/],
  ['port.pptx', 'a hidden slide', /quay closes/, /hidden slides/, /quay closes/],
  ['port.odp', 'the series of a chart', /2021 \| 22 \| 104/, undefined, /2021/],
  ['tides.docx', 'empty and merged cells of tables', /2 \| \| Hauge/, /merged cells/, /2 \|  \| Hauge/],
  ['tides.docx', 'pictures', undefined, /pictures in it/, /!\[[^\]]/],
  ['contract.docx', 'text that tracked changes have deleted', undefined, /tracked changes/, /600 crowns/],
  ['contract.docx', 'hidden text', /Ida Moe/, /hidden text/, /Ida Moe/],
  ['tides.odt', 'empty and merged cells of tables', /2 \| \| Hauge/, /merged cells/, /Hauge/],
  [
    'arrivals.pdf',
    'empty cells of tables (reportlab)',
    /Bode \|  \| 21 \|  \| 23/,
    undefined,
    /Bode +\| +\| 21 +\| +\| 23/,
  ],
  ['rescues.pdf', 'empty cells of tables (fpdf2)', /Utvik \|  \|  \| 6/, undefined, /Utvik +\| +\| +\| 6/],
  ['quays.pdf', 'empty cells of tables (matplotlib)', /West \|  \| 310/, undefined, /West +\| +\| 310/],
  ['catches.pdf', 'numbers below their headings (LibreOffice)', /Vik \| 31 \| 12 \|/, undefined, /Vik +\| 31/],
  ['berth.pdf', 'fields of a form', /Morgenrøde/, undefined, /Morgenrøde/],
  ['scan.pdf', 'a page that is a picture', /this page is a picture/, /pages that are pictures/, /oars/],
  ['poster.pdf', 'a picture beside text', undefined, /there are pictures in it/, /!\[[^\]]/],
  ['locked.pdf', 'a password', undefined, /needs a password/, /2917/],
];

/** The page on what of files is read, made by reading the files of `examples/gaia-like`. */
export async function attachmentsPage(): Promise<string> {
  const { texts, version } = JSON.parse(readFileSync(new URL('markitdown.json', folder), 'utf8')) as {
    texts: Record<string, string>;
    version: string;
  };
  const readings = new Map<string, { text?: string; note?: string }>();
  for (const name of new Set(probes.map(([file]) => file))) {
    const bytes = readFileSync(new URL(`files/${name}`, folder));
    const found = await recognise(name, bytes);
    readings.set(name, typeof found === 'string' ? { note: found } : await readContent(name, bytes, found));
  }
  const rows = probes.map(([file, what, read, named, theirs]) => {
    const { note = '', text = '' } = readings.get(file) ?? {};
    const other = texts[file] ?? '';
    return [
      file.slice(file.lastIndexOf('.')),
      what,
      yes(read?.test(text)),
      yes(named?.test(note)),
      other.startsWith('refused') ? 'refused' : yes(theirs.test(other)),
      `\`${file}\``,
    ];
  });
  return [
    '# What is read of attachments',
    '',
    'Each line is tried on a file of [`examples/gaia-like/files`](../../examples/gaia-like/files), which other programs have',
    `made. What is left out stands in the note of the file. The last but one column is what MarkItDown ${version} reads of the`,
    'same file. Pages of a PDF that are pictures are shown to models that see. [Attachments](../solving.md#attachments)',
    'explains the kinds.',
    '',
    table(['file', 'what is in it', 'read', 'named', 'MarkItDown', 'tried on'], rows),
    '',
  ].join('\n');
}

const yes = (is: boolean | undefined): string => (is === true ? 'yes' : '');
