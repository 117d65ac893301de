import { expect, test } from 'vitest';
import { stylesLike, withFields } from '../../../src/tools/attachments/office/fields.ts';
import { withSlideNumbers } from '../../../src/tools/attachments/office/numbering.ts';
import { mended } from '../../../src/tools/attachments/office/sheet-parts.ts';
import { looksNotRead } from '../../../src/tools/attachments/office/unread-looks.ts';

const many = (text: string): string => text.repeat(100_000);
const inSheet = (xml: string): string[] => looksNotRead(new Map([['xl/worksheets/a.xml', Buffer.from(xml)]]));
const inStyles = (xml: string): string[] => looksNotRead(new Map([['styles.xml', Buffer.from(xml)]]));
const inContent = (xml: string): string => mended('content.xml', Buffer.from(xml)).toString();
const style = (id: number): string =>
  `<w:style w:styleId="s${id}"><w:basedOn w:val="s${id + 1}"/>${id === 20_000 ? '<w:vanish/>' : ''}</w:style>`;

test.each<[string, () => unknown, unknown]>([
  ['lists of forms', () => withFields(many('<w:ddList>')), many('<w:ddList>')],
  ['readings of words', () => withFields(many('<w:rt></w:rt><w:rubyBase>')), many('<w:rt></w:rt><w:rubyBase>')],
  ['fields', () => withFields(many('<w:fldChar ')), many('<w:fldChar ')],
  ['styles', () => stylesLike(many('<w:style w:styleId="x">'), /<w:vanish\/>/), []],
  [
    'styles on styles',
    () => stylesLike(Array.from({ length: 20_001 }, (_, id) => style(id)).join(''), /<w:vanish\/>/).length,
    20_001,
  ],
  ['paragraphs of slides', () => withSlideNumbers(many('<a:p>')), many('<a:p>')],
  [
    'formats',
    () => inContent(`display-factor=${many('<number:number-style a>')}`),
    `display-factor=${many('<number:number-style a>')}`,
  ],
  ['edges of pages', () => inStyles(many('<style:header>')), []],
  ['letters of an edge', () => inStyles(`<style:header>${many('-')}</style:header>`), []],
  ['rich texts', () => inSheet(many('<is>')), []],
])(
  'a document of nothing but beginnings of %s is read as soon as another',
  { timeout: 10_000 },
  (_, read, expected) => {
    expect(read()).toEqual(expected);
  },
);
