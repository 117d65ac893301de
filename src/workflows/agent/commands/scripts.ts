import type { SimpleCommand } from './line.ts';

/** A word that a program may take for an option, as it may a file that is called so. */
export const isLikeOption = (word: string): boolean => /^[-*?[$]/.test(word);

/** Whether the scripts of `sed` only select, delete or replace lines. They can also run commands and write files. */
export function isPlainSed({ filledIn, words }: SimpleCommand): boolean {
  const scripts: string[] = [];
  let at = 1;
  for (; words[at]?.startsWith('-'); at++) {
    if (/^-[nErsuz]*e$/.test(words[at] ?? '')) scripts.push(words[++at] ?? '');
    else if (!/^-(?:[nErsuz]+|i(?:\.\w+)?)$/.test(words[at] ?? '')) return false;
  }
  if (scripts.length === 0) scripts.push(words[at++] ?? '');
  return scripts.every(isPlainScript) && !filledIn.some((index) => index < at) && !words.slice(at).some(isLikeOption);
}

/**
 * A command of `sed` that does no more, up to the next one. Whether a delimiter within brackets ends an expression differs, so
 * there is none within, and no first `]`, which would not end them.
 */
const sedCommand = (() => {
  const brackets = String.raw`\[(?!\^?\])(?:\[:[a-z]+:\]|[^\\\n/|#,[\]])+\]`;
  const until = (delimiter: string): string => String.raw`(?:(?!${delimiter})[^\\\n[]|\\.|${brackets})*${delimiter}`;
  const address = String.raw`(?:\d+|\$|/${until('/')})`;
  const replacing = String.raw`s([/|#,])${until(String.raw`\1`)}(?:(?!\1)[^\\\n]|\\.)*\1[gpiI\d]*`;
  return new RegExp(String.raw`(?:${address}(?:,${address})?!?)?(?:[pdq=]|${replacing}) *(?:[;\n][ \n]*|$)`, 'y');
})();

function isPlainScript(script: string): boolean {
  sedCommand.lastIndex = 0;
  do if (!sedCommand.test(script)) return false;
  while (sedCommand.lastIndex < script.length);
  return true;
}

/** Whether the program of `awk` can neither run another one nor write files. */
export function isPlainAwk({ filledIn, words }: SimpleCommand): boolean {
  let at = 1;
  for (; words[at]?.startsWith('-'); at++) {
    if (!/^-[Fv]/.test(words[at] ?? '')) return false;
    if (words[at]?.length === 2) at++;
  }
  const [program = '@', ...files] = words.slice(at);
  // Only behind `print` is `>` no comparison.
  const runs = /system|getline|[|@]|print[^]*>/.test(program.replaceAll('||', ''));
  return !runs && !filledIn.some((index) => index <= at) && !files.some(isLikeOption);
}
