import { isEcho } from './text.ts';

/** The marker where it begins a line as models write it: as it is, in bold or code, or as a heading. */
const marker = String.raw`[ \t]*(?:#{1,6}[ \t]+)?([*_\x60]*)FINAL_ANSWER(?![a-z0-9])`;

const beginning = new RegExp(`^${marker}`, 'i');

const signs = [
  // With its colon it may stand anywhere in the text (xaibo's documentation, ReActOrchestrator, Final Answer Detection).
  /FINAL_ANSWER[*_\x60]*[ \t]*:/i,
  // Without one it begins the text, is a heading, or has a line for itself.
  beginning,
  /^[ \t]*#{1,6}[ \t]+[*_\x60]*FINAL_ANSWER(?![a-z0-9])/im,
  new RegExp(String.raw`^${marker}[*_\x60]*[ \t]*$`, 'im'),
];

/** Whether an action says that it is the final answer, in any letter case. */
export const isFinalAnswer = (text: string): boolean => signs.some((sign) => sign.test(text.trimStart()));

/** Whether what a text says behind its last marker are words of its prompt, which explains the marker. */
export const isQuoted = (text: string, prompt: string): boolean =>
  isEcho(text.split(/FINAL_ANSWER[*_\x60]*[ \t]*:/i).at(-1) ?? '', prompt);

export function withoutMarker(text: string): string {
  const [found, opening = ''] = beginning.exec(text.trimStart()) ?? [];
  if (found === undefined) return text.trim();
  const rest = text.trimStart().slice(found.length);
  // What the marker opens, such as bold, may close behind it, behind its colon, or with the answer.
  const closing = opening.split('').toReversed().join('');
  const at = closing === '' ? -1 : rest.indexOf(closing);
  const plain = at === -1 ? rest : rest.slice(0, at) + rest.slice(at + closing.length);
  return plain.replace(/^\s*:/, '').trim();
}
