export class ExpressionError extends Error {}

const constants = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
  ['tau', 2 * Math.PI],
]);

const functions = new Map<string, (...values: number[]) => number>(
  Object.entries({
    sqrt: Math.sqrt,
    cbrt: Math.cbrt,
    abs: Math.abs,
    sign: Math.sign,
    round: Math.round,
    floor: Math.floor,
    ceil: Math.ceil,
    trunc: Math.trunc,
    exp: Math.exp,
    ln: Math.log,
    log: Math.log10,
    log2: Math.log2,
    sin: Math.sin,
    cos: Math.cos,
    tan: Math.tan,
    asin: Math.asin,
    acos: Math.acos,
    atan: Math.atan,
    min: Math.min,
    max: Math.max,
  }),
);

export const vocabulary = `the functions ${[...functions.keys()].join(', ')} and the constants ${[...constants.keys()].join(', ')}`;

/**
 * The value of an arithmetic expression. The operators from the loosest to the tightest are `+ -`, `* / %`, the sign, and
 * `^`, which groups from right to left.
 *
 * @throws `ExpressionError`, also if the value is not a finite number
 */
export function evaluate(text: string): number {
  const value = valueOf(tokensOf(text.trim()));
  if (!Number.isFinite(value)) throw new ExpressionError('the result is not a finite number');
  return value;
}

function tokensOf(text: string): string[] {
  const token = /\s*((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|\*\*|[-+*/%^(),])\s*/y;
  const tokens: string[] = [];
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const found = token.exec(text)?.[1];
    if (found === undefined) throw new ExpressionError(`cannot read "${text.slice(at, at + 10).trim()}"`);
    tokens.push(found === '**' ? '^' : found);
  }
  return tokens;
}

function valueOf(tokens: string[]): number {
  let next = 0;

  function take(token: string): boolean {
    const isNext = tokens[next] === token;
    if (isNext) next += 1;
    return isNext;
  }

  function unexpected(wanted: string): ExpressionError {
    const found = tokens[next];
    return new ExpressionError(`expected ${wanted} ${found === undefined ? 'at the end' : `instead of "${found}"`}`);
  }

  function expect(token: string): void {
    if (!take(token)) throw unexpected(`"${token}"`);
  }

  function sum(): number {
    let value = product();
    for (;;) {
      if (take('+')) value += product();
      else if (take('-')) value -= product();
      else return value;
    }
  }

  function product(): number {
    let value = signed();
    for (;;) {
      if (take('*')) value *= signed();
      else if (take('/')) value /= divisor();
      else if (take('%')) value %= divisor();
      else return value;
    }
  }

  function divisor(): number {
    const value = signed();
    if (value === 0) throw new ExpressionError('division by zero');
    return value;
  }

  function signed(): number {
    if (take('-')) return -signed();
    if (take('+')) return signed();
    const base = atom();
    return take('^') ? base ** signed() : base;
  }

  function atom(): number {
    if (take('(')) {
      const value = sum();
      expect(')');
      return value;
    }
    const token = tokens[next];
    if (token === undefined || !/^[\w.]/.test(token)) throw unexpected('a number');
    next += 1;
    return /^[\d.]/.test(token) ? Number(token) : named(token);
  }

  function named(name: string): number {
    const constant = constants.get(name);
    if (constant !== undefined) return constant;
    const known = functions.get(name);
    if (known === undefined) throw new ExpressionError(`there is no ${name}; there are ${vocabulary}`);
    expect('(');
    const values = [sum()];
    while (take(',')) values.push(sum());
    expect(')');
    // Of these functions only min and max, which take any number of values, declare more than one.
    if (values.length > 1 && known.length === 1) throw new ExpressionError(`${name} takes one number`);
    return known(...values);
  }

  const value = sum();
  if (next < tokens.length) throw unexpected('an operator');
  return value;
}
