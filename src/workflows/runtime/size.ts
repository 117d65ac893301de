/**
 * How large a value may be that goes into the history, in bytes of its JSON. The Temporal server refuses a payload over 2
 * MB, and a task whose payloads are over 4 MB together, and a run whose task is refused hangs for ever.
 */
export const payloadBytes = 1_000_000;

/** The size of a value as JSON in UTF-8, in bytes; 0 for undefined. */
export const jsonBytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/**
 * Cuts a text to so many bytes of JSON, not counting its quotation marks, never within a character. A last line in
 * brackets, which counts as well, says how much was left out, unless there is no room even for that.
 */
export function cutToBytes(text: string, bytes: number): string {
  const whole = beginning(text, bytes);
  if (whole.length === text.length) return text;
  const budget = bytes - jsonBytes(note(text.length, text.length)) + 2;
  if (budget < 0) return whole;
  const kept = beginning(text, budget);
  return kept + note(text.length - kept.length, text.length);
}

/** The first characters of a text, at most so many, where one that JavaScript counts as two is never cut in half. */
export const beginningOf = (text: string, characters: number): string =>
  text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, '');

export const shortened = (text: string, characters: number): string =>
  text.length <= characters ? text : `${beginningOf(text, characters)}…`;

const note = (left: number, all: number): string =>
  `\n[… ${grouped(left)} of ${grouped(all)} characters were left out here]`;

const grouped = (number: number): string => String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',');

/** The longest beginning of a text, in whole characters, whose JSON has at most so many bytes besides its quotation marks. */
function beginning(text: string, bytes: number): string {
  let used = 0;
  let at = 0;
  while (at < text.length) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    used += characterBytes(character);
    if (used > bytes) break;
    at += character.length;
  }
  return text.slice(0, at);
}

function characterBytes(character: string): number {
  const code = character.charCodeAt(0);
  if (character.length > 1) return 4;
  // JSON escapes control characters, quotation marks, backslashes and halves of pairs.
  const isEscaped = code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff);
  if (isEscaped) return JSON.stringify(character).length - 2;
  if (code < 0x80) return 1;
  return code < 0x800 ? 2 : 3;
}

/** How large a run's input may be with its attachments, in bytes: as much as the server takes. */
const withAttachments = 2_050_000;

/** How many objects and lists of an input may stand in one another: what reads them all calls itself for each. */
const maxDepth = 200;

function isTooDeep(input: object): boolean {
  let level: object[] = [input];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((each) => Object.values(each).filter((value) => typeof value === 'object' && value !== null));
  }
  return false;
}

/**
 * What is wrong with the size of a run's input. What a run passes on to its next one does not count, and attachments count
 * only to what the server takes, since they are stored at once.
 */
export function inputProblem(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  if (isTooDeep(input)) return `the input has more than ${maxDepth} objects and lists in one another`;
  const { attachments, earlier: _, ...rest } = input as { attachments?: unknown; earlier?: unknown };
  const bytes = jsonBytes(rest);
  if (bytes > payloadBytes) {
    const what = attachments === undefined ? '' : ' without its attachments';
    return `the input has ${grouped(bytes)} bytes${what}, and may have ${grouped(payloadBytes)}; let long texts be read from files`;
  }
  const all = bytes + jsonBytes(attachments);
  if (all <= withAttachments) return undefined;
  return `the input has ${grouped(all)} bytes with its attachments, and may have ${grouped(withAttachments)}; name files by their paths`;
}

/**
 * The value with its longest texts cut, all to the same size, so that it has at most so many bytes of JSON. Results,
 * updates and what a session hands to its next run pass through here: one that is too large would never arrive, with
 * everything paid for.
 */
export function truncateToPayload<T>(value: T, bytes = payloadBytes): T {
  const whole = jsonBytes(value);
  if (whole <= bytes) return value;
  const sizes: number[] = [];
  mapTexts(value, (text) => {
    sizes.push(jsonBytes(text));
    return text;
  });
  const limit = limitFor(sizes, bytes - (whole - sizes.reduce((sum, size) => sum + size, 0)));
  return mapTexts(value, (text) => (jsonBytes(text) <= limit ? text : cutToBytes(text, Math.max(0, limit - 2)))) as T;
}

/** The largest size to which texts may be cut so that all together take at most `budget` bytes, and 0 if there is none. */
export function limitFor(sizes: number[], budget: number): number {
  const rising = sizes.toSorted((one, other) => one - other);
  let left = Math.max(0, budget);
  for (const [index, size] of rising.entries()) {
    const share = Math.floor(left / (rising.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Infinity;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)]));
}
