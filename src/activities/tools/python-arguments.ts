/** Reads the arguments of a call in Python, which some open models write: literals by their names, and nothing else. */

interface Read {
  value: unknown;
  end: number;
}

const words = new Map<string, unknown>([
  ['True', true],
  ['False', false],
  ['None', null],
]);

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r' };

/** How deep lists and dictionaries may stand in each other. */
const deepest = 20;

/**
 * @param from right behind the opening bracket
 * @returns the arguments, and where the closing bracket ends; undefined for anything that is no such call
 */
export function pythonArguments(
  text: string,
  from: number,
): { input: Record<string, unknown>; end: number } | undefined {
  const read = entries(text, from, ')', 0);
  return read && { input: Object.fromEntries(read.value as Array<[string, unknown]>), end: read.end };
}

/** Of a call, such as `a=1, b=2)`, or of a dictionary, such as `'a': 1}`. */
function entries(text: string, from: number, closing: ')' | '}', depth: number): Read | undefined {
  const value: Array<[string, unknown]> = [];
  let at = spacesEnd(text, from);
  while (text[at] !== closing) {
    const key = closing === '}' ? literal(text, at, depth) : parameterName(text, at);
    if (key === undefined) return undefined;
    at = spacesEnd(text, key.end);
    if (text[at] !== (closing === '}' ? ':' : '=')) return undefined;
    const item = literal(text, at + 1, depth);
    if (item === undefined) return undefined;
    value.push([String(key.value), item.value]);
    const next = afterItem(text, item.end, closing);
    if (next === undefined) return undefined;
    at = next;
  }
  return { value, end: at + 1 };
}

function items(text: string, from: number, closing: ']' | ')', depth: number): Read | undefined {
  const value: unknown[] = [];
  let at = spacesEnd(text, from);
  while (text[at] !== closing) {
    const item = literal(text, at, depth);
    const next = item && afterItem(text, item.end, closing);
    if (item === undefined || next === undefined) return undefined;
    value.push(item.value);
    at = next;
  }
  return { value, end: at + 1 };
}

/** Behind a comma, or at what closes. */
function afterItem(text: string, from: number, closing: string): number | undefined {
  const at = spacesEnd(text, from);
  if (text[at] === ',') return spacesEnd(text, at + 1);
  return text[at] === closing ? at : undefined;
}

function literal(text: string, from: number, depth: number): Read | undefined {
  const at = spacesEnd(text, from);
  const first = text[at];
  if (first === '"' || first === "'") return string(text, at);
  if (depth === deepest) return undefined;
  if (first === '[') return items(text, at + 1, ']', depth + 1);
  if (first === '(') return items(text, at + 1, ')', depth + 1);
  if (first === '{') {
    const read = entries(text, at + 1, '}', depth + 1);
    return read && { value: Object.fromEntries(read.value as Array<[string, unknown]>), end: read.end };
  }
  const [word] = match(/[\w.+-]{1,40}/y, text, at) ?? [];
  if (word === undefined) return undefined;
  const value = words.has(word) ? words.get(word) : Number(word);
  return Number.isNaN(value) ? undefined : { value, end: at + word.length };
}

function parameterName(text: string, at: number): Read | undefined {
  const [name] = match(/[A-Za-z_]\w{0,63}/y, text, at) ?? [];
  return name === undefined ? undefined : { value: name, end: at + name.length };
}

/** Of one line or, in three quotes, of several. */
function string(text: string, at: number): Read | undefined {
  const one = text.charAt(at);
  const quote = text.startsWith(one.repeat(3), at) ? one.repeat(3) : one;
  let value = '';
  for (let next = at + quote.length; next < text.length; next++) {
    if (text.startsWith(quote, next)) return { value, end: next + quote.length };
    const character = text.charAt(next);
    if (character !== '\\') value += character;
    else value += escapes[text.charAt(++next)] ?? text.charAt(next);
  }
  return undefined;
}

const spacesEnd = (text: string, at: number): number => at + (match(/\s*/y, text, at)?.[0].length ?? 0);

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
