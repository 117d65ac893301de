import { expect, test } from 'vitest';
import { readContent } from '../../../src/tools/attachments/content.ts';
import { recognise } from '../../../src/tools/attachments/recognise.ts';
import { openDocumentOf, pptxOf } from '../../support/office.ts';
import { partsOf, zipOf } from '../../support/zip.ts';

const read = async (name: string, bytes: Buffer) => readContent(name, bytes, await recognise(name, bytes));

/** A paragraph of a slide. @param list such as `<a:buAutoNum type="arabicPeriod"/>` */
const line = (text: string, list = '', level = 0): string =>
  `<a:p><a:pPr lvl="${level}">${list}</a:pPr><a:r><a:t>${text}</a:t></a:r></a:p>`;
const numbered = (type: string, start = ''): string => `<a:buAutoNum type="${type}"${start}/>`;
const decimal = numbered('arabicPeriod');

test.each<[string, string[], string[]]>([
  [
    'that begin anywhere',
    [line('a', numbered('alphaUcParenBoth', ' startAt="3"')), line('b', numbered('alphaUcParenBoth', ' startAt="3"'))],
    ['(C) a', '(D) b'],
  ],
  [
    'of levels',
    [
      line('a', decimal),
      line('b', numbered('romanLcParenR'), 1),
      line('c', numbered('romanLcParenR'), 1),
      line('d', decimal),
      line('e', numbered('romanLcParenR'), 1),
    ],
    ['1. a', 'i) b', 'ii) c', '2. d', 'i) e'],
  ],
  [
    'that end with another paragraph',
    [line('a', decimal), '<a:p/>', line('b', decimal), line('c'), line('d', decimal)],
    ['1. a', '', '2. b', 'c', '1. d'],
  ],
  [
    'of shapes',
    [`<p:txBody>${line('a', decimal)}</p:txBody>`, `<p:txBody>${line('b', decimal)}</p:txBody>`],
    ['1. a', '1. b'],
  ],
])('.pptx numbers lists %s', async (_, body, lines) => {
  const bytes = pptxOf([{ body: body.join('') }]);
  expect((await read('a.pptx', bytes)).text).toBe(`[slide 1]\n${lines.join('\n')}`);
});

test.each([
  ['', '\n\n[layout of slides 1]\nin EUR 1000\n\n[layout of slides 1]\nsecret'],
  [' showMasterSp="0"', ''],
])(
  '.pptx has what slides show of their layouts, and no text that says where one would write: %s',
  async (said, below) => {
    const shape = (text: string, place = ''): string => `<p:sp><p:nvPr>${place}</p:nvPr>${line(text)}</p:sp>`;
    const relation = (type: string, target: string): string =>
      `<Relationships><Relationship Id="r" Type="x/${type}" Target="${target}"/></Relationships>`;
    const parts = await partsOf(pptxOf([{ body: line('Sales') }]));
    const bytes = zipOf({
      ...parts,
      'ppt/slides/slide1.xml': `<p:sld xmlns:p="p"${said}>${line('Sales')}</p:sld>`,
      'ppt/slides/_rels/slide1.xml.rels': relation('slideLayout', '../slideLayouts/slideLayout1.xml'),
      'ppt/slideLayouts/slideLayout1.xml': `<p:sldLayout>${shape('Click here', '<p:ph/>')}${shape('in EUR 1000')}</p:sldLayout>`,
      'ppt/slideLayouts/_rels/slideLayout1.xml.rels': relation('slideMaster', '../slideMasters/slideMaster1.xml'),
      'ppt/slideMasters/slideMaster1.xml': `<p:sldMaster>${shape('secret')}</p:sldMaster>`,
    });
    expect((await read('a.pptx', bytes)).text).toBe(`[slide 1]\nSales${below}`);
  },
);

test('.odp has neither numbers of slides nor values of charts that are not there', async () => {
  const notes =
    '<presentation:notes><text:p>Slowly<text:page-number>&lt;number&gt;</text:page-number></text:p></presentation:notes>';
  const cells = ['Q1', 'NaN', '3'].map((each) => `<table:table-cell><text:p>${each}</text:p></table:table-cell>`);
  const bytes = zipOf({
    ...(await partsOf(openDocumentOf('presentation', `<draw:page>${notes}</draw:page>`))),
    'Object 1/content.xml': `<chart:chart><table:table-row>${cells.join('')}</table:table-row></chart:chart>`,
  });
  expect((await read('a.odp', bytes)).text).toBe('[slide 1]\n[notes]\nSlowly\n\n[chart]\nQ1 | | 3');
});
