/** Which mark stands before a number's decimals. */
export type DecimalMark = '.' | ',';

const shapes: Record<DecimalMark, RegExp> = {
  '.': /^(\d{1,3}(?:([,\s'’])\d{3})(?:\2\d{3})*|\d*)(?:\.(\d*))?(e[+-]?\d+)?$/i,
  ',': /^(\d{1,3}(?:([.\s'’])\d{3})(?:\2\d{3})*|\d*)(?:,(\d*))?(e[+-]?\d+)?$/i,
};

const other: Record<DecimalMark, DecimalMark> = { '.': ',', ',': '.' };

/** Not any three letters: `ABC 12` is no amount. */
const currency =
  '(?:[A-Z]{0,2}\\p{Sc}|AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|INR|JPY|KRW|MXN|NOK|NZD|PLN|SEK|SGD|TRY|USD|ZAR)';
const sign = '[-−–+]';
const around = new RegExp(
  `^\\(?\\s*(${sign}?)\\s*${currency}?\\s*(${sign}?)\\s*([\\d.,].*?)\\s*(?:${currency}|%)?\\s*\\)?$`,
  'u',
);

/** Longer cells are texts. */
const longest = 50;

/**
 * The number that a cell holds: with thousands separators, a currency, a percent sign (`12%` is 12), in parentheses
 * where it is negative. Undefined where it holds none.
 *
 * @param mark which reading wins where both are possible, as in `1,234`
 */
export function amountOf(cell: string, mark: DecimalMark = '.'): number | undefined {
  const { digits, negative } = bare(cell);
  const amount = read(digits, mark) ?? read(digits, other[mark]);
  return amount === undefined || !negative ? amount : -amount;
}

/** Which mark the numbers of a column use, by those that can be read in one way only; a dot where none can tell. */
export function decimalMarkOf(cells: string[]): DecimalMark {
  let commas = 0;
  for (const cell of cells) {
    const { digits } = bare(cell);
    commas += Number(shapes[','].test(digits)) - Number(shapes['.'].test(digits));
  }
  return commas > 0 ? ',' : '.';
}

/** A cell without what stands around its digits. */
function bare(cell: string): { digits: string; negative: boolean } {
  const text = cell.trim();
  const [, before = '', after = '', digits = ''] = (text.length <= longest && around.exec(text)) || [];
  const negative = (text.startsWith('(') && text.endsWith(')')) || /[-−–]/.test(before + after);
  return { digits, negative };
}

function read(digits: string, mark: DecimalMark): number | undefined {
  const [, whole = '', , decimals = '', exponent = ''] = shapes[mark].exec(digits) ?? [];
  if (whole === '' && decimals === '') return undefined;
  return Number(`${whole.replaceAll(/\D/g, '')}.${decimals}${exponent}`);
}
