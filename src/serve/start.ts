import type { Run, RunInput } from '../client.ts';
import { newRunId } from '../client/names.ts';
import type { Kind } from '../config/kinds.ts';
import type { AttachmentInput } from '../protocol/attachment.ts';
import { commandOf } from '../protocol/definitions.ts';
import type { EarlierMessage } from '../protocol/orchestration.ts';
import type { InputName } from '../trust/schemas.ts';
import { hashOf } from '../util/ids.ts';
import { reaches, type Access } from './access.ts';
import { namedConfig } from './configs.ts';
import { HttpProblem } from './problems.ts';
import type { Served } from './served.ts';

/** What a client wants done by a configuration that it names. */
export interface Wanted {
  name: string;
  /** Of which kinds it must be; of the first one is the worker's default; any kind, and a team's, when absent. */
  kinds?: readonly Kind[];
  text: string;
  /** What was said before. A research run and a plan read it with their text. */
  history?: EarlierMessage[];
  /** With their contents: what a client names by a path would be read on the worker, since the input is signed. */
  attachments?: Array<Extract<AttachmentInput, { data: string }>>;
  /** The run's id, under which the same request finds the run again; a new one when absent. */
  id?: string;
  memo?: Record<string, unknown>;
}

/**
 * The id of a run that belongs to something a client names, such as its `Idempotency-Key` or the id of its thread, so that any
 * server finds it.
 */
export const derivedId = ({ prefix }: Access, kind: string, name: string): string =>
  `${prefix}${kind}-${hashOf(name).slice(0, 24)}`;

export const freshId = ({ prefix }: Access, type: InputName): string => `${prefix}${newRunId(commandOf[type])}`;

/** The run that a client means by an id: the runs of some tokens have names that begin alike, and their clients need not know how. */
export const ownId = (access: Access, id: string): string => (reaches(access, id) ? id : `${access.prefix}${id}`);

/** @throws `HttpProblem` where the run is none of those that this token may see */
export function assertReached(access: Access, id: string): void {
  if (!reaches(access, id)) throw new HttpProblem(404, `There is no run of the id ${id}`);
}

/** The type and the input of what a client wants by a configuration's name. @throws `HttpProblem` */
export function inputOf(served: Served, access: Access, wanted: Wanted): { type: InputName; input: RunInput } {
  const { attachments = [], history = [], kinds, name, text } = wanted;
  const found = namedConfig(served.configs, name, access);
  if (found !== undefined && kinds?.includes(found.kind) === false) {
    const kind = `one of the kind ${found.kind}, and not ${kinds.join(' or ')}`;
    throw new HttpProblem(422, `The configuration "${name}" is ${kind}`);
  }
  const config = found?.content;
  const common = { ...(config && { config }), ...(attachments.length > 0 && { attachments }) };
  const talk = { ...common, ...(history.length > 0 && { history }) };
  const of: Record<Kind, [InputName, RunInput]> = {
    team: ['orchestration', { task: text, ...talk }],
    agent: ['session', { text, ...talk }],
    research: ['research', { idea: folded(text, history), ...common }],
    plan: ['planAndExecute', { problem: folded(text, history), ...common }],
  };
  const [type, input] = of[found?.kind ?? kinds?.[0] ?? 'team'];
  return { type, input };
}

const folded = (text: string, history: EarlierMessage[]): string =>
  [text, ...history.map(({ content, role }) => `[said before, by: ${role}]\n${content}`)].join('\n\n');

/**
 * Starts what a client wants, or finds it where the same was wanted before under this id. @throws `HttpProblem`; `RunExistsError`
 * where the id is that of something else
 */
export async function startNamed(
  served: Served,
  access: Access,
  wanted: Wanted,
): Promise<{ run: Run; isNew: boolean }> {
  const { input, type } = inputOf(served, access, wanted);
  const { id = freshId(access, type), memo = {} } = wanted;
  assertReached(access, id);
  const reprise = await served.ready();
  return reprise.startOnce(type, id, input, { memo });
}
