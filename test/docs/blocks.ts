import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The pages whose blocks are tested, as paths from the repository's root. */
export const pages: string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'examples/README.md',
  ...readdirSync(`${root}docs`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** A fenced block of a page. */
export interface Block {
  /** Page and line of its first line within the fence, such as `docs/tools.md:7`. */
  place: string;
  /** The word behind the opening fence; empty where there is none. */
  language: string;
  text: string;
  /** Why it is not run, from a comment `<!-- not run: REASON -->` before it. */
  notRun?: string;
}

/** Why a block may be left out, each for something that no machine which runs the tests is sure to have. */
export const reasons = [
  'needs Docker',
  'needs a key',
  'needs a model server',
  'needs another machine',
  'changes the machine',
  'takes minutes',
];

const comment = /^\s*<!-- not run: (.*?) -->\s*$/;

export const readPage = (page: string): Block[] => blocksOf(readFileSync(`${root}${page}`, 'utf8'), page);

/** All fenced blocks of a page's text, in their order. */
export function blocksOf(text: string, page: string): Block[] {
  const blocks: Block[] = [];
  let open: (Block & { fence: string; indent: string; lines: string[] }) | undefined;
  let notRun: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const [, indent = '', fence, language = ''] = /^(\s*)(`{3,}|~{3,})(\S*)/.exec(line) ?? [];
    if (open !== undefined) {
      if (line.trim() !== open.fence)
        open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
      else {
        const { place, language: word, lines } = open;
        blocks.push({ place, language: word, text: lines.join('\n'), ...(open.notRun && { notRun: open.notRun }) });
        open = undefined;
      }
    } else if (fence !== undefined) {
      const place = `${page}:${index + 2}`;
      open = { place, language, text: '', fence, indent, lines: [], ...(notRun !== undefined && { notRun }) };
      notRun = undefined;
    } else if (line.trim() !== '') notRun = comment.exec(line)?.[1];
  }
  if (open !== undefined) throw new Error(`${open.place}: the block has no end`);
  return blocks;
}

const programs =
  /^(?:\$ )?(?:[A-Z_]+=\S* )*(?:npx|llama-server|lms|vllm|cmake|ollama|pip|npm|reprise|temporal|node|export|sh|bash|cd|mkdir|cat|cp|git|grep|curl|jq|docker)\b/;

/** Whether a block is one of commands: it says so, or begins with a command. */
export const isCommands = ({ language, text }: Block): boolean =>
  ['sh', 'bash', 'console'].includes(language) || (language === '' && programs.test(firstLine(text)));

const firstLine = (text: string): string => text.split('\n').find((line) => !/^\s*(#|$)/.test(line)) ?? '';

/** A command of a block, and what the page shows of its output. */
export interface Step {
  place: string;
  command: string;
  /** Undefined where the page shows only commands. */
  shown?: string[];
}

/**
 * The commands of a block. Where a line begins with `$ `, such lines are the commands, and the lines behind each are its
 * output. Where none does, each line is a command. A command goes on behind a backslash at a line's end, in open quotes,
 * and in a here-document.
 */
export function stepsOf({ place, text }: Block): Step[] {
  const [page, start] = place.split(':');
  const lines = text.split('\n');
  const hasOutput = lines.some((line) => line.startsWith('$ '));
  const steps: Step[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (hasOutput && !line.startsWith('$ ')) steps.at(-1)?.shown?.push(line);
    else if (hasOutput || !/^\s*(#|$)/.test(line)) {
      const begin = at;
      let command = hasOutput ? line.slice(2) : line;
      while (isUnfinished(command) && at + 1 < lines.length) command += `\n${lines[(at += 1)]}`;
      steps.push({ place: `${page}:${Number(start) + begin}`, command, ...(hasOutput && { shown: [] }) });
    }
  }
  return steps;
}

function isUnfinished(command: string): boolean {
  const here = /<<-?\s*['"]?(\w+)['"]?/.exec(command)?.[1];
  if (here !== undefined && !new RegExp(`\\n${here}$`).test(command)) return true;
  // Quotes in a comment are none.
  const words = command.replace(/(^|\s)#[^'"\n]*$/gm, '').replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"|\\./gs, '');
  return command.endsWith('\\') || /['"]/.test(words.replace(/\s#.*$/gm, ''));
}

/** What a command is found by in the table of set-ups: without its comment, and on one line. */
export const nameOf = (command: string): string =>
  command
    .replaceAll(/\s*\\\n\s*/g, ' ')
    .replace(/\s+#\s.*$/, '')
    .replaceAll(/ {2,}/g, ' ')
    .trim();

/**
 * The words of a command that is one of `reprise` and nothing else, without what only a shell gives a meaning: variables,
 * redirections, escapes. Undefined for any other.
 */
export function wordsOf(command: string): string[] | undefined {
  const line = command.replaceAll(/\s*\\\n\s*/g, ' ').replace(/\s+#\s.*$/, '');
  const [, words] = /^(?:npx )?reprise((?: +(?:"[^"$`\\!\n]*"|'[^'\n]*'|[\w./:=,-]+))*)\s*$/.exec(line) ?? [];
  return words?.match(/"[^"]*"|'[^']*'|\S+/g)?.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
}
