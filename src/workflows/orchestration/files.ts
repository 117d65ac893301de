import type { AttemptFiles, Mount } from '../../protocol/workspace.ts';
import { failureReason } from '../agent/failures.ts';
import { AgentWorkspace } from '../agent/workspace.ts';
import { runFiles, tellChanges } from '../runtime/run-files.ts';
import { ofFolders, ofTrees } from '../runtime/own-store.ts';
import {
  candidatesOf,
  type Attempt,
  type Candidate,
  type EarlierAnswer,
  type GivenAnswer,
  type OrchestrationContext,
  type Participant,
  type TeamAgent,
  type TeamContext,
  type TeamFiles,
} from './context.ts';
import { temporaryWorkspace } from './rules/team-settings.ts';

const { exportFiles } = ofFolders('snapshots');

/** Where agents find the files of an answer. @param name its anonymous name */
export const folderOf = ({ team }: TeamContext, name: string): string => `${temporaryWorkspace(team)}/${name}`;

/** Undefined for an agent without one. After a restart it begins with the best answer's files, if the configuration says so. */
export function newWorkspace(
  context: OrchestrationContext,
  { start }: TeamAgent,
  earlier: EarlierAnswer | undefined,
): AgentWorkspace | undefined {
  if (start === undefined) return undefined;
  const best = context.team.orchestrator.restart_workspace === 'winner' ? earlier?.answer.tree : undefined;
  return new AgentWorkspace(best === undefined ? start : best, mountsOf(context, earlier ? [earlier] : []));
}

/** Shows an agent the files of the answers that it has been shown. Its own it has. */
export function showFiles(
  context: OrchestrationContext,
  attempt: Attempt,
  { teamAgent, workspace }: Participant,
): void {
  const isOwn = ({ attempt: number, teamAgent: author }: Candidate): boolean =>
    author === teamAgent && number === attempt.number;
  if (workspace === undefined) return;
  const others = candidatesOf(attempt).filter((each) => !isOwn(each));
  workspace.mounts = mountsOf(context, others);
}

/** The workspace of a final agent: it goes on with the files of the selected answer. */
export function finalWorkspace(
  context: OrchestrationContext,
  attempt: Attempt,
  selected: Candidate,
): AgentWorkspace | undefined {
  if (selected.teamAgent.start === undefined) return undefined;
  const others = candidatesOf(attempt).filter((each) => each !== selected && each.name !== selected.name);
  return new AgentWorkspace(selected.answer.tree, mountsOf(context, others));
}

const mountsOf = (context: OrchestrationContext, candidates: Candidate[]): Mount[] =>
  candidates.flatMap(({ answer: { tree }, name }) =>
    tree === undefined || tree === null ? [] : [{ path: folderOf(context, name), tree }],
  );

/** How long the diffs of all answers of a team may be together, and how long one may be in any case, in characters. */
const diffsLength = 30_000;
const diffLength = { most: 10_000, least: 1000 };

/** Finds out and tells in which files an answer differs from what was there when the run began, and in what. */
export async function tellFiles(
  { agents, events }: TeamContext,
  { id, start }: TeamAgent,
  answer: GivenAnswer,
): Promise<void> {
  if (start === undefined || answer.tree === undefined || answer.tree === start) return;
  const longest = Math.floor(Math.min(diffLength.most, Math.max(diffLength.least, diffsLength / agents.length)));
  const { diff, ...changes } = await ofTrees.compareFiles(start, answer.tree, longest);
  Object.assign(answer, { changes, diff });
  tellChanges(events, id, changes);
}

export function keepSnapshot(context: OrchestrationContext, { number, participants }: Attempt): void {
  const trees = participants.flatMap(({ answer, teamAgent, workspace }) =>
    workspace === undefined ? [] : [[teamAgent.id, answer?.tree === undefined ? workspace.tree : answer.tree] as const],
  );
  if (trees.length === 0) return;
  (context.snapshots ??= []).push({ attempt: number, agents: Object.fromEntries(trees) });
}

/**
 * The files that are delivered with the answer of the best attempt, and those of all attempts. With `snapshot_storage` they are
 * written there too; that this fails costs the run nothing but a warning.
 */
export async function filesOf(context: OrchestrationContext, best: Attempt | undefined): Promise<TeamFiles> {
  const { snapshots } = context;
  const { start } = best?.selected?.teamAgent ?? {};
  const tree = best?.result?.tree;
  const workspace = start === undefined || tree === undefined ? undefined : await runFiles(start, tree);
  if (snapshots !== undefined) await exportSnapshots(context, snapshots, tree);
  return { ...(workspace && { workspace }), ...(snapshots && { snapshots }) };
}

async function exportSnapshots(
  context: OrchestrationContext,
  snapshots: AttemptFiles[],
  tree: string | null | undefined,
): Promise<void> {
  const { events, team, turn } = context;
  const { snapshot_storage: folder } = team.orchestrator;
  const { snapshotSeal: seal } = team;
  if (folder === undefined) return;
  const ofAttempts = snapshots.flatMap(({ agents, attempt }) =>
    Object.entries(agents).map(([id, each]) => ({ path: [`attempt${attempt}`, id], tree: each })),
  );
  const final = tree === undefined ? [] : [{ path: ['final'], tree }];
  try {
    const part = turn === 0 ? '' : `turn${turn}`;
    const place = await exportFiles(folder, part, [...ofAttempts, ...final], ...(seal === undefined ? [] : [seal]));
    events.emit({ type: 'notice', text: `The files of all attempts are in ${place}` });
  } catch (error) {
    context.warn(`the files of the attempts could not be written to ${folder}: ${failureReason(error)}`);
  }
}
