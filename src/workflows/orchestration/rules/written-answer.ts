/** A call of `new_answer` as text, of which the end may be missing. */
const call =
  /^\s*(?:```\w*\s*)?\{\s*"name"\s*:\s*"new_answer"\s*,\s*"(?:arguments|parameters)"\s*:\s*\{\s*"content"\s*:\s*"/;

/** A string of JSON behind its beginning, and what closes it with the call. */
const rest = /^([^"\\]*(?:\\.[^"\\]*)*)(?:\\|"\s*(?:\}\s*){0,2}(?:```)?\s*)?$/s;

/**
 * What a call says that a model has only begun to write, as where its reply was cut off: the answer in `{"name": "new_answer",
 * "arguments": {"content": "It is …`. Any other text is as it was. A whole call has been read before.
 */
export function saidIn(text: string): string {
  const [opening] = call.exec(text) ?? [];
  const [, said] = (opening !== undefined && rest.exec(text.slice(opening.length))) || [];
  if (said === undefined) return text;
  try {
    // Small models write line breaks as they are.
    const string = said.replaceAll(/[\n\r\t]/g, (sign) => JSON.stringify(sign).slice(1, -1));
    return JSON.parse(`"${string}"`) as string;
  } catch {
    return said;
  }
}
