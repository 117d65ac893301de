const small = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen ' +
  'seventeen eighteen nineteen'
).split(' ');
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

const smalls = new Map(small.map((word, value) => [word, value]));
const tensBy = new Map(tens.map((word, index) => [word, (index + 2) * 10]));

/** A number and how many words it takes. */
interface Spoken {
  value: number;
  length: number;
}

type WordAt = (offset: number) => string | undefined;

/** 0 to 99: `seven`, `seventy two`, `seventy-two`. */
function belowHundred(wordAt: WordAt, from: number): Spoken | undefined {
  const low = smalls.get(wordAt(from) ?? '');
  if (low !== undefined) return { value: low, length: 1 };
  const ten = tensBy.get(wordAt(from) ?? '');
  if (ten === undefined) return undefined;
  const hyphen = wordAt(from + 1) === '-' ? 1 : 0;
  const unit = smalls.get(wordAt(from + 1 + hyphen) ?? '');
  if (unit === undefined || unit < 1 || unit > 9) return { value: ten, length: 1 };
  return { value: ten + unit, length: 2 + hyphen };
}

function whole(wordAt: WordAt): Spoken | undefined {
  const article = wordAt(0) === 'a' && wordAt(1) === 'hundred';
  const first = article ? { value: 1, length: 1 } : belowHundred(wordAt, 0);
  if (first === undefined || wordAt(first.length) !== 'hundred') return first;
  const length = first.length + 1;
  const and = wordAt(length) === 'and' ? 1 : 0;
  const rest = belowHundred(wordAt, length + and);
  if (rest === undefined) return { value: first.value * 100, length };
  return { value: first.value * 100 + rest.value, length: length + and + rest.length };
}

/**
 * The English number in words that begins here, such as `sixty-five`, `seven and a half`, `six point five`,
 * `one hundred`; undefined: none does.
 *
 * @param wordAt the words from here on, in lower case; a hyphen is one of its own
 */
export function numberInWords(wordAt: WordAt): Spoken | undefined {
  const spoken = whole(wordAt);
  if (spoken === undefined) return undefined;
  const { value, length } = spoken;
  if (wordAt(length) === 'and' && wordAt(length + 1) === 'a' && wordAt(length + 2) === 'half') {
    return { value: value + 0.5, length: length + 3 };
  }
  const tenth = smalls.get(wordAt(length + 1) ?? '') ?? 10;
  if (wordAt(length) === 'point' && tenth < 10) {
    return { value: Number(`${value}.${tenth}`), length: length + 2 };
  }
  return spoken;
}
