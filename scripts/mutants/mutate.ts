import { parseAst } from 'vitest/node';

/** A small change to a source, which a test should notice. */
export interface Mutant {
  /** The line in which it begins, from 1. */
  line: number;
  /** What it does, such as `swaps && and ||`. */
  what: string;
  /** What is replaced: from one character to before another. */
  start: number;
  end: number;
  replacement: string;
}

/** A node of a syntax tree as ESTree describes it. Positions are in characters. */
interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

const operators: Record<string, string> = {
  '===': '!==',
  '!==': '===',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
  '&&': '||',
  '||': '&&',
};

/** Statements that mean something by themselves, and can be missing. */
const droppable = [
  'BreakStatement',
  'ContinueStatement',
  'ExpressionStatement',
  'IfStatement',
  'ReturnStatement',
  'ThrowStatement',
];

/** Where statements stand in lists, by the type of the node around them. Those of a module itself stay. */
const lists: Record<string, string> = { BlockStatement: 'body', StaticBlock: 'body', SwitchCase: 'consequent' };

/**
 * All mutants of a TypeScript source, in the order of their places: inverted conditions, swapped operators and branches, and
 * statements of one line that are dropped. Some do not compile. Imports, types, comments, texts and what is only logged have none.
 */
export function mutantsOf(text: string): Mutant[] {
  const found: Mutant[] = [];
  const add = (what: string, start: number, end: number, replacement: string): void => {
    found.push({ line: lineAt(text, start), what, start, end, replacement });
  };
  const negate = (what: string, { start, end }: Node): void => add(what, start, end, `!(${text.slice(start, end)})`);
  const visit = (node: Node): void => {
    if (isLog(node)) return;
    if (node.type === 'IfStatement') negate('inverts the condition', node['test'] as Node);
    if (node.type === 'ConditionalExpression') negate('swaps the branches of ? :', node['test'] as Node);
    if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression') {
      const [left, right, operator] = [node['left'] as Node, node['right'] as Node, node['operator'] as string];
      const swapped = operators[operator];
      const at = text.slice(0, right.start).lastIndexOf(operator);
      if (swapped !== undefined && at >= left.end)
        add(`puts ${swapped} for ${operator}`, at, at + operator.length, swapped);
    }
    const statements = (node[lists[node.type] ?? ''] ?? []) as Node[];
    for (const each of statements) if (isDroppable(each, text)) add('drops the statement', each.start, each.end, '');
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parseAst(text, { lang: 'ts' }) as unknown as Node);
  return found.sort((one, other) => one.start - other.start || one.end - other.end);
}

/** The source with the change. */
export const mutated = (text: string, { start, end, replacement }: Mutant): string =>
  text.slice(0, start) + replacement + text.slice(end);

/** The changed lines, as a diff shows them. */
export function diffOf(text: string, mutant: Mutant): string {
  const { start, end } = mutant;
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const next = text.indexOf('\n', end);
  const to = next === -1 ? text.length : next;
  const lines = (part: string, sign: string): string[] => part.split('\n').map((line) => `${sign} ${line}`.trimEnd());
  const after = mutated(text, mutant);
  const [was, is] = [text.slice(from, to), after.slice(from, to + after.length - text.length)];
  return [...lines(was, '-'), ...(is.trim() === '' ? [] : lines(is, '+'))].join('\n');
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** A statement of one line. A longer one would be more than a small change, and directives are no statements. */
const isDroppable = (node: Node, text: string): boolean =>
  droppable.includes(node.type) &&
  node['directive'] == null &&
  !isLog(node) &&
  !text.slice(node.start, node.end).includes('\n');

/** Whether a statement only writes to a log, which no test should read. */
function isLog({ expression, type }: Node): boolean {
  if (type !== 'ExpressionStatement') return false;
  const { callee } = expression as { callee?: { object?: { name?: string } } };
  return ['console', 'log', 'logger'].includes(callee?.object?.name ?? '');
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);
