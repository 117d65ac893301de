import { parseXml, escapedXml } from './xml-text.ts';

/** A level of a list: what stands before its items, such as `%1.%2)`, where `%1` is the number of the first level. */
interface Level {
  start: number;
  format: string;
  text: string;
  isLegal: boolean;
  style: string;
}

/** A list, or one that differs in levels and starts from another. */
interface List {
  levels: Level[];
  base: string;
  starts: Map<number, number>;
}

type Style = { [Name in 'basedOn' | 'numId' | 'ilvl']?: string | undefined };

/** The body of a .docx with what numbers its items, which Word computes: `1.2`, `(a)`, or `-`. */
export function withNumbers(xml: string, numbering: string, styles: string): string {
  const { bases, lists } = listsOf(numbering);
  const styled = stylesOf(styles);
  const counts = new Map<string, number[]>();
  const begun = new Set<string>();
  const nextOf = (list: List, numId: string, at: number): string => {
    const levels = (bases.get(list.base) ?? []).map((level, index) => list.levels[index] ?? level);
    const level = levels[at];
    if (level === undefined || level.format === 'bullet') return '-';
    const numbers = counts.get(list.base) ?? [];
    const isNew = !begun.has(`${numId} ${at}`);
    const start = (isNew ? list.starts.get(at) : undefined) ?? (numbers[at] === undefined ? level.start : undefined);
    begun.add(`${numId} ${at}`);
    const above = levels.slice(0, at).map((each, index) => numbers[index] ?? each.start);
    counts.set(list.base, [...above, start ?? (numbers[at] ?? 0) + 1]);
    return level.text.replaceAll(/%(\d)/g, (_, digit: string) => {
      const index = Number(digit) - 1;
      const format = level.isLegal ? 'decimal' : (levels[index]?.format ?? 'decimal');
      return written(counts.get(list.base)?.[index] ?? 1, format);
    });
  };
  return xml.replaceAll(/<w:pPr>(.*?)<\/w:pPr>/gs, (found, all: string) => {
    const [said = ''] = all.split('<w:pPrChange');
    const value = (name: string): string | undefined => new RegExp(`<w:${name} w:val="([^"]*)"`).exec(said)?.[1];
    const name = value('pStyle') ?? '';
    const style = styled(name);
    const numId = value('numId') ?? style.numId ?? (said.includes('<w:numPr') ? '' : '0');
    // Items whose ends are deleted are none any more.
    if (numId === '0' || /<w:(del|moveFrom) /.test(said)) return found;
    const list = lists.get(numId);
    const ofStyle = bases.get(list?.base ?? '')?.findIndex((level) => level?.style === name && name !== '') ?? -1;
    const at = Math.min(8, Number(value('ilvl') ?? style.ilvl ?? Math.max(0, ofStyle)) || 0);
    const label = list === undefined ? '-' : nextOf(list, numId, at);
    const indent = /^heading/i.test(name) ? '' : '  '.repeat(at);
    return label === '' ? found : `${found}<w:t>${indent}${escapedXml(label)} </w:t>`;
  });
}

function listsOf(numbering: string) {
  const bases = new Map<string, Level[]>();
  const lists = new Map<string, List>();
  const linked = new Map<string, Level[]>();
  const links = new Map<string, string>();
  let levels: Level[] = [];
  let base = '';
  let list: List | undefined;
  let level: Level | undefined;
  let overridden = 0;
  parseXml(numbering, {
    open(name, { abstractNumId = '', ilvl = '0', numId = '', val = '' }) {
      if (name === 'abstractNum') bases.set((base = abstractNumId), (levels = []));
      else if (name === 'num') lists.set(numId, (list = { levels: (levels = []), base: '', starts: new Map() }));
      else if (name === 'abstractNumId' && list !== undefined) list.base = val;
      else if (name === 'styleLink') linked.set(val, levels);
      else if (name === 'numStyleLink') links.set(base, val);
      else if (name === 'lvlOverride') overridden = Number(ilvl);
      else if (name === 'startOverride') list?.starts.set(overridden, Number(val));
      else if (name === 'lvl')
        levels[Number(ilvl)] = level = { start: 1, format: 'decimal', text: '', isLegal: false, style: '' };
      else if (level === undefined) return;
      else if (name === 'start') level.start = Number(val);
      else if (name === 'numFmt') level.format = val;
      else if (name === 'lvlText') level.text = val;
      else if (name === 'isLgl') level.isLegal = true;
      else if (name === 'pStyle') level.style = val;
    },
  });
  for (const [from, to] of links) bases.set(from, linked.get(to) ?? []);
  return { bases, lists };
}

