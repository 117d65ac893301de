/** In milliseconds. A provider that asks for more is tried again after this time nevertheless. */
const maxDelayMs = 120_000;

/**
 * How long a provider asks to wait, in milliseconds up to 120,000; undefined if it does not say, or names a time that is over:
 * whoever came back at once would do so again and again. `retry-after-ms` beats `retry-after`, which holds seconds or an HTTP date.
 *
 * Without either, what the words of the answer say counts: Google has no header for it.
 *
 * @param now milliseconds since the epoch
 */
export function retryDelay(headers: Headers | undefined, now: number, words = ''): number | undefined {
  const after = headers?.get('retry-after');
  const asked =
    numberIn(headers?.get('retry-after-ms')) ??
    (numberIn(after) ?? (after ? (Date.parse(after) - now) / 1000 : secondsIn(words))) * 1000;
  return asked > 0 ? Math.min(maxDelayMs, Math.round(asked)) : undefined;
}

/** As in `Please retry in 35.2s.` of Google and `Please try again in 1.5s` of OpenAI. */
const secondsIn = (words: string): number =>
  Number(/\b(?:re)?try (?:again )?in (\d+(?:\.\d+)?) ?s\b/i.exec(words)?.[1] ?? NaN);

function numberIn(text: string | null | undefined): number | undefined {
  const number = Number(text ?? NaN);
  return text?.trim() === '' || Number.isNaN(number) ? undefined : number;
}
