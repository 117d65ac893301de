import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vitest/node';

const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));

/** Stands in a text for what is put in when it is printed. */
export const blank = '◊';

/** A text of the program, or a command in one with what follows it in its line. */
export interface Printed {
  file: string;
  text: string;
}

/** The texts of a source file; what `+` joins is one. */
export function textsIn(file: string, content: string): string[] {
  const texts: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isNode(value)) return;
    const text = textOf(value);
    if (text !== undefined) texts.push(text);
    (text === undefined ? Object.values(value) : putIn(value)).forEach(visit);
  };
  visit(parseAst(content, { lang: 'ts' }, file));
  return texts;
}

interface Node {
  type: string;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

const sidesOf = (node: Node): Node[] =>
  node.type === 'BinaryExpression' && node['operator'] === '+' ? [node['left'] as Node, node['right'] as Node] : [];

/** What a text has between its words, and may have texts in it. */
const putIn = (node: Node): Node[] =>
  sidesOf(node).length > 0
    ? sidesOf(node).flatMap((side) => (textOf(side) === undefined ? [side] : putIn(side)))
    : ((node['expressions'] as Node[] | undefined) ?? []);

function textOf(node: Node): string | undefined {
  const sides = sidesOf(node).map(textOf);
  if (sides.some((side) => side !== undefined)) return sides.map((side) => side ?? blank).join('');
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  if (node.type !== 'TemplateLiteral') return undefined;
  const parts = (node['quasis'] as Array<{ value: { cooked: string | null } }>).map(({ value }) => value.cooked ?? '');
  // Right behind a word stands what may be absent, such as an option.
  return parts.reduce((text, next) => `${text}${/\w$/.test(text) ? '' : blank}${next}`);
}

/** All texts that the program can print, and what `init` writes. */
export const sourceTexts: Printed[] = ['src', 'templates', 'bin'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|mjs|yaml)$/.test(name))
    .flatMap((name) => {
      const [file, content] = [`${folder}/${name}`, readFileSync(join(root, folder, name), 'utf8')];
      return (file.endsWith('.yaml') ? [content] : textsIn(file, content)).map((text) => ({ file, text }));
    }),
);
