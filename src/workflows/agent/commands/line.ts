/**
 * Reads a command line for `sh` into the commands that it runs. Only what dash, bash and busybox read alike is plain:
 * words, quotes, `;`, newlines, `&`, `&&`, `||`, `|`, and redirections that write nowhere. Of all else it is only said that
 * it is there (docs/decisions/0059-a-rule-holds-for-each-command.md).
 */
export interface CommandLine {
  /** The commands that show, in their order, also those of a line that is not plain. */
  commands: SimpleCommand[];
  /** Whether it runs these commands and does nothing else. */
  isPlain: boolean;
  /** Whether there can be no commands besides these. A plain line is whole. */
  isWhole: boolean;
}

export interface SimpleCommand {
  /** Its words as the program gets them, without quotes. What the shell would fill in stands as it is written. */
  words: string[];
  /** Which of its words the shell fills in, or multiplies, by variables or names of files. */
  filledIn: number[];
  written: string;
  /** Whether it redirects anything, which then is part of what is written. */
  isRedirected?: boolean;
}

/** Of longer lines nothing is read, in characters. People write none, and reading must take no time. */
const maxChars = 10_000;

/** What neither ends a word nor means anything to a shell. */
const letters = /[\w@%+=:,./^!~\]\p{L}\p{M}\p{N}-]+|\$\?|\{[\w/-]*\}/uy;
const singleQuoted = /'([^']*)'/y;
const doubleQuoted = /"((?:[^"\\$`]|\\[^\n]|\$(?=")|\$\?)*)"/y;
const doubleQuotedWithVariables = /"((?:[^"\\$`]|\\[^]|\$(?!\())*)"/y;
const escaped = /\\([ -~])/y;
const blanks = /[ \t]+/y;
const continuation = /\\\n/y;
const operator = /&&|\|\||[;&|\n]/y;
const harmlessRedirection =
  /[012]?(?:>>?[ \t]*\/dev\/null|>&[12]|<[ \t]*(?!\/dev\/(?!null(?![\w./~+-])))[\w./~+-]+)(?=[ \t\n;&|]|$)/y;
const otherRedirection = />[>|&]?|<[>&]?(?!<)/y;
const loneBracket = /\[(?=[ \t])/y;
const fileNames = /[*?[]/y;
const variable = /\$(?:[A-Za-z_]\w*|\{\w*\}|[\d@*#$!-])/y;
const comment = /#[^\n]*/y;

/** Characters that do not show, or show as a space, and that no honest quoted text needs. */
const hidden =
  // oxlint-disable-next-line no-control-regex
  /[\u034F\u17B4\u17B5\0-\x08\x0B-\x1F\x7F-\xA0\xAD\u061C\u115F\u1160\u1680\u180E\u2000-\u200F\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uFEFF\uFFA0\uFFF0-\uFFFF\uDB40]/;

const reserved = new Set(
  'if then else elif fi for while until do done case esac in select function coproc { } ! [[ ]]'.split(' '),
);

export const isReserved = (word: string): boolean => reserved.has(word);

/** Reads a line. It never fails: what cannot be followed makes the line not plain. */
export function readLine(text: string): CommandLine {
  if (text.length > maxChars) return { commands: [], isPlain: false, isWhole: false };
  const commands: SimpleCommand[] = [];
  let isPlain = true;
  let isWhole = true;
  let at = 0;
  let begin = 0;
  let words: string[] = [];
  let filledIn: number[] = [];
  let word: string | undefined;
  let wantsMore = false;
  let isRedirected = false;
  /** Whether the next word is that of a redirection, and none of the command. */
  let isFile = false;

  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const lose = (): void => {
    isPlain = false;
    isWhole = false;
  };
  const add = (part: string): void => {
    word = (word ?? '') + part;
  };
  const addLiteral = (part: string): void => {
    if (hidden.test(part)) isPlain = false;
    add(part);
  };
  const addFilledIn = (part: string): void => {
    if (filledIn.at(-1) !== words.length) filledIn.push(words.length);
    add(part);
  };
  const endWord = (): void => {
    if (word !== undefined && isFile) filledIn = filledIn.filter((index) => index !== words.length);
    else if (word !== undefined) words.push(word);
    if (word !== undefined) isFile = false;
    word = undefined;
  };
  const endCommand = (end: number): void => {
    endWord();
    while (words[0] !== undefined && isReserved(words[0])) {
      isPlain = false;
      words.shift();
      filledIn = filledIn.map((index) => index - 1);
    }
    if (filledIn.includes(0)) lose();
    if (/^~|\s/.test(words[0] ?? '') || (words.length === 0 && isRedirected)) isPlain = false;
    if (words.length > 0) {
      const written = text.slice(begin, end).trim();
      commands.push({ words, filledIn, written, ...(isRedirected && { isRedirected }) });
      wantsMore = false;
    }
    [words, filledIn, isRedirected, isFile] = [[], [], false, false];
  };

  while (at < text.length) {
    const start = at;
    let found;
    if (take(blanks)) endWord();
    else if (take(continuation)) continue;
    else if (word === undefined && take(harmlessRedirection)) isRedirected = true;
    else if ((found = take(operator))) {
      const [sign] = found;
      endWord();
      if (words.length === 0 && sign !== '\n') isPlain = false;
      endCommand(start);
      if (sign.length === 2 || sign === '|') wantsMore = true;
      begin = at;
    } else if ((found = take(letters) ?? (word === undefined ? take(loneBracket) : null))) addLiteral(found[0]);
    else if ((found = take(singleQuoted))) addLiteral(found[1]!);
    else if ((found = take(doubleQuoted))) addLiteral(found[1]!.replaceAll(/\\(["\\$`])/g, '$1'));
    else if ((found = take(escaped))) add(found[1]!);
    else if ((found = take(fileNames))) addFilledIn(found[0]);
    else if (word !== undefined && text[at] === '#') add(text[at++]!);
    else if ((found = take(comment))) {
      if (hidden.test(found[0])) isPlain = false;
      endCommand(start);
      begin = at;
    } else {
      // From here on the line is not plain. What it runs is looked for all the same, since rules may deny it.
      isPlain = false;
      if ((found = take(variable))) addFilledIn(found[0]);
      else if ((found = take(doubleQuotedWithVariables))) addFilledIn(found[1]!);
      else if (take(otherRedirection)) {
        // The number of a stream stands before it, or a name for one.
        if (/^(?:\d+|\{\w+\})$/.test(word ?? '')) word = undefined;
        endWord();
        isRedirected = true;
        isFile = true;
      } else {
        lose();
        const character = text[at++];
        if (character === '(' || character === ')' || character === '`') {
          endCommand(start);
          begin = at;
        } else if (character !== undefined && !'$\'"\\\r'.includes(character)) add(character);
      }
    }
  }
  endCommand(at);
  if (wantsMore || commands.length === 0) isPlain = false;
  return { commands, isPlain, isWhole };
}
