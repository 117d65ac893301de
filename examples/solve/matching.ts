/**
 * Whether an answer is the expected one by the rules of the GAIA benchmark (Mialon et al., "GAIA: a benchmark for General
 * AI Assistants", 2023): numbers are compared as numbers, lists item by item, and other texts without letter case, spaces and
 * punctuation.
 */
export function isRight(answer: string, expected: string): boolean {
  if (isNumber(expected)) return numberOf(answer) === numberOf(expected);
  const items = expected.split(/[,;]/);
  if (items.length === 1) return plain(answer) === plain(expected);
  const given = answer.split(/[,;]/);
  return (
    given.length === items.length &&
    items.every((item, index) =>
      isNumber(item) ? numberOf(given[index] ?? '') === numberOf(item) : plain(given[index] ?? '') === plain(item),
    )
  );
}

/** Whether an answer in sentences contains the expected one. Numbers are compared as numbers, other texts literally. */
export function holds(answer: string, expected: string): boolean {
  if (!isNumber(expected)) return answer.toLowerCase().includes(expected.toLowerCase());
  const numbers = answer.match(/\d[\d,]*(?:\.\d+)?/g) ?? [];
  return numbers.some((number) => numberOf(number) === numberOf(expected));
}

const isNumber = (text: string): boolean => text.trim() !== '' && !Number.isNaN(numberOf(text));

/** The number in a text, without currency signs, percent signs and thousands separators; NaN if it is none. */
const numberOf = (text: string): number => {
  const digits = text.replace(/[$€£%,\s]/g, '').replace(/\.$/, '');
  return digits === '' ? NaN : Number(digits);
};

const plain = (text: string): string => text.toLowerCase().replace(/[\s\p{P}]/gu, '');
