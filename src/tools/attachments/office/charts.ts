import * as xlsx from '@e965/xlsx';
import { parseXml } from './xml-text.ts';

/** One series of a chart, by the numbers of its points. Bubbles have sizes. */
interface Series {
  name: string;
  categories: Map<number, string>;
  values: Map<number, string>;
  sizes: Map<number, string>;
  /** Where the values are in a workbook. */
  place: string;
}

export const chartPart = /^(word|ppt|xl)\/charts\/chart\d*\.xml$/;

const roles: Readonly<Record<string, 'categories' | 'values' | 'sizes'>> = {
  cat: 'categories',
  xVal: 'categories',
  val: 'values',
  yVal: 'values',
  bubbleSize: 'sizes',
};

/** A chart (ECMA-376) as a table: a line for each category with the values of all series that are kept with the chart. */
export function chartText(xml: string): string {
  const within: string[] = [];
  const all: Series[] = [];
  const kinds = new Set<string>();
  const axes: string[] = [];
  let title = '';
  let format = '';
  let point = 0;
  parseXml(xml, {
    open(name, { idx = '0', formatCode = '' }) {
      within.push(name);
      if (within.at(-2) === 'plotArea' && name.endsWith('Chart')) kinds.add(name.slice(0, -5));
      if (name === 'title' && within.at(-2)?.endsWith('Ax')) axes.push('');
      if (name === 'ser') all.push({ name: '', categories: new Map(), values: new Map(), sizes: new Map(), place: '' });
      if (name === 'pt') [point, format] = [Number(idx), formatCode || format];
      if (name === 'numRef' || name === 'strRef') format = '';
    },
    text(content) {
      const series = all.at(-1);
      const parent = within.at(-1);
      if (parent === 't' && within.includes('title')) {
        if (within.includes('plotArea')) axes.push((axes.pop() ?? '') + content);
        else title += content;
      }
      if (parent === 'formatCode') format = content;
      if (series === undefined || !within.includes('ser')) return;
      const role = within.map((name) => roles[name]).find(Boolean);
      if (parent === 'v' && within.includes('tx')) series.name += content;
      else if (parent === 'f' && role === 'values') series.place = content;
      else if (parent === 'v' && role !== undefined) {
        const known = series[role].get(point);
        series[role].set(point, known === undefined ? shown(content, format) : `${known} ${content}`);
      }
    },
    close: () => void within.pop(),
  });
  const named = [
    `${title.trim() || 'without a title'} (${[...kinds].join(', ')})`,
    ...axes.map((axis) => `axis: ${axis}`),
  ];
  const heading = `[chart: ${named.join('; ')}]`;
  const [first] = all;
  const places = new Set(all.flatMap(({ categories, values }) => [...categories.keys(), ...values.keys()]));
  const points = [...places].sort((one, other) => one - other);
  if (first === undefined) return heading;
  if (points.length === 0)
    return [heading, ...all.map(({ name, place }) => `${name || 'series'}: the values of ${place}`)].join('\n');
  const isShared = all.every((series) =>
    [...series.categories].every(([at, text]) => first.categories.get(at) === text),
  );
  const tables = isShared ? [all] : all.map((series) => [series]);
  return [heading, ...tables.flatMap((some) => linesOf(some, points))].join('\n');
}

function linesOf(all: Series[], points: number[]): string[] {
  const header = ['', ...all.map(({ name }, index) => name || `series ${index + 1}`)];
  const rows = points.map((at) => [
    all[0]?.categories.get(at) ?? String(at + 1),
    ...all.map(({ sizes, values }) => `${values.get(at) ?? ''}${sizes.has(at) ? ` (size ${sizes.get(at)})` : ''}`),
  ]);
  return [header, ...rows].map((row) => row.join(' | '));
}

function shown(value: string, format: string): string {
  if (format === '' || format === 'General' || !xlsx.SSF.is_date(format)) return value;
  return xlsx.SSF.format('yyyy-mm-dd', Number(value));
}
