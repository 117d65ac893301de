import { InvalidArgumentError, type Command } from 'commander';
import { protectHome } from '../local/protect-home.ts';
import { AllowError, allowIn, allowWords, readAllow } from '../trust/allow.ts';
import { usageError } from './exit.ts';
import type { Shell } from './shell.ts';

export interface CommonOptions {
  config?: string;
  model?: string;
  /** In US dollars. */
  budget?: number;
  maxTokens?: number;
  agents?: number;
  tools?: boolean;
  attach?: string[];
  id?: string;
  detach?: boolean;
  /** Allows tool calls that no rule is about. */
  yes?: boolean;
  out?: string;
  json?: boolean;
  plain?: boolean;
  temporal?: string;
}

export type FollowOptions = CommonOptions & { notify?: string };

export const listed = (value: string, earlier: string[] = []): string[] => [...earlier, value];

/** Collects sites as browsers name them: without a path, a slash at the end, or the usual port. */
export function listedSites(value: string, earlier: string[] = []): string[] {
  const url = URL.parse(value);
  if (url?.host) return [...earlier, `${url.protocol}//${url.host}`];
  throw new InvalidArgumentError('A site is an address, as in https://app.example.com.');
}

/** The agents of the default team have a letter each. */
const mostAgents = 26;

const numberThat =
  (isFit: (value: number, text: string) => boolean, otherwise: string) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() !== '' && isFit(value, text)) return value;
    throw new InvalidArgumentError(otherwise);
  };

const portOf = numberThat(
  (port, text) => /^\d+$/.test(text) && port <= 65_535,
  'A port is a number from 0 to 65535; 0 is any that is free.',
);
const dollars = numberThat(
  (usd) => Number.isFinite(usd) && usd > 0,
  'A budget is an amount of US dollars, as in 0.50.',
);
const tokenCount = numberThat(
  (count) => Number.isSafeInteger(count) && count >= 1,
  'The longest reply is a number of tokens, as in 2000.',
);
const agentCount = numberThat(
  (count) => Number.isInteger(count) && count >= 1 && count <= mostAgents,
  `A team has 1 to ${mostAgents} agents.`,
);

const filled =
  (what: string) =>
  (text: string): string => {
    if (text.trim() !== '') return text;
    throw new InvalidArgumentError(`${what} is a text that is not empty.`);
  };

export const withTemporal = (command: Command): Command =>
  command.option(
    '--temporal <address>',
    'address of the Temporal server (default: TEMPORAL_ADDRESS, then localhost:7233)',
  );

export const withNotify = (command: Command): Command =>
  command.option(
    '--notify <command>',
    'run this by the shell for each new question to a person (REPRISE_WORKFLOW_ID, REPRISE_QUESTION_ID, REPRISE_FROM, REPRISE_QUESTION; as JSON on standard input)',
  );

export const withView = (command: Command): Command =>
  withNotify(withTemporal(command))
    .option('--json', "print the workflow's result as one JSON object")
    .option('--plain', 'plain lines: no emoji, nothing redrawn');

export const withConfig = (command: Command): Command =>
  withView(command)
    .option('--config <file>', 'configuration file (YAML or JSON)')
    .option('--model <name>', 'model of everybody: ollama/NAME, openai/NAME, URL#NAME, … (default: REPRISE_MODEL)')
    .option('--attach <file>', 'a file that comes with it; may be given several times', listed)
    .option('--max-tokens <n>', 'the longest reply of a model, in tokens, its thoughts included', tokenCount)
    .option('--budget <usd>', 'the most that the run may cost, in US dollars', dollars);

export const withAgents = (command: Command): Command =>
  command.option('--agents <n>', 'how many agents the default team has (default: 3)', agentCount);

export const withTools = (command: Command): Command =>
  command.option('--tools', 'every agent may search and read the web, keep files, and run Python over them');

export const withYes = (command: Command): Command =>
  command.option('--yes', 'let agents use all their tools without asking; rules under permissions still hold');

export const withId = (command: Command, what: string): Command => command.option('--id <id>', what, filled('An id'));

export const withStart = (command: Command): Command =>
  withId(withConfig(command), 'id of the run (default: a new readable one)').option(
    '--detach',
    'start the run, print its id, and leave',
  );

export const withOut = (command: Command): Command =>
  command.option('--out <dir>', "write the files that belong to the answer into this folder, the winner's");

/** Where a command listens for requests. @param port the one that it has where none is given */
export const withListening = (command: Command, port: number, elsewhere = ''): Command =>
  command
    .option('--port <port>', `the port to listen at (default: ${port}${elsewhere})`, portOf)
    .option(
      '--host <address>',
      'the address to listen at; beyond this machine a token is needed',
      filled('An address'),
      '127.0.0.1',
    );

/** The folder of the embedded server's data, of the store and of the logs: `REPRISE_HOME`, else `.reprise`. */
export const homeFolder = (shell: Shell): string => shell.path(shell.env['REPRISE_HOME'] || '.reprise');

/** The home folder, made if it is missing and closed to other users. @throws `UnsafeHomeError` */
export function openHome(shell: Shell): string {
  const home = homeFolder(shell);
  protectHome(home, shell.say);
  return home;
}

/** What inputs may bring, in words: what a command was given, and `REPRISE_ALLOW`. @throws `CommandError`, status 2 */
export function allowed({ cwd, env }: Shell, given: string[] = []): string[] {
  try {
    return allowWords(readAllow([...given, ...allowIn(env['REPRISE_ALLOW'])], cwd));
  } catch (error) {
    throw error instanceof AllowError ? usageError(error.message) : error;
  }
}
