import * as xlsx from '@e965/xlsx';
import { zipOf } from './zip.ts';

type Cells = Array<Array<string | number | boolean | Date | null | xlsx.CellObject>>;

/** A workbook by its sheets, in any format that the library writes. */
export function workbookOf(sheets: Record<string, Cells>, bookType: xlsx.BookType = 'xlsx'): Buffer {
  const book = xlsx.utils.book_new();
  for (const [name, cells] of Object.entries(sheets)) {
    xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet(cells, { UTC: true }), name);
  }
  return xlsx.write(book, { type: 'buffer', bookType }) as Buffer;
}

const types = '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>';

const relations = (targets: Array<[id: string, type: string, target: string]>): string =>
  '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' +
  targets
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="http://x/relationships/${type}" Target="${target}"/>`)
    .join('') +
  '</Relationships>';

/** A .docx. @param body WordprocessingML, with the prefix `w` @param parts more parts, by their names */
export const docxOf = (body: string, parts: Record<string, string | Buffer> = {}): Buffer =>
  zipOf({
    '[Content_Types].xml': types,
    'word/document.xml': `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
    ...parts,
  });

/** A .pptx whose slides are in the order of the list, although their files are numbered from the last one. */
export function pptxOf(slides: Array<{ body: string; notes?: string }>): Buffer {
  const files: Record<string, string> = { '[Content_Types].xml': types };
  const numberOf = (index: number): number => slides.length - index;
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${numberOf(index)}"/>`);
  files['ppt/presentation.xml'] = `<p:presentation><p:sldIdLst>${ids.join('')}</p:sldIdLst></p:presentation>`;
  files['ppt/_rels/presentation.xml.rels'] = relations(
    slides.map((_, index) => [`rId${numberOf(index)}`, 'slide', `slides/slide${numberOf(index)}.xml`]),
  );
  for (const [index, { body, notes }] of slides.entries()) {
    const number = numberOf(index);
    files[`ppt/slides/slide${number}.xml`] = `<p:sld>${body}</p:sld>`;
    if (notes === undefined) continue;
    files[`ppt/slides/_rels/slide${number}.xml.rels`] = relations([['rId1', 'notesSlide', '../notesSlides/n.xml']]);
    files['ppt/notesSlides/n.xml'] = `<p:notes><a:p><a:r><a:t>${notes}</a:t></a:r></a:p></p:notes>`;
  }
  return zipOf(files);
}

/** An OpenDocument file. @param body the content of `office:body` */
export const openDocumentOf = (kind: 'text' | 'presentation', body: string, manifest = '<manifest/>'): Buffer =>
  zipOf({
    mimetype: { content: `application/vnd.oasis.opendocument.${kind}`, packed: false },
    'content.xml': `<office:document-content><office:body>${body}</office:body></office:document-content>`,
    'META-INF/manifest.xml': manifest,
  });
