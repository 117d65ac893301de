import type { FullProperties } from '@e965/xlsx';
import { parseXml } from './xml-text.ts';
import { propertiesText } from '../readable.ts';
import type { Parts } from './documents.ts';

const elements: Readonly<Record<string, string>> = {
  title: 'title',
  subject: 'subject',
  description: 'description',
  keywords: 'keywords',
  keyword: 'keywords',
  created: 'created',
  'creation-date': 'created',
  modified: 'changed',
  date: 'changed',
  'initial-creator': 'author',
  lastModifiedBy: 'changed by',
};

/** What an office document says of itself: title, author, and when it was made; empty if it says nothing. */
export async function propertiesIn({ names, read }: Parts): Promise<string> {
  const part = names.find((name) => /^(docProps\/core|meta)\.xml$/.test(name));
  if (part === undefined) return '';
  // Who has made it has the name that in the other format has who changed it last.
  const labels: typeof elements = { ...elements, creator: part === 'meta.xml' ? 'changed by' : 'author' };
  const found: Array<{ label: string; value: string }> = [];
  let within: { label: string; value: string } | undefined;
  parseXml(await read(part), {
    open(name) {
      const label = labels[name];
      within = label === undefined ? undefined : { label, value: '' };
      if (within !== undefined) found.push(within);
    },
    text: (value) => void (within !== undefined && (within.value += value)),
    close: () => void (within = undefined),
  });
  return propertiesText(found.map(({ label, value }) => [label, value]));
}

export const propertiesOf = (said: FullProperties = {}): string =>
  propertiesText([
    ['title', said.Title],
    ['subject', said.Subject],
    ['author', said.Author],
    ['keywords', said.Keywords],
    ['description', said.Comments],
    ['created', said.CreatedDate instanceof Date ? said.CreatedDate.toISOString() : ''],
    ['changed by', said.LastAuthor],
  ]);
