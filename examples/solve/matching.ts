/**
 * Whether an answer is the expected one, as the GAIA benchmark scores (Mialon et al., "GAIA: a benchmark for General AI
 * Assistants", 2023): numbers as numbers, lists item by item, and other texts without case, spaces and punctuation.
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

/** Whether an answer in sentences holds the expected one: a number as a number, any other text as it is. */
export function holds(answer: string, expected: string): boolean {
  if (!isNumber(expected)) return answer.toLowerCase().includes(expected.toLowerCase());
  const numbers = answer.match(/\d[\d,]*(?:\.\d+)?/g) ?? [];
  return numbers.some((number) => numberOf(number) === numberOf(expected));
}

const isNumber = (text: string): boolean => text.trim() !== '' && !Number.isNaN(numberOf(text));

/** Without currency signs, percent signs and the commas of thousands. */
const numberOf = (text: string): number => {
  const digits = text.replace(/[$€£%,\s]/g, '').replace(/\.$/, '');
  return digits === '' ? NaN : Number(digits);
};

const plain = (text: string): string => text.toLowerCase().replace(/[\s\p{P}]/gu, '');
