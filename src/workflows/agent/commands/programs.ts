import { isReserved, type SimpleCommand } from './line.ts';
import { handing, interpreters, joiners, launchers, programOf, setOf, shells, wrappers } from './names.ts';
import { isOption, type Options, optionsOf } from './options.ts';
import { fits } from './patterns.ts';

/** A word that a program may take for an option, as it may a file that is called so. */
const isLikeOption = (word: string): boolean => /^[-*?[$]/.test(word);

/** Whether the scripts of `sed` only select, delete or replace lines. They can also run commands and write files. */
function isPlainSed({ filledIn, words }: SimpleCommand): boolean {
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
function isPlainAwk({ filledIn, words }: SimpleCommand): boolean {
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

// By which words a program runs another one. A wildcard never stands for these: a rule that is to cover them names them
// (docs/commands.md lists them for users).

const isAssignment = (word: string): boolean => word.includes('=');

/** Behind which word a program runs the one that its further words name; undefined if it does not. */
function runsBehind(words: string[]): number | undefined {
  const program = programOf(words[0]);
  if (wrappers.has(program)) return 0;
  const at = launchers.has(program) ? words.findIndex((word) => word === 'run' || word === 'exec') : -1;
  return at === -1 ? undefined : at;
}

/** Whether it may run commands that its words do not show. */
export function isOpaque(command: SimpleCommand): boolean {
  const { words } = command;
  const assignments = words.findIndex((word) => !isAssignment(word));
  if (assignments !== 0) return assignments > 0 && isOpaque(without(command, assignments));
  const program = programOf(words[0]);
  if (shells.has(program)) return true;
  const hasScript = words
    .slice(0, endOfOptions(words))
    .some((word) => /^-(?:\w*[ceErp]$|[ceErp]|-eval|-print)/.test(word));
  if (interpreters.has(program)) return hasScript;
  if (runsBehind(words) !== undefined)
    return words.slice(1).some((word) => {
      const name = programOf(word);
      return shells.has(name) || (hasScript && interpreters.has(name)) || /\s|^--coreutils-prog/.test(word);
    });
  return wordsFor(command, false) > 1;
}

/** Up to which word there may be options of an interpreter itself. */
function endOfOptions(words: string[]): number {
  const isScript = (word: string, index: number): boolean =>
    word === '-m' || (index > 0 && /^[\w./@]/.test(word) && (index === 1 || !words[index - 1]?.startsWith('-')));
  const at = handing.has(programOf(words[0])) ? words.findIndex(isScript) : -1;
  return at === -1 ? words.length : at;
}

/** Whether other programs may be among its words. */
export function runsItsWords(command: SimpleCommand): boolean {
  const [word = ''] = command.words;
  const program = programOf(word);
  return isAssignment(word) || shells.has(program) || /^(?:npx|bunx)$/.test(program) || wordsFor(command, false) > 1;
}

export const without = ({ filledIn, words }: SimpleCommand, count: number): SimpleCommand => {
  const rest = words.slice(count);
  return {
    words: rest,
    filledIn: filledIn.map((index) => index - count).filter((index) => index >= 0),
    written: shownAs(rest),
  };
};

/** Words as patterns see them: a space of a pattern stands between two of them, and not within one. */
export const shownAs = (words: string[]): string => words.map((word) => word.replaceAll(/\s/g, '\0')).join(' ');

/** What `time`, `nice`, `nohup` or `timeout 60` runs, in their plain forms: that is judged in their place. */
export function unwrapped(command: SimpleCommand): SimpleCommand | undefined {
  const [program, second = '-'] = command.words;
  const count = program === 'timeout' && /^\d{1,9}(?:\.\d{1,9})?[smhd]?$/.test(second) ? 2 : 1;
  const isPlain = count === 2 || ['time', 'nice', 'nohup'].includes(program ?? '');
  const inner = without(command, count);
  const [first = '-'] = inner.words;
  const isClear = !/^-|\s/.test(first) && !isReserved(first) && !inner.filledIn.includes(0);
  // One within another is not looked through, so that the time grows with the length of the line.
  return isPlain && isClear && !wrappers.has(programOf(first)) ? inner : undefined;
}

/**
 * How many of a command's first words a rule must name, since by the last of them it may run another program, or work
 * elsewhere than where its rule is for. @param hasPlaces whether those count by which it only works elsewhere
 */
export function wordsFor(command: SimpleCommand, hasPlaces: boolean): number {
  const { filledIn, words } = command;
  const assignments = words.findIndex((word) => !isAssignment(word));
  if (assignments === -1) return words.length;
  if (assignments > 0) return assignments + Math.max(1, wordsFor(without(command, assignments), hasPlaces));
  const program = programOf(words[0]);
  const behindWord = runsBehind(words);
  if (behindWord !== undefined) return Math.max(behindWord + 1, wrapped(command, program, hasPlaces));
  // By `+n` a shell runs what by `-n` it would only read.
  if (shells.has(program) && words.some((word) => word.startsWith('+'))) return words.length;
  if (shells.has(program) || interpreters.has(program)) return 1;
  if (program === 'sed') return isPlainSed(command) ? 0 : words.length;
  if (program === 'awk') return isPlainAwk(command) ? 0 : words.length;
  const options = optionsOf.get(program);
  if (options === undefined) return 0;
  const at = commandAt(words);
  const isUnknown = at !== undefined && words[at] !== undefined && !options.commands?.has(words[at]);
  const own = words[at ?? -1] ?? '';
  const behind = options.of?.get(own);
  const bare = options.bareBehind?.has(own) ? words.length : (options.bare ?? at ?? 0);
  const handedOn = options.isLoose ? words.indexOf('--') : -1;
  const taken = handedOn === -1 ? words : words.slice(0, handedOn);
  const last = taken.findLastIndex(
    (word, index) =>
      index > 0 &&
      // A file may be called like an option, or as what needs no dash.
      ((filledIn.includes(index) && (index <= bare || isLikeOption(word) || options.begun?.test(begunOf(word)))) ||
        isOption(options, word) ||
        behind?.test(word)),
  );
  const places = hasPlaces ? [folderOf(options, words, at), writtenBy(options, command)] : [];
  return Math.max(isUnknown ? at + 1 : 0, last + 1, ...executed(command, program, hasPlaces), ...places);
}

const searchers = setOf('find fd');

/** Of `find` and `fd`: how many words name what they run, where that may run something else. */
function executed({ words, ...command }: SimpleCommand, program: string, hasPlaces: boolean): number[] {
  if (!searchers.has(program)) return [];
  const starts = words.flatMap((word, index) =>
    index > 0 && /^-(?:exec|ok|-exec|[xX]|\w*[xX]$)/.test(word) ? [index] : [],
  );
  // So that the time grows with the length of the line, no more are looked at, and none within another one.
  if (starts.length > 9) return [words.length];
  return starts.flatMap((index) => {
    const inner = without({ words, ...command }, index + 1);
    const name = programOf(inner.words[0]);
    if (wrappers.has(name) || searchers.has(name) || isAssignment(name) || inner.filledIn.includes(0))
      return [words.length];
    const count = wordsFor(inner, hasPlaces);
    return count === 0 ? [] : [index + 1 + count];
  });
}

/**
 * Where the command stands of a program that has commands, or what stands before it and is not known. @param index of the
 * program among the words
 */
export function commandAt(words: string[], index = 0): number | undefined {
  const { commands, flags, folder } = optionsOf.get(programOf(words[index])) ?? {};
  if (commands === undefined) return undefined;
  let at = index + 1;
  for (; words[at]?.startsWith('-'); at++) {
    if (words[at] === folder) at++;
    else if (!flags?.has(words[at] ?? '')) break;
  }
  return at;
}

/** How many words name the folder that a program goes to before its command, if that is not below its own. */
function folderOf({ folder }: Options, words: string[], at = 0): number {
  const isElsewhere = (word: string): boolean => /^[/~]|(?:^|\/)(?:\.\.|\.git)(?:\/|$)/i.test(word);
  return words.slice(0, at).findLastIndex((word, index) => words[index - 1] === folder && isElsewhere(word)) + 1;
}

/** How many words name the file that a program writes, if that is its second one. */
function writtenBy({ operands }: Options, { filledIn, words }: SimpleCommand): number {
  if (operands === undefined) return 0;
  let count = 0;
  let isOver = false;
  for (let at = 1; at < words.length; at++) {
    if (operands.test(words[at] ?? '')) at++;
    else if (isOver || !/^-./.test(words[at] ?? '')) count++;
    else if (words[at] === '--') isOver = true;
    if (count > 1 || filledIn.includes(at)) return at + 1;
  }
  return 0;
}

/** Those that add further words, which are not known here and may be options. */
const readers = setOf('xargs parallel');

/** Of a wrapper at least the program that it runs. Since its own options are not known here, any word may be that one. */
function wrapped(command: SimpleCommand, program: string, hasPlaces: boolean): number {
  const { filledIn, words } = command;
  if (words.length === 1) return program === 'env' || program === 'time' ? 0 : 1;
  if (program === 'command' && /^-[vV]$/.test(words[1] ?? '')) return 2;
  const first = words.findIndex((word, index) => index > 0 && !/^-|^\d|=/.test(word));
  const ssh = words.findIndex((word) => programOf(word) === 'ssh');
  const joiner = words.findIndex((word) => joiners.has(programOf(word)));
  let count = Math.max(first === -1 ? words.length : first + 1, ssh === -1 ? 0 : ssh + optionsOfSsh(words.slice(ssh)));
  const seen = new Map<string, number>();
  words.forEach((word, index) => {
    const name = programOf(word);
    if (joiner !== -1 && index > joiner && /[^\w@%+=:,./~-]/.test(word)) count = Math.max(count, index + 1);
    if (index === 0 || isAssignment(word)) return;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    if (wrappers.has(name) || (filledIn.includes(index) && mayBeKnown(word))) count = Math.max(count, index + 1);
    // Only two of a name are looked at in whole, so that the time grows with the length of the line.
    else if (times <= 2 && isKnown(name)) {
      const inner = readers.has(program) ? words.length - index : wordsFor(without(command, index), hasPlaces);
      if (inner > 0) count = Math.max(count, index + inner);
    }
  });
  return count;
}

/** How many words of `ssh` stand before what it runs, up to the last option: it takes some behind the host too. */
function optionsOfSsh(words: string[]): number {
  let hasHost = false;
  let last = 0;
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? '';
    if (/^-./.test(word)) {
      // Some have a word of their own behind them.
      if (/^-[^BbcDEeFIiJLlmOoPpQRSWw]*[BbcDEeFIiJLlmOoPpQRSWw]$/.test(word)) at++;
      last = at;
    } else if (hasHost) break;
    else hasHost = true;
  }
  return hasHost ? last + 1 : 0;
}

const begunOf = (word: string): string => word.replace(/[*?[][^]*/, '');

/** Whether the shell may make a program of a word that is known here, from where the system has its programs. */
function mayBeKnown(word: string): boolean {
  const begun = begunOf(word);
  if (begun.includes('/') && !/^[/~]|\.\./.test(word)) return false;
  const end = word.slice(word.lastIndexOf('/') + 1).replaceAll(/\[[^\]]*\]?|\?/g, '*');
  const [start = ''] = end.split('*');
  return isKnown(programOf(begun)) || names.some((name) => name.startsWith(start) && fits(end, name));
}

const names = [...shells, ...interpreters, ...wrappers, ...optionsOf.keys(), 'sed', 'awk'];

const isKnown = (program: string): boolean =>
  shells.has(program) || interpreters.has(program) || optionsOf.has(program) || program === 'sed' || program === 'awk';
