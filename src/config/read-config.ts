import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isNode, LineCounter, parseDocument, type Document } from 'yaml';
import { resolveFolders } from './folders.ts';
import {
  checkConfig,
  checkPartner,
  checkPlan,
  checkResearch,
  checkTeam,
  type Config,
  type PartnerConfig,
} from './kinds.ts';
import { problemText, type Checked, type Problem } from './problems.ts';
import type { PlanConfig } from './plan.ts';
import type { ResearchConfig } from './research.ts';
import type { TeamConfig } from './team.ts';

export type Read<T> = { ok: true; config: T } | { ok: false; problems: string[] };

/**
 * Reads a configuration file, YAML or JSON, of whichever kind it is. Each problem names file, line, key and the valid
 * choices. A relative `folder:` is meant from the file's own folder, since the worker may run elsewhere.
 */
export const readConfigFile = (file: string): Read<Config> => readFile(file, checkConfig);

/** The same where only a team will do: another kind of configuration is a problem. */
export const readTeamFile = (file: string): Read<TeamConfig> => readFile(file, checkTeam);

/** The same where only a team or one agent will do. */
export const readPartnerFile = (file: string): Read<PartnerConfig> => readFile(file, checkPartner);

/** The same where only a research will do. */
export const readResearchFile = (file: string): Read<ResearchConfig> => readFile(file, checkResearch);

/** The same where only a plan will do. */
export const readPlanFile = (file: string): Read<PlanConfig> => readFile(file, checkPlan);

type Check<T> = (content: unknown) => Checked<T>;

function readFile<T>(file: string, check: Check<T>): Read<T> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT' ? 'no such file' : code === 'EISDIR' ? 'is a folder, not a file' : String(code);
    return { ok: false, problems: [`${file}: ${reason}`] };
  }
  return parse(text, file, (content) => check(resolveFolders(content, dirname(resolve(file)))));
}

/** @param name the file's name as problems show it */
export const parseConfig = (text: string, name: string): Read<Config> => parse(text, name, checkConfig);

function parse<T>(text: string, name: string, check: Check<T>): Read<T> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const problems = document.errors.map(
      ({ pos, message }) => `${name}:${lines.linePos(pos[0]).line}: ${message}`,
    );
    return { ok: false, problems };
  }
  if (document.contents === null) return { ok: false, problems: [`${name}: the file is empty`] };
  const checked = check(document.toJS());
  if (checked.ok) return { ok: true, config: checked.value };
  const problems = checked.problems.map((problem) =>
    problemText(problem, `${name}:${lineOf(document, problem, lines)}`),
  );
  return { ok: false, problems };
}

/** The line of a problem's key; for a key that is missing, of the mapping that lacks it. */
function lineOf(document: Document, { path }: Problem, lines: LineCounter): number {
  for (let length = path.length; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true);
    const key = path[length - 1];
    const pairs = (parent as { items?: Array<{ key?: unknown }> } | undefined)?.items ?? [];
    const pair = pairs.find((each) => isNode(each.key) && (each.key as { value?: unknown }).value === key);
    const node = pair?.key ?? document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
