import { expect, test } from 'vitest';
import { readContent } from '../../../src/tools/attachments/content.ts';
import { recognise } from '../../../src/tools/attachments/recognise.ts';
import { fixture } from '../../support/files.ts';
import { docxOf } from '../../support/office.ts';
import { partsOf, zipOf } from '../../support/zip.ts';

const read = async (name: string, bytes: Buffer) => readContent(name, bytes, await recognise(name, bytes));
const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const cell = (text: string): string => `<w:tc>${paragraph(text)}</w:tc>`;
const table = `<w:tbl><w:tr>${cell('a')}${cell('b')}</w:tr><w:tr>${cell('1')}${cell('')}</w:tr></w:tbl>`;

test('.docx has its paragraphs, headings, lists, tables, pictures, notes and comments, without what was deleted', async () => {
  const note = '<w:r><w:footnoteReference w:id="2"/></w:r>';
  const body =
    `<w:p><w:pPr><w:pStyle w:val="Heading2"/><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t>Plan &amp; aim</w:t></w:r></w:p>` +
    `<w:p><w:r><w:t>One</w:t><w:tab/><w:t>two</w:t><w:br/><w:t>three</w:t></w:r>${note}</w:p>` +
    `<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>item</w:t></w:r></w:p>${table}` +
    `<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:r><wp:docPr descr="A cat"/></w:r></w:p>` +
    `<w:p><mc:AlternateContent><mc:Choice>${paragraph('box')}</mc:Choice><mc:Fallback>${paragraph('box')}</mc:Fallback></mc:AlternateContent></w:p>`;
  const { note: problem, text } = await read(
    'a.docx',
    docxOf(body, {
      'word/footnotes.xml': `<w:footnotes><w:footnote w:type="separator" w:id="0"/><w:footnote w:id="2">${paragraph('Sure?')}</w:footnote></w:footnotes>`,
      'word/comments.xml': `<w:comments><w:comment w:id="4" w:author="Ivar">${paragraph('Why?')}</w:comment></w:comments>`,
      'word/header1.xml': `<w:hdr>${paragraph('Draft')}</w:hdr>`,
      'word/header2.xml': `<w:hdr>${paragraph('Draft')}</w:hdr>`,
    }),
  );
  expect(problem).toBe('what tracked changes have deleted is left out, and what they have added is read');
  expect(text).toBe(
    '[header]\nDraft\n\n## Plan & aim\nOne\ttwo\nthree[note 2]\n- item\na | b\n1\n[picture: A cat]\nbox\n\n' +
      '[notes]\n[note 2] Sure?\n\n[comments]\n[comment 4] Ivar: Why?',
  );
});

test('.docx shows where links lead, what is struck out or commented, symbols and boxes, and names what it leaves out', async () => {
  const body =
    `<w:p><w:r><w:instrText> HYPERLINK "https://example.org/?a&amp;b" </w:instrText></w:r><w:r><w:t>field</w:t></w:r></w:p><w:altChunk r:id="r2"/>` +
    `<w:p><w:hyperlink r:id="r1"><w:r><w:t>site</w:t></w:r></w:hyperlink><w:hyperlink w:anchor="x"><w:r><w:t> here</w:t></w:r></w:hyperlink></w:p>` +
    `<w:p><w:pPr><w:rPr><w:strike/></w:rPr></w:pPr><w:r><w:rPr><w:strike/></w:rPr><w:t>900</w:t></w:r><w:r><w:rPr><w:strike w:val="0"/></w:rPr><w:t> 750</w:t></w:r><w:r><w:commentReference w:id="4"/></w:r></w:p>` +
    `<w:p><w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r><w:r><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:r></w:p>` +
    `<w:p><w:pPr><w:numPr></w:numPr></w:pPr><w:r><w:rPr><w:highlight w:val="yellow"/></w:rPr><w:t>item</w:t></w:r></w:p>`;
  const { note, text } = await read(
    'a.docx',
    docxOf(body, {
      'word/_rels/document.xml.rels':
        '<Relationships><Relationship Id="r1" Type="x/hyperlink" Target="https://example.org/7" TargetMode="External"/></Relationships>',
      'word/embeddings/a.xlsx': '',
    }),
  );
  expect(text).toBe(
    '[link: https://example.org/?a&b] field\n[link: https://example.org/7] site here\n~~900~~ 750[comment 4]\n[symbol F0FE of Wingdings][box][is checked]\n- item',
  );
  expect(note).toBe(
    'colours of text are not read; files that are embedded in it, which are not read: 1; documents that are put into it whole (altChunk) are not read',
  );
});

