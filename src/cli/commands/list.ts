import cliTruncate from 'cli-truncate';
import { createColors } from 'picocolors';
import stringWidth from 'string-width';
import type { ListedRun } from '../../client.ts';
import { kindOf, waitText } from '../../client/show/kinds.ts';
import { ageText, stateOf } from '../../client/show/progress.ts';
import { open, withConnection } from '../connection.ts';
import { usageError } from '../exit.ts';
import { printable } from '../../util/text/printable.ts';
import type { CommonOptions } from '../options.ts';
import type { Shell } from '../shell.ts';
import { layoutFor, type Layout } from '../show/layout.ts';

type ListOptions = CommonOptions & { open?: boolean; all?: boolean; limit?: string };

export async function list(shell: Shell, options: ListOptions): Promise<void> {
  const { all, json, limit, open: isOpen, plain } = options;
  const most = all ? Infinity : limitOf(limit);
  await withConnection(open(shell, options), async ({ reprise }) => {
    // One more tells whether there are any more.
    const found = await reprise.list({ open: isOpen ?? false, limit: most + 1 });
    const runs = found.slice(0, most);
    if (json) await shell.printJson(runs);
    else if (runs.length === 0) shell.say(isOpen ? 'No run is open' : 'There are no runs yet');
    else await shell.print(listText(runs, layoutFor(shell, plain), Date.now()));
    const silent = runs.filter(({ state, status }) => status === 'running' && state === null).length;
    if (silent > 0) shell.say(`No worker has told in time how far ${silent} of the open runs have come`);
    if (found.length > most) shell.say(`These are the newest ${most}; --all lists all`);
  });
}

function limitOf(limit: string | undefined): number {
  if (limit === undefined) return 20;
  if (!/^[1-9]\d*$/.test(limit)) throw usageError(`--limit takes a whole number from 1 on, not "${limit}"`);
  return Number(limit);
}

/** A table with a line for each run, and below it the run's question and what it waits for. Ids come last and whole. */
export function listText(runs: ListedRun[], layout: Layout, now: number): string {
  const { columns } = layout;
  const { bold, dim, yellow } = createColors(layout.colors);
  const rows = runs.map((run) => {
    const age = ageText(now - Date.parse(run.startedAt));
    const cost = run.spent === null ? '-' : `$${run.spent.costUsd.toFixed(4)}`;
    return {
      cells: [kindOf(run.workflow), stateOf(run), age, cost, printable(run.id)],
      question: oneLine(run.question),
      waiting: run.waiting.map((each) => oneLine(waitText(each))),
    };
  });
  const header = ['KIND', 'STATE', 'AGE', 'COST', 'ID'];
  const table = [header, ...rows.map(({ cells }) => cells)];
  const widths = header.map((_, index) => Math.max(...table.map((cells) => stringWidth(cells[index] ?? ''))));
  const [kind = 0, state = 0, age = 0, cost = 0, id = 0] = widths;
  const stateWidth = Math.max(12, columns - kind - age - cost - id - 8);
  const fitting = [kind, Math.min(state, stateWidth), age, cost, 0];
  const lineOf = (cells: string[]): string =>
    cells
      .map((cell, index) => padded(cliTruncate(cell, fitting[index] || stringWidth(cell)), fitting[index] ?? 0, index))
      .join('  ');
  return [
    dim(lineOf(header)),
    ...rows.flatMap(({ cells, question, waiting }) => [
      lineOf(cells),
      ...(question === '' ? [] : [bold(cut(`  ${question}`, columns))]),
      ...waiting.map((line) => yellow(cut(`  ${line}`, columns))),
    ]),
  ].join('\n');
}

/** Ages and costs are numbers, and end below one another. */
function padded(cell: string, width: number, index: number): string {
  const blank = ' '.repeat(Math.max(0, width - stringWidth(cell)));
  return index === 2 || index === 3 ? blank + cell : cell + blank;
}

const cut = (line: string, columns: number): string => (columns === Infinity ? line : cliTruncate(line, columns));

const oneLine = (text: string): string => printable(text).replace(/\s+/g, ' ').trim();