/** What a style says of lists, or what it is based on, which is one of twenty at most. */
function stylesOf(xml: string): (name: string) => Style {
  const styles = new Map<string, Style>();
  let style: Style = {};
  parseXml(xml, {
    open(name, { styleId = '', val = '' }) {
      if (name === 'style') styles.set(styleId, (style = {}));
      else if (name === 'basedOn' || name === 'numId' || name === 'ilvl') style[name] = val;
    },
  });
  return (name) => {
    let found: Style = {};
    let at = styles.get(name);
    for (let count = 0; at !== undefined && count < 20; count++) {
      found = { numId: found.numId ?? at.numId, ilvl: found.ilvl ?? at.ilvl };
      at = at.basedOn === undefined ? undefined : styles.get(at.basedOn);
    }
    return found;
  };
}

const romans = { m: 1000, cm: 900, d: 500, cd: 400, c: 100, xc: 90, l: 50, xl: 40, x: 10, ix: 9, v: 5, iv: 4, i: 1 };

/** A number as a level writes it. Behind `z` comes `aa`, then `bb`. */
function written(number: number, format: string): string {
  if (format.startsWith('upper')) return written(number, format.replace('upper', 'lower')).toUpperCase();
  if (format === 'decimalZero') return String(number).padStart(2, '0');
  if (number < 1 || number > 5000) return String(number);
  if (format === 'lowerLetter') return String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.ceil(number / 26));
  if (format !== 'lowerRoman') return String(number);
  let left = number;
  let digits = '';
  for (const [each, value] of Object.entries(romans)) for (; left >= value; left -= value) digits += each;
  return digits;
}

const bulletFormats: Readonly<Record<string, string>> = {
  alphaLc: 'lowerLetter',
  alphaUc: 'upperLetter',
  romanLc: 'lowerRoman',
  romanUc: 'upperRoman',
};

const slideParagraph = /<(?:\w+:)?txBody[ >]|<a:p(?: [^<>]*[^<>/])?>(?:(?!<a:p[ >]).)*?<\/a:p>/gs;

/** A slide with what numbers the items of its lists, which PowerPoint computes: `4.` or `(a)`. */
export function withSlideNumbers(xml: string): string {
  let lists: Array<{ said: string; number: number }> = [];
  return xml.replaceAll(slideParagraph, (found) => {
    if (!found.startsWith('<a:p')) lists = [];
    // An empty paragraph has no number, and ends no list.
    if (!/<a:t>[^<]/.test(found)) return found;
    const level = Number(/<a:pPr [^<>]*\blvl="(\d)"/.exec(found)?.[1] ?? 0);
    const [said, type = '', start = '1'] =
      /<a:buAutoNum(?= )(?=[^<>]* type="(\w+)")(?:[^<>]* startAt="(\d+)")?[^<>]*>/.exec(found) ?? [];
    lists.length = Math.min(lists.length, said === undefined ? level : level + 1);
    if (said === undefined) return found;
    const before = lists[level];
    const number = before?.said === said ? before.number + 1 : Number(start);
    lists[level] = { said, number };
    return found.replace(/<a:r[ >]|<a:fld /, (run) => `<a:r><a:t>${numberShown(number, type)} </a:t></a:r>${run}`);
  });
}

/** A number as a slide shows it. @param type such as `alphaLcParenBoth` */
function numberShown(number: number, type: string): string {
  const [, format = '', end = ''] = /^(.*?)(Period|ParenR|ParenBoth|Plain|Minus)?$/.exec(type) ?? [];
  const digits = written(number, bulletFormats[format] ?? 'decimal');
  return { Period: `${digits}.`, ParenR: `${digits})`, ParenBoth: `(${digits})` }[end] ?? digits;
}
