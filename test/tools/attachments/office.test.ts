import { describe, expect, test } from 'vitest';
import { readContent } from '../../../src/tools/attachments/content.ts';
import { recognise, type Recognised } from '../../../src/tools/attachments/recognise.ts';
import { docxOf, openDocumentOf, pptxOf, workbookOf } from '../../support/office.ts';
import { partsOf, zipOf } from '../../support/zip.ts';

const found = async (name: string, bytes: Buffer): Promise<Recognised> => recognise(name, bytes);
const read = async (name: string, bytes: Buffer) => readContent(name, bytes, await found(name, bytes));
const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

describe('a document', () => {
  test.each([
    ['a.docx', docxOf(paragraph('Staff:')), 'word', 'Staff:\n\n[diagram]\nAnna\nBoris'],
    ['a.xlsx', workbookOf({ S: [['Staff:']] }), 'xl', '[sheet 1: S]\nStaff:\n\n[shapes]\nAnna\nBoris\n'],
  ])('%s has the texts of its diagrams', async (name, bytes, folder, text) => {
    const point = (words: string): string =>
      `<dgm:pt><dgm:t><a:p><a:r><a:t>${words}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
    const model = `<dgm:dataModel><dgm:ptLst>${point('Anna')}${point('Boris')}</dgm:ptLst></dgm:dataModel>`;
    const parts = { ...(await partsOf(bytes)), [`${folder}/diagrams/data1.xml`]: model };
    expect((await read(name, zipOf(parts))).text).toBe(text);
  });

  test.each([
    [
      'docProps/core.xml',
      'a.docx',
      '<dc:title>Plan &amp; aim</dc:title><dc:creator>Ada</dc:creator><cp:lastModifiedBy>Bo</cp:lastModifiedBy><dcterms:created>2019-07-03T08:00:00Z</dcterms:created><cp:revision>3</cp:revision>',
      'title Plan & aim; author Ada; changed by Bo; created 2019-07-03T08:00:00Z',
    ],
    [
      'meta.xml',
      'a.odt',
      '<meta:initial-creator>Ada</meta:initial-creator><dc:creator>Bo</dc:creator><dc:title> </dc:title>',
      'author Ada; changed by Bo',
    ],
  ])('has what its %s says of it', async (part, name, said, line) => {
    const parts = await partsOf(
      name === 'a.docx' ? docxOf(paragraph('Hello')) : openDocumentOf('text', '<text:p>Hello</text:p>'),
    );
    const bytes = zipOf({ ...parts, [part]: `<properties>${said}</properties>` });
    expect((await read(name, bytes)).text).toBe(`Hello\n\n[properties: ${line}]`);
  });

  test.each<[string, (body: string) => Buffer, string, string]>([
    [
      'a.docx',
      docxOf,
      '<w:p><w:pPr><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:pPr><w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>6</w:t></w:r>' +
        '<w:r><w:t> H</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="subscript"/></w:rPr><w:t>2</w:t></w:r><w:r><w:t>O</w:t></w:r></w:p>',
      '10^6 H_2O',
    ],
    [
      'a.pptx',
      (body) => pptxOf([{ body }]),
      '<a:p><a:r><a:t>mc</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>2</a:t></a:r><a:r><a:rPr baseline="0"/><a:t>, x</a:t></a:r><a:r><a:rPr baseline="-25000"/><a:t>1</a:t></a:r></a:p>',
      '[slide 1]\nmc^2, x_1',
    ],
    [
      'a.odt',
      (body) => openDocumentOf('text', body),
      '<style:style style:name="T1"><style:text-properties style:text-position="super 58%"/></style:style><style:style style:name="T2"><style:text-properties style:text-position="-33% 58%"/></style:style>' +
        '<text:p>m<text:span text:style-name="T1">2</text:span> a<text:span text:style-name="T2">1</text:span><text:span text:style-name="T3">!</text:span></text:p>',
      'm^2 a_1!',
    ],
  ])('%s shows what stands above or below its line', async (name, make, body, text) => {
    expect((await read(name, make(body))).text).toBe(text);
  });

  test('.odt has its formulas as they were written', async () => {
    const formula =
      '<math><semantics><mn>1723</mn><annotation encoding="StarMath 5.0">17 over 23</annotation></semantics></math>';
    const bytes = zipOf({
      mimetype: { content: 'application/vnd.oasis.opendocument.text', packed: false },
      'content.xml': '<text:p>Half:</text:p>',
      'Object 1/content.xml': formula,
    });
    expect((await read('a.odt', bytes)).text).toBe('Half:\n\n[formula]\n17 over 23');
  });

  test('.odt names hidden text, and formulas of other programs', async () => {
    const bytes = zipOf({
      mimetype: { content: 'application/vnd.oasis.opendocument.text', packed: false },
      'content.xml': '<style:text-properties text:display="none"/><text:p>Half</text:p>',
      'Formula-0/content.xml': '<math><mn>1</mn></math>',
    });
    expect((await read('a.odt', bytes)).note).toBe(
      'it has hidden text, which is read like the rest; formulas and other objects in it, which are not read: 1',
    );
  });

  test('.pptx has its slides in their order, with tables and notes', async () => {
    const text = (words: string): string => `<a:p><a:r><a:t>${words}</a:t></a:r></a:p>`;
    const rows = `<a:tbl><a:tr><a:tc>${text('x')}</a:tc><a:tc>${text('y')}</a:tc></a:tr></a:tbl>`;
    const { text: read_ } = await read(
      'a.pptx',
      pptxOf([{ body: text('First') + text('more') }, { body: rows, notes: 'Say it slowly' }, { body: '' }]),
    );
    expect(read_).toBe('[slide 1]\nFirst\nmore\n\n[slide 2]\nx | y\n[notes]\nSay it slowly\n\n[slide 3]');
  });

  test('.pptx has who wrote its comments, old and new, with answers behind them', async () => {
    const said = (text: string): string => `<p188:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p188:txBody>`;
    const parts = await partsOf(pptxOf([{ body: '<a:p/>' }]));
    const related = ['x/relationships/comments', 'x/2018/10/relationships/comments'].map(
      (type, index) => `<Relationship Id="r${index}" Type="${type}" Target="../comments/${index}.xml"/>`,
    );
    const bytes = zipOf({
      ...parts,
      'ppt/slides/_rels/slide1.xml.rels': `<Relationships>${related.join('')}</Relationships>`,
      'ppt/commentAuthors.xml': '<p:cmAuthor id="0" name="Ada"/><p:cmAuthor id="1" name="Bo"/>',
      'ppt/authors.xml': '<p188:author id="{7}" name="Cy"/>',
      'ppt/comments/0.xml':
        '<p:cm authorId="0"><p:text>Why?</p:text></p:cm><p:cm authorId="1"><p:text>So.</p:text></p:cm>',
      'ppt/comments/1.xml': `<p188:cm authorId="{7}"><p188:replyLst><p188:reply authorId="{8}">${said('Yes.')}</p188:reply></p188:replyLst>${said('Sure?')}</p188:cm>`,
    });
    expect((await read('a.pptx', bytes)).text).toBe(
      '[slide 1]\n[comments]\nAda: Why?\nBo: So.\n[comments]\nCy: Sure?\nYes.',
    );
  });

  test('.odt has its paragraphs, headings, lists, tables, notes and comments', async () => {
    const body =
      '<text:h text:outline-level="1">Title</text:h><text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d</text:p>' +
      '<text:p>said<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>where</text:p></text:note-body></text:note> so</text:p>' +
      '<text:list><text:list-item><text:p>one</text:p></text:list-item></text:list>' +
      '<table:table><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell>' +
      '<table:table-cell><text:p>2</text:p></table:table-cell></table:table-row></table:table>' +
      '<text:p><text:a xlink:href="https://example.org/7">site</text:a><office:annotation><dc:creator>Ivar</dc:creator>' +
      '<dc:date>2026</dc:date><meta:creator-initials>I</meta:creator-initials><text:p>Why?</text:p></office:annotation></text:p>' +
      '<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>';
    const { text } = await read('a.odt', openDocumentOf('text', body));
    expect(text).toBe(
      '# Title\na   b\tc\nd\nsaid [note: where ] so\n- one\n1 | 2\n[link: https://example.org/7] site [comment: Ivar 2026 Why? ]',
    );
  });

  test('.odt has its headers and footers', async () => {
    const parts = await partsOf(openDocumentOf('text', '<text:p>body</text:p>'));
    const edge = (name: string, text: string): string => `<style:${name}><text:p>${text}</text:p></style:${name}>`;
    const styles = `<office:master-styles>${edge('header', 'Draft')}${edge('footer', 'KX-9')}${edge('header', 'Draft')}</office:master-styles>`;
    const { text } = await read('a.odt', zipOf({ ...parts, 'styles.xml': styles }));
    expect(text).toBe('[headers and footers]\nDraft\nKX-9\n\nbody');
  });

  test.each([
    [
      'letters of any encoding, and those that older programs see',
      String.raw`{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}}\uc1\f0 caf\'e9 \u8364?5 \f1\'cc\'ee\f0  \{x\}`,
      'café €5 Мо {x}',
    ],
    ['what stands above its line', String.raw`10{\super 6} W, H\sub 2\nosupersub O`, '10^6 W, H_2O'],
    ['tables', String.raw`\trowd a\par\cell b\cell\row\trowd\cell 7\cell\row`, 'a | b\n | 7'],
    [
      'lines of cells, and tables in cells',
      String.raw`\trowd\pard\intbl a\par b\par\cell\pard\intbl\itap2 i\nestcell j\nestcell{\*\nesttableprops\trowd\nestrow}{\nonesttables\par}k\nestcell\nestcell{\*\nesttableprops\trowd\nestrow}\pard\intbl\cell 7\cell\row\pard c\par d`,
      'a b | i ¦ j / k | 7\nc\nd',
    ],
    ['formulas that are fields', String.raw`{\field{\*\fldinst EQ \\f(1,2)}{\fldrslt }}`, '[field: EQ \\f(1,2)]'],
    [
      'notes, comments, headers and links',
      String.raw`{\header Draft\par}Sure{\footnote  Not so.\par} {\*\atnauthor Ada}{\*\annotation Why?}{\field{\*\fldinst HYPERLINK "https://example.org/7"}{\fldrslt site}}`,
      '[header: Draft]\nSure[note:  Not so.] [comment by Ada][comment: Why?][link: https://example.org/7] site',
    ],
    [
      'what groups in headers and fields say',
      String.raw`{\headerl {\b Left}\par}{\field{\*\fldinst {\fs20 HYPERLINK }{\fs20 "https://example.org/7"}}{\fldrslt {site}}} {\field{\*\fldinst {SEQ Table \\* ARABIC}}{\fldrslt {4}}}`,
      '[header: Left]\n[link: https://example.org/7] site 4',
    ],
    [
      'no text of lists, and no letter that is none',
      String.raw`{\list{\listlevel{\leveltext \'02\'00.;}}{\listname A;}}a\u-10240?b\'02c`,
      'a\uFFFDbc',
    ],
    [
      'no text of tables of styles, of pictures, and of what was deleted',
      String.raw`{\stylesheet{\s1 Heading;}}{\*\generator W}{\pict 0102}{\deleted old}new`,
      'new',
    ],
    [
      'what it says of itself',
      String.raw`{\info{\title Plan}{\author Ada}}Hello`,
      'Hello\n\n[properties: title Plan; author Ada]',
    ],
  ])('.rtf has %s', async (_, body, text) => {
    const bytes = Buffer.from(String.raw`{\rtf1\ansi\ansicpg1252 ${body}}`, 'latin1');
    expect((await found('a.rtf', bytes)).kind).toBe('document');
    expect((await read('a.rtf', bytes)).text).toBe(text);
  });

  test('.rtf has what it says of itself in the letters of its code page', async () => {
    const bytes = Buffer.from(String.raw`{\rtf1\ansi\ansicpg932{\info{\title \'83\'5e\'83\'43\'83\'67\'83\'8b}}7}`);
    expect((await read('a.rtf', bytes)).text).toBe('7\n\n[properties: title タイトル]');
  });

  test('.rtf names what is left out', async () => {
    const { note } = await read('a.rtf', Buffer.from(String.raw`{\rtf1 {\pict 01}{\deleted old}{\strike 9}{\v x}8}`));
    expect(note).toBe(
      'pictures in it, which are not read: 1; what tracked changes have deleted is left out; ' +
        'some of its text may be struck out, and is read like the rest; it may have hidden text, which is read like the rest',
    );
  });

  test.each([
    [String.raw`\trowd a\cell b\cell\row\trowd c\cell\row`, true],
    [String.raw`\trowd a\cell b\cell\row\pard so\par\trowd c\cell\row`, false],
    [String.raw`\trowd a\cell b\cell\row\trowd\intbl c\par d\cell e\cell\row`, false],
  ])('.rtf names tables whose rows have different numbers of cells: %s, %s', async (body, isSaid) => {
    const { note = '' } = await read('a.rtf', Buffer.from(String.raw`{\rtf1 ${body}}`));
    expect(note.startsWith('rows of a table in it have different numbers of cells')).toBe(isSaid);
  });

  test('.odp has its slides', async () => {
    const body =
      '<draw:page><text:p>One</text:p></draw:page><draw:page><text:p>Two</text:p>' +
      '<presentation:notes><text:p>Slowly</text:p></presentation:notes></draw:page>';
    const { text } = await read('a.odp', openDocumentOf('presentation', body));
    expect(text).toBe('[slide 1]\nOne\n\n[slide 2]\nTwo\n[notes]\nSlowly');
  });
});

