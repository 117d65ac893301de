/** Says what is wrong with an expression, in words for whoever wrote it. */
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

/** The names that expressions may use. */
export const vocabulary = `the functions ${[...functions.keys()].join(', ')} and the constants ${[...constants.keys()].join(', ')}`;

/**
 * The value of an arithmetic expression. The operators from the loosest to the tightest are `+ -`, `* / %`, the sign, and
 * `^`, which groups from right to left.
 *
 * @throws `ExpressionError`, also if the value is not a finite number
 */
export function evaluate(text: string): number {
  const value = new Parser(text).parse();
  if (!Number.isFinite(value)) throw new ExpressionError('the result is not a finite number');
  return value;
}

class Parser {
  readonly #tokens: string[];
  #next = 0;

  constructor(expression: string) {
    const text = expression.trim();
    const token = /\s*((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|\*\*|[-+*/%^(),])\s*/y;
    this.#tokens = [];
    while (token.lastIndex < text.length) {
      const at = token.lastIndex;
      const found = token.exec(text)?.[1];
      if (found === undefined) throw new ExpressionError(`cannot read "${text.slice(at, at + 10).trim()}"`);
      this.#tokens.push(found === '**' ? '^' : found);
    }
  }

  parse(): number {
    const value = this.#sum();
    if (this.#peek() !== undefined) throw this.#unexpected('an operator');
    return value;
  }

  #sum(): number {
    let value = this.#product();
    for (;;) {
      if (this.#take('+')) value += this.#product();
      else if (this.#take('-')) value -= this.#product();
      else return value;
    }
  }

  #product(): number {
    let value = this.#signed();
    for (;;) {
      if (this.#take('*')) value *= this.#signed();
      else if (this.#take('/')) value /= this.#divisor();
      else if (this.#take('%')) value %= this.#divisor();
      else return value;
    }
  }

  #divisor(): number {
    const value = this.#signed();
    if (value === 0) throw new ExpressionError('division by zero');
    return value;
  }

  #signed(): number {
    if (this.#take('-')) return -this.#signed();
    if (this.#take('+')) return this.#signed();
    return this.#power();
  }

  #power(): number {
    const base = this.#atom();
    return this.#take('^') ? base ** this.#signed() : base;
  }

  #atom(): number {
    if (this.#take('(')) {
      const value = this.#sum();
      this.#expect(')');
      return value;
    }
    const token = this.#peek();
    if (token === undefined || !/^[\w.]/.test(token)) throw this.#unexpected('a number');
    this.#next += 1;
    return /^[\d.]/.test(token) ? Number(token) : this.#named(token);
  }

  #named(name: string): number {
    const constant = constants.get(name);
    if (constant !== undefined) return constant;
    const known = functions.get(name);
    if (known === undefined) throw new ExpressionError(`there is no ${name}; there are ${vocabulary}`);
    this.#expect('(');
    const values = [this.#sum()];
    while (this.#take(',')) values.push(this.#sum());
    this.#expect(')');
    // Of these functions only min and max, which take any number of values, declare more than one.
    if (values.length > 1 && known.length === 1) throw new ExpressionError(`${name} takes one number`);
    return known(...values);
  }

  #peek(): string | undefined {
    return this.#tokens[this.#next];
  }

  #take(token: string): boolean {
    const taken = this.#peek() === token;
    if (taken) this.#next += 1;
    return taken;
  }

  #expect(token: string): void {
    if (!this.#take(token)) throw this.#unexpected(`"${token}"`);
  }

  #unexpected(wanted: string): ExpressionError {
    const found = this.#peek();
    return new ExpressionError(`expected ${wanted} ${found === undefined ? 'at the end' : `instead of "${found}"`}`);
  }
}
