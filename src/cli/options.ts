import { InvalidArgumentError, type Command } from 'commander';
import { protectHome } from '../local/protect-home.ts';
import { AllowError, allowIn, allowWords, readAllow } from '../trust/allow.ts';
import { usageError } from './exit.ts';
import type { Shell } from './shell.ts';

/** Options of all commands that start or follow runs. */
export interface CommonOptions {
  config?: string;
  model?: string;
  /** In US dollars. */
  budget?: number;
  /** The longest reply of a model. */
  maxTokens?: number;
  /** How many agents the default team has. */
  agents?: number;
  /** Whether every agent gets the everyday tools. */
  tools?: boolean;
  /** Files that come with the run. */
  attach?: string[];
  id?: string;
  detach?: boolean;
  /** Whether tool calls that no rule is about are allowed without asking. */
  yes?: boolean;
  /** The folder into which the files of the answer are written. */
  out?: string;
  json?: boolean;
  plain?: boolean;
  temporal?: string;
}

/** Options of commands that show a run while it is running. */
export interface FollowOptions extends CommonOptions {
  notify?: string;
}

/** Collects the values of an option that may be given several times. */
export const listed = (value: string, earlier: string[] = []): string[] => [...earlier, value];

/** Collects sites as browsers name them: without a path, a slash at the end, or the usual port. */
export function listedSites(value: string, earlier: string[] = []): string[] {
  const url = URL.parse(value);
  if (url?.host) return [...earlier, `${url.protocol}//${url.host}`];
  throw new InvalidArgumentError('A site is an address, as in https://app.example.com.');
}

export function withTemporal(command: Command): Command {
  return command.option(
    '--temporal <address>',
    'address of the Temporal server (default: TEMPORAL_ADDRESS, then localhost:7233)',
  );
}

export function withNotify(command: Command): Command {
  return command.option(
    '--notify <command>',
    'run this by the shell for each new question to a person (REPRISE_WORKFLOW_ID, REPRISE_QUESTION_ID, REPRISE_FROM, REPRISE_QUESTION; as JSON on standard input)',
  );
}

export function withView(command: Command): Command {
  return withNotify(withTemporal(command))
    .option('--json', "print the workflow's result as one JSON object")
    .option('--plain', 'plain lines: no emoji, nothing redrawn');
}

export function withConfig(command: Command): Command {
  return withView(command)
    .option('--config <file>', 'configuration file (YAML or JSON)')
    .option('--model <name>', 'model of everybody: ollama/NAME, openai/NAME, URL#NAME, … (default: REPRISE_MODEL)')
    .option('--attach <file>', 'a file that comes with it; may be given several times', listed)
    .option('--max-tokens <n>', 'the longest reply of a model, in tokens, its thoughts included', tokenCount)
    .option('--budget <usd>', 'the most that the run may cost, in US dollars', dollars);
}

export function withAgents(command: Command): Command {
  return command.option('--agents <n>', 'how many agents the default team has (default: 3)', agentCount);
}

export function withTools(command: Command): Command {
  return command.option('--tools', 'every agent may search and read the web, keep files, and run Python over them');
}

export function withYes(command: Command): Command {
  return command.option('--yes', 'let agents use all their tools without asking; rules under permissions still hold');
}

/** The agents of the default team have a letter each. */
const mostAgents = 26;

/** Where a command listens for requests. @param port the one that it has where none is given */
export function withListening(command: Command, port: number, elsewhere = ''): Command {
  return command
    .option('--port <port>', `the port to listen at (default: ${port}${elsewhere})`, portOf)
    .option(
      '--host <address>',
      'the address to listen at; beyond this machine a token is needed',
      filled('An address'),
      '127.0.0.1',
    );
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a number from 0 to 65535; 0 is any that is free.');
}

function dollars(text: string): number {
  const usd = Number(text);
  if (text.trim() !== '' && Number.isFinite(usd) && usd > 0) return usd;
  throw new InvalidArgumentError('A budget is an amount of US dollars, as in 0.50.');
}

function tokenCount(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new InvalidArgumentError('The longest reply is a number of tokens, as in 2000.');
}

function agentCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= mostAgents) return count;
  throw new InvalidArgumentError(`A team has 1 to ${mostAgents} agents.`);
}

export function withId(command: Command, what: string): Command {
  return command.option('--id <id>', what, filled('An id'));
}

const filled =
  (what: string) =>
  (text: string): string => {
    if (text.trim() !== '') return text;
    throw new InvalidArgumentError(`${what} is a text that is not empty.`);
  };

export function withStart(command: Command): Command {
  return withId(withConfig(command), 'id of the run (default: a new readable one)').option(
    '--detach',
    'start the run, print its id, and leave',
  );
}

export function withOut(command: Command): Command {
  return command.option('--out <dir>', "write the files that belong to the answer into this folder, the winner's");
}

/** The folder of the embedded server's data, of the store and of the logs: `REPRISE_HOME`, else `.reprise`. */
export function homeFolder(shell: Shell): string {
  return shell.path(shell.env['REPRISE_HOME'] || '.reprise');
}

/** The home folder, made if it is missing and closed to other users. @throws `UnsafeHomeError` */
export function openHome(shell: Shell): string {
  const home = homeFolder(shell);
  protectHome(home, shell.say);
  return home;
}

/**
 * What inputs may bring to the worker of a command, in words: what it was given, and `REPRISE_ALLOW`.
 *
 * @throws `CommandError`, status 2, for words that mean nothing
 */
export function allowed({ cwd, env }: Shell, given: string[] = []): string[] {
  try {
    return allowWords(readAllow([...given, ...allowIn(env['REPRISE_ALLOW'])], cwd));
  } catch (error) {
    throw error instanceof AllowError ? usageError(error.message) : error;
  }
}
