import type { OutputConfiguration } from 'commander';
import type { Output, Shell } from './shell.ts';

/** Where commander writes, and how wide lines are there. Commands below take this over. */
export const outputOf = (shell: Shell): OutputConfiguration => ({
  writeOut: (text) => shell.stdout.write(shell.typed(text)),
  writeErr: (text) => shell.stderr.write(shell.typed(text)),
  getOutHelpWidth: () => widthOf(shell.stdout),
  getErrHelpWidth: () => widthOf(shell.stderr),
  getOutHasColors: () => shell.isColored(shell.stdout),
  getErrHasColors: () => shell.isColored(shell.stderr),
});

const widthOf = ({ columns, isTTY }: Output): number => (isTTY && columns) || 80;
