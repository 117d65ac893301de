import type { PermissionAction } from '../../../protocol/tools/permissions.ts';
import { fits, upwards } from './patterns.ts';
import { readLine, type SimpleCommand } from './line.ts';
import { interpreters, programOf, setOf } from './names.ts';
import { commandAt, isOpaque, runsItsWords, shownAs, unwrapped, wordsFor } from './programs.ts';

/** What rules say about a command line. */
interface LineVerdict {
  /** The strictest of what they say about its commands; undefined if they say nothing about any. */
  action: PermissionAction | undefined;
  /** Whether no rule says anything about some of it. */
  isOpen: boolean;
  /** Whether a rule that denies may be about some of it, which does not show. */
  isUnclear: boolean;
}

/**
 * Each command of a line is judged by the first rule that is about it. One that allows is about the commands of which that
 * shows; one that denies or asks is also about the line as it is written, and about what may be in it.
 */
export function verdictOnLine(
  rules: Array<{ pattern?: string | undefined; action: PermissionAction }>,
  text: string,
): LineVerdict {
  const { commands, isPlain, isWhole } = readLine(text);
  let open = commands.map((command) => ({ forms: formsOf(command), ...tracesOf(command) }));
  let isAsked = false;
  let isAskedAsWritten = false;
  let isUnclear = false;
  for (const { action, pattern } of rules) {
    if (pattern === undefined || /^\*+$/.test(pattern) || pattern === text)
      return { action: action === 'allow' && isAsked ? 'ask' : action, isOpen: false, isUnclear };
    if (action === 'allow') {
      if (isPlain) open = open.filter(({ forms }) => !forms.some((form) => covers(pattern, form)));
    } else {
      const isWritten = fits(pattern, text);
      const rest = open.filter(({ texts }) => !texts.some((each) => isAbout(pattern, each)));
      const isMet = isWritten || rest.length < open.length;
      if (isMet && action === 'deny') return { action, isOpen: false, isUnclear };
      const isPossible = !isMet && (!isWhole || open.some(({ hides, known }) => hides || mayBegin(pattern, known)));
      if (isPossible && action === 'deny') isUnclear = true;
      if (isMet || (isPossible && action === 'ask')) isAsked = true;
      if (isWritten) isAskedAsWritten = true;
      open = rest;
    }
    if (isPlain && open.length === 0) break;
  }
  const isOpen = !isAskedAsWritten && (!isPlain || open.length > 0);
  return { action: isAsked ? 'ask' : isPlain && !isOpen ? 'allow' : undefined, isOpen, isUnclear };
}

/** A command as a rule may allow it. `named`: how many of its first words the rule must name. */
type Form = SimpleCommand & { shown: string; named: number };

const formsOf = (command: SimpleCommand): Form[] =>
  [command, unwrapped(command) ?? []]
    .flat()
    .map((form) => ({ ...form, shown: shownAs(form.words), named: wordsFor(form, true) }));

/** Whether a command is what the pattern says: `rm *` is also about `rm` alone, to which `xargs` adds words. */
const isAbout = (pattern: string, command: string): boolean => fits(pattern, command) || fits(pattern, `${command} `);

function covers(pattern: string, { isRedirected = false, named, shown, words, written }: Form): boolean {
  // The name of a file that it reads is no word of a command.
  const isAsWritten = isAbout(pattern, written) && (!isRedirected || /[<>]/.test(pattern));
  return (isAsWritten || isAbout(pattern, shown)) && names(pattern, words, named);
}

/**
 * Whether the first words of a command stand in a pattern as they are, before any wildcard. One within a word stands for no
 * other program or folder than that word begins with.
 */
function names(pattern: string, words: string[], count: number): boolean {
  if (!pattern.includes('*')) return true;
  const named = pattern.slice(0, pattern.indexOf('*')).split(' ');
  const [begun = ''] = named.slice(-1);
  const word = words[named.length - 1] ?? '';
  if (begun.includes('/') ? upwards(word) > upwards(begun) : named.length === 1 && begun !== '' && word.includes('/'))
    return false;
  return words.slice(0, count).every((word, index) => word === named[index]) && staysIn(pattern, words);
}

/** Programs to which each word is a file. */
const ofFiles = setOf('rm rmdir mv cp ln chmod chown cat');

/**
 * Whether words lead to no other folders than those that a pattern names, if it has a wildcard in one: that stands for any
 * further words too. What is behind an interpreter's script is the script's.
 */
function staysIn(pattern: string, words: string[]): boolean {
  const [program = '', ...rest] = pattern.split(' ');
  // A header, as `Accept: text/html`, is none.
  const isPath = ofFiles.has(programOf(program)) ? /^[^-]|\// : /^(?![\w-]+: )[^]*\/|^(?:~|\.\.?$)/;
  if (interpreters.has(programOf(program)) || !rest.some((word) => /\/.*\*/.test(word))) return true;
  const isNamed = (word: string, [begun = '', ...more]: string[]): boolean =>
    more.length === 0 ? word === begun : begun !== '' && word.startsWith(begun) && upwards(word) <= upwards(begun);
  const named = rest.map((word) => word.split('*'));
  return words.slice(1).every((word) => !isPath.test(word) || named.some((each) => isNamed(word, each)));
}

/** How deep texts in texts are read, since a shell may be given one that gives another shell one. */
const maxDepth = 3;

/**
 * What a rule that denies is compared with: `texts`: the command, and what it may run; `known`: what it begins with, if the
 * shell fills in the rest; `hides`: whether it may run what does not show.
 */
function tracesOf(command: SimpleCommand, depth = 0): { texts: string[]; known: string | undefined; hides: boolean } {
  const { filledIn, words, written } = command;
  const text = words.join(' ');
  const runs = runsItsWords(command);
  const inner: string[] = [];
  let at = 0;
  const starts = words.map((word) => {
    const start = at;
    at += word.length + 1;
    return start;
  });
  words.forEach((word, index) => {
    const start = starts[index] ?? 0;
    const program = word.slice(word.lastIndexOf('/') + 1);
    const behind = text.slice(start + word.length);
    if (index === 0 || runs) {
      // Some systems take it in any case.
      inner.push(text.slice(start), program + behind, program.toLowerCase().replace(/\.exe$/, '') + behind);
      if (program.startsWith('git-')) inner.push(`git ${program.slice(4)}${behind}`);
      // What stands before the command of a program is no part of what rules are about: `git push` for `git -C a push`.
      const named = commandAt(words, index) ?? 0;
      if (named > index + 1) inner.push(`${program.toLowerCase()} ${text.slice(starts[named] ?? text.length)}`);
    }
    if (index > 0 && runs && depth < maxDepth && /\s/.test(word))
      inner.push(...readLine(word).commands.flatMap((each) => tracesOf(each, depth + 1).texts));
  });
  const first = filledIn[0];
  const [literal = ''] = (words[first ?? 0] ?? '').split(/[*?[$]/);
  return {
    texts: [written, ...inner],
    known: first === undefined ? undefined : [...words.slice(0, first), literal].join(' '),
    hides: isOpaque(command) || (runs && filledIn.length > 0),
  };
}

/** Whether a pattern may fit a text of which only the beginning is known. */
function mayBegin(pattern: string, known: string | undefined): boolean {
  const [literal = ''] = pattern.split('*');
  return known !== undefined && (literal.startsWith(known) || known.startsWith(literal));
}
