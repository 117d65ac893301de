import { escapedXml, parseXml, type Attributes } from './xml-text.ts';

interface Part {
  name: string;
  attributes: Attributes;
  parts: Part[];
  text: string;
}

/** A document whose formulas (ECMA-376, OMML) are lines as people type them: `∫_(0)^(1) ((x+1)^(2))/(√(x))`. */
export const withEquations = (xml: string): string =>
  xml.replaceAll(/<m:oMath[ >].*?<\/m:oMath>/gs, (formula) => `<m:t>${escapedXml(lineOf(treeOf(formula)))}</m:t>`);

function treeOf(xml: string): Part {
  const root: Part = { name: '', attributes: {}, parts: [], text: '' };
  const open = [root];
  parseXml(xml, {
    open(name, attributes) {
      const part = { name, attributes, parts: [], text: '' };
      open.at(-1)?.parts.push(part);
      open.push(part);
    },
    text(content) {
      const part = open.at(-1);
      if (part?.name === 't') part.text += content;
    },
    close: () => void open.pop(),
  });
  return root;
}

const within = ({ parts }: Part, name: string): Part[] => parts.filter((part) => part.name === name);

function mark(part: Part, name: string, usual: string): string {
  const [properties] = within(part, `${part.name}Pr`);
  const [found] = properties === undefined ? [] : within(properties, name);
  return found === undefined ? usual : (found.attributes['val'] ?? '');
}

function lineOf(part: Part): string {
  const { name, parts, text } = part;
  const all = (): string => parts.map((each) => lineOf(each)).join('');
  const inner = (child: string, between = ''): string => within(part, child).map(lineOf).join(between);
  const about = (before: string, content: string): string => (content === '' ? '' : `${before}(${content})`);
  if (name.endsWith('Pr') || name === 'del') return '';
  if (name === 'sub' || name === 'lim') return about('_', all());
  if (name === 'sup') return about('^', all());
  if (name === 'f')
    return mark(part, 'type', '') === 'noBar'
      ? `${inner('num')} over ${inner('den')}`
      : `(${inner('num')})/(${inner('den')})`;
  if (name === 'limUpp') return inner('e') + inner('lim').replace('_', '^');
  if (name === 'rad') return `√${inner('deg') && `[${inner('deg')}]`}(${inner('e')})`;
  if (name === 'nary') return `${mark(part, 'chr', '∫')}${inner('sub')}${inner('sup')} ${inner('e')}`;
  if (name === 'd')
    return mark(part, 'begChr', '(') + inner('e', mark(part, 'sepChr', '|')) + mark(part, 'endChr', ')');
  if (name === 'func') return `${inner('fName')} ${inner('e')}`;
  if (name === 'acc') return inner('e') + mark(part, 'chr', '\u0302');
  if (name === 'bar') return `bar(${inner('e')})`;
  if (name === 'mr') return inner('e', ', ');
  if (name === 'm') return inner('mr', '; ');
  if (name === 'eqArr') return inner('e', '; ');
  return name === 't' ? text : all();
}