describe('what is damaged or made to harm ends in a note, and never in an error', () => {
  const docx = docxOf(paragraph('Hello'));
  const encrypted = Buffer.concat([
    Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
    Buffer.alloc(632),
    Buffer.from('EncryptedPackage\0', 'utf16le'),
  ]);
  const huge = { content: Buffer.alloc(1000, 'x'), claims: 200_000_000 };

  test.each<[string, string, Buffer, RegExp]>([
    ['half a document', 'a.docx', docx.subarray(0, docx.length / 2), /^it is damaged \(.*truncated.*\); nothing of it/],
    ['half a workbook', 'a.xlsx', workbookOf({ S: [['x']] }).subarray(0, 2000), /^it is damaged \(/],
    ['an encrypted document', 'a.docx', encrypted, /^it needs a password; nothing of it can be read$/],
    ['an encrypted workbook', 'a.xlsx', encrypted, /^it needs a password/],
    [
      'an encrypted OpenDocument text',
      'a.odt',
      openDocumentOf('text', '', '<manifest:encryption-data/>'),
      /^it needs a password/,
    ],
    ['one without text', 'a.docx', docxOf(''), /^it has no text$/],
    [
      'an archive that claims too much',
      'a.docx',
      docxOf('', { 'word/x.xml': huge as never }),
      /200,000,\d+ bytes unpacked; at most 100,000,000/,
    ],
    [
      'a workbook that is too large',
      'a.xlsx',
      zipOf({ '[Content_Types].xml': '', 'xl/workbook.xml': huge }),
      /unpacked; at most 100,000,000 are read; each of its sheets may be saved as CSV; nothing/,
    ],
    [
      'an archive that claims too little',
      'a.xlsx',
      zipOf({ '[Content_Types].xml': '', 'xl/workbook.xml': { content: Buffer.alloc(5_000_000), claims: 10 } }),
      /^it is damaged \(.*too many bytes/,
    ],
    [
      'a workbook without sheets',
      'a.xlsx',
      zipOf({ '[Content_Types].xml': '', 'xl/workbook.xml': '' }),
      /^it is damaged/,
    ],
    [
      'a workbook that is none',
      'a.xls',
      Buffer.concat([encrypted.subarray(0, 640), Buffer.from('Workbook\0', 'utf16le')]),
      /^it is damaged/,
    ],
    [
      'a text of an old office that mentions a workbook',
      'a.doc',
      Buffer.concat([encrypted.subarray(0, 640), Buffer.from('My Workbook\0', 'utf16le')]),
      /^it is a document of an old office/,
    ],
  ])('%s', async (_, name, bytes, expected) => {
    const { note, text } = await read(name, bytes);
    expect(text).toBeUndefined();
    expect(note).toMatch(expected);
  });

  test('entities that a document declares itself are not replaced', async () => {
    const lol = Array.from({ length: 9 }, (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`).join(
      '',
    );
    const xml = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol">${lol}<!ENTITY f SYSTEM "file:///etc/passwd">]><w:document>${paragraph('&l9; &f; &amp;')}</w:document>`;
    const { text } = await read('a.docx', docxOf('', { 'word/document.xml': xml }));
    expect(text).toBe('&l9; &f; &');
  });

  test('elements in elements without end are not followed', async () => {
    const { note } = await read('a.docx', docxOf('<w:p>'.repeat(200_000)));
    expect(note).toBe('it is damaged (its elements are nested more than 1000 deep); nothing of it can be read');
  });

  test('groups in groups without end are not followed', async () => {
    const bytes = Buffer.from(String.raw`{\rtf1 ${'{'.repeat(100_000)}`);
    expect((await read('a.rtf', bytes)).note).toMatch(/nested more than 1000 deep/);
  });

  test.each(['a.docx', 'a.xlsx', 'a.ods'])('%s with any piece overwritten', async (name) => {
    const type = name.slice(2) as 'docx';
    const whole = type === 'docx' ? docx : workbookOf({ S: [['x', 1]] }, type);
    for (let place = 40; place < whole.length - 60; place += Math.ceil(whole.length / 8)) {
      const broken = Buffer.from(whole);
      broken.fill(0, place, place + 40);
      const recognised = await recognise(name, broken);
      const { note, text } = await readContent(name, broken, recognised);
      expect(recognised.kind === 'archive' ? 'archive' : (text ?? note)).toMatch(/\w/);
    }
  });
});