test('.docx is read where its parts have numbers, as Word on the web writes them', async () => {
  const parts = await partsOf(docxOf(paragraph('Hello')));
  const { 'word/document.xml': body, ...others } = parts;
  const bytes = zipOf({
    ...others,
    'word/document2.xml': (body ?? '').toString().replace('<w:body>', '<w:body><w:del w:id="1"/>'),
    'word/comments3.xml': `<w:comments><w:comment w:id="4">${paragraph('Why?')}</w:comment></w:comments>`,
  });
  expect(await read('a.docx', bytes)).toEqual({
    text: 'Hello\n\n[comments]\n[comment 4] Why?',
    note: 'what tracked changes have deleted is left out, and what they have added is read',
  });
});

test('.docx numbers the items of its lists, headings and levels as Word shows them', async () => {
  const level = (at: number, format: string, text: string, more = ''): string =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
  const base = (id: number, levels: string): string =>
    `<w:abstractNum w:abstractNumId="${id}">${levels}</w:abstractNum>`;
  const list = (id: number, of: number, more = ''): string =>
    `<w:num w:numId="${id}"><w:abstractNumId w:val="${of}"/>${more}</w:num>`;
  const numbering =
    base(
      1,
      level(0, 'upperRoman', 'Art. %1', '<w:pStyle w:val="Heading1"/>') +
        level(1, 'decimal', '%1.%2', '<w:isLgl/>') +
        level(2, 'lowerLetter', '(%3)') +
        level(3, 'bullet', 'o'),
    ) +
    base(2, level(0, 'decimalZero', '%1&lt;')) +
    list(1, 1) +
    list(2, 2) +
    list(3, 2, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>');
  const styles =
    '<w:style w:styleId="Heading1"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>' +
    '<w:style w:styleId="Clause"><w:basedOn w:val="Heading1"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr></w:style>';
  const item = (text: string, properties: string): string =>
    `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
  const at = (id: number, depth = 0): string => `<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="${id}"/></w:numPr>`;
  const styled = (style: string): string => `<w:pStyle w:val="${style}"/>`;
  const items: Array<[text: string, properties: string, shown: string]> = [
    ['Aim', styled('Heading1'), '# Art. I Aim'],
    ['a clause', styled('Clause'), '  1.1 a clause'],
    ['a point', at(1, 2), '    (a) a point'],
    ['its dot', at(1, 3), '      - its dot'],
    ['next', at(1, 2), '    (b) next'],
    ['a clause', styled('Clause'), '  1.2 a clause'],
    ['a point', at(1, 2), '    (a) a point'],
    ['Price', styled('Heading1'), '# Art. II Price'],
    ['none', styled('Heading1') + at(0), '# none'],
    ['a clause', styled('Clause'), '  2.1 a clause'],
    ['one', at(2), '01< one'],
    ['another list', at(3), '07< another list'],
    ['and on', at(2), '08< and on'],
    ['gone', `${at(2)}<w:rPr><w:del w:id="1"/></w:rPr>`, 'gone'],
    ['changed', `${at(2)}<w:pPrChange><w:pPr>${at(1, 1)}</w:pPr></w:pPrChange>`, '09< changed'],
    ['of no list', at(9), '- of no list'],
  ];
  const body = items.map(([text, properties]) => item(text, properties)).join('');
  const parts = { 'word/numbering.xml': `<w:numbering>${numbering}</w:numbering>`, 'word/styles.xml': styles };
  expect(await read('a.docx', docxOf(body, parts))).toMatchObject({
    text: items.map(([, , shown]) => shown).join('\n'),
  });
});

const run = (text: string): string => `<m:r><w:rPr><w:i/></w:rPr><m:t>${text}</m:t></m:r>`;
const part = (name: string, inner: string): string => `<m:${name}>${inner}</m:${name}>`;
const e = (text: string): string => part('e', run(text));
const brackets = '<m:dPr><m:begChr m:val="["/><m:endChr m:val=""/></m:dPr>';
const sum = '<m:naryPr><m:chr m:val="∑"/></m:naryPr>';

test('.docx has its formulas in lines, with brackets and signs that are no letters in it', async () => {
  const formulas: Array<[formula: string, text: string]> = [
    [part('f', part('num', run('17')) + part('den', run('2&lt;3'))), '(17)/(2<3)'],
    [part('f', `<m:fPr><m:type m:val="noBar"/></m:fPr>${part('num', run('n'))}${part('den', run('k'))}`), 'n over k'],
    [part('sSup', part('e', part('d', e('x+1'))) + part('sup', run('2'))), '(x+1)^(2)'],
    [part('d', brackets + e('a') + e('b')), '[a|b'],
    [part('nary', `<m:naryPr/>${part('sub', run('0'))}<m:sup/>${e('x')}`), '∫_(0) x'],
    [part('nary', sum + part('sub', run('i')) + part('sup', run('n')) + e('i')), '∑_(i)^(n) i'],
    [part('rad', `<m:deg/>${e('x')}`) + part('rad', part('deg', run('3')) + e('y')), '√(x)√[3](y)'],
    [part('m', part('mr', e('1') + e('2')) + part('mr', e('3') + e('4'))), '1, 2; 3, 4'],
    [
      part('limLow', e('lim') + part('lim', run('n→0'))) + part('limUpp', e('a') + part('lim', run('b'))),
      'lim_(n→0)a^(b)',
    ],
    [
      part('acc', e('y')) + part('bar', e('AB')) + part('func', part('fName', run('sin')) + e('x')),
      'y\u0302bar(AB)sin x',
    ],
    [part('eqArr', e('x=1') + e('y=2')), 'x=1; y=2'],
  ];
  const lines = formulas.map(([each]) => `<w:p><m:oMathPara><m:oMath>${each}</m:oMath></m:oMathPara></w:p>`);
  expect((await read('a.docx', docxOf(lines.join('')))).text).toBe(formulas.map(([, text]) => text).join('\n'));
});

const field = (code: string, result = ''): string =>
  `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> ${code} </w:instrText></w:r>${result && `<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>${result}</w:t></w:r>`}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
const choice = (list: string): string =>
  `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList>${list}<w:listEntry w:val="Oslo"/><w:listEntry w:val="Rom &amp; Bari"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:instrText> FORMDROPDOWN </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
const before = '<w:trPr><w:gridBefore w:val="2"/></w:trPr>';
const within = `<w:tbl><w:tr>${cell('i')}${cell('j')}</w:tr><w:tr>${cell('k')}${cell('')}</w:tr></w:tbl>`;

test.each([
  [
    'fields that keep no result by their codes',
    field('EQ \\f(1,2)') + field('SYMBOL 163'),
    '[field: EQ \\f(1,2)][field: SYMBOL 163]',
  ],
  ['fields that keep one by it alone', field('EQ \\f(1,2)', '½') + field('SEQ Table', '4'), '½4'],
  ['no entries of an index', field('XE &quot;tides&quot;'), ''],
  ['what is chosen in old forms', choice('<w:result w:val="1"/>') + choice(''), 'Rom & BariOslo'],
  ['watermarks', '<w:r><w:pict><v:textpath string="DRAFT"/></w:pict></w:r>', '[watermark: DRAFT]'],
  [
    'how a word is spoken behind it',
    '<w:r><w:ruby><w:rt><w:r><w:t>とう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東</w:t></w:r></w:rubyBase></w:ruby></w:r>',
    '東(とう)',
  ],
])('.docx has %s', async (_, body, text) => {
  expect((await read('a.docx', docxOf(`<w:p>${body}<w:r><w:t>.</w:t></w:r></w:p>`))).text).toBe(`${text}.`);
});

test('.docx has cells below their columns where rows begin later, and tables in cells in a line', async () => {
  const rows = [
    cell('a') + cell('b') + cell('c'),
    before + cell('under c'),
    `<w:tc>${within}${paragraph('so')}</w:tc>${cell('b')}`,
  ];
  const body = `<w:tbl>${rows.map((row) => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>`;
  expect((await read('a.docx', docxOf(body))).text).toBe('a | b | c\n | | under c\ni ¦ j / k / so | b');
});

test.each([
  ['Gone', 'some of its text is struck out, and read like the rest'],
  ['Later', 'it has hidden text, which is read like the rest'],
  ['Plain', undefined],
])('.docx names what its style %s hides or strikes out', async (name, note) => {
  const style = (id: string, inner: string): string =>
    `<w:style w:type="character" w:styleId="${id}">${inner}</w:style>`;
  const styles = [
    style('Later', '<w:basedOn w:val="Secret"/>'),
    style('Secret', '<w:rPr><w:vanish/></w:rPr>'),
    style('Gone', '<w:rPr><w:strike/></w:rPr>'),
    style('Plain', '<w:rPr><w:strike w:val="0"/></w:rPr>'),
  ];
  const body = `<w:p><w:r><w:rPr><w:rStyle w:val="${name}"/></w:rPr><w:t>9</w:t></w:r></w:p>`;
  const bytes = docxOf(body, { 'word/styles.xml': `<w:styles>${styles.join('')}</w:styles>` });
  expect((await read('a.docx', bytes)).note).toBe(note);
});

test('.doc has formulas and choices of forms by their codes, and names rows with different numbers of cells', async () => {
  const { note, text } = await read('a.doc', fixture('form.doc'));
  expect(text).toMatch(
    /^Country: \[field: FORMDROPDOWN\]\n\[field: EQ .*とうきょう\),東京\)\]\nTown \| 2025 ?\nOslo \| 1 \| 2$/,
  );
  expect(note).toMatch(/^rows of a table in it have different numbers of cells/);
});

test('.doc has its paragraphs, tables and headers, without what was deleted, and struck-out words are marked', async () => {
  expect(await read('a.doc', fixture('minutes.doc'))).toEqual({
    text:
      'Budget: 7,500 €\nPresent: ~~Dora~~ Привет secret\nTask | Who | Until\nCoffee and tea |  | May\n\n' +
      '[headers and footers]\nConfidential',
    note:
      'what tracked changes have deleted is left out, and what they have added is read; ' +
      'it has hidden text, which is read like the rest; ' +
      'of an old document (.doc) pictures, charts, shapes, the numbers of lists, and who commented where are not read',
  });
});

test.each([
  ['a password', 0x0b, 0x01, 'it needs a password; nothing of it can be read'],
  ['a newer program', 0x03, 0, 'it is of a Word before 1997; as .docx it would be read; nothing of it can be read'],
])('.doc that needs %s says so', async (_, at, value, note) => {
  const bytes = Buffer.from(fixture('minutes.doc'));
  bytes[bytes.indexOf(Buffer.from([0xec, 0xa5])) + at] = value;
  expect(await read('a.doc', bytes)).toEqual({ note });
});
