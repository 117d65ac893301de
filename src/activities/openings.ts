import type { BlobRef, Text, ToolSpec, TranscriptRef } from '../protocol/message.ts';
import type { EarlierMessage, Prepared } from '../protocol/orchestration.ts';
import type { Recalled } from '../protocol/search.ts';
import type {
  OpenedOrchestration,
  OpenedResearch,
  OpenedSession,
  OpenedSolve,
  StoredResearch,
  StoredTeam,
  TeamInstructions,
} from '../protocol/stored.ts';
import type { Store } from '../store/store.ts';
import { blobRef, namesIn, worthNaming } from '../workflows/agent/previews.ts';
import { systemOf, today } from '../workflows/agent/prompts.ts';
import { askingOf, askingText, askingTools, type AskingRules } from '../workflows/ask-others/prompts.ts';
import { coordinationText, finalText } from '../workflows/orchestration/prompts.ts';
import { cannotAsk, namesOf, temporaryWorkspace } from '../workflows/orchestration/rules/team-settings.ts';
import { coordinationTools, decisionTools } from '../workflows/orchestration/tools.ts';
import { criticismTool, planTool, reportTool, roleInstructions } from '../workflows/research/prompts.ts';
import type { createPreparations } from './prepare.ts';
import type { AgentSettings, OneAgent, ResearchSettings, Team } from '../protocol/settings.ts';

const mostLessons = 3;

interface OpeningDependencies {
  preparations: ReturnType<typeof createPreparations>;
  store: Store;
  recallReports: (input: { idea: string }) => Promise<Recalled[]>;
}

/** They also store what all prompts of a run repeat. @throws (from them) what `createPreparations` names */
export function createOpenings({ preparations, recallReports, store }: OpeningDependencies) {
  const shelf = shelfOf(store);
  const own = async <P extends Prepared>(prepared: P): Promise<P & { store: string }> => ({
    ...prepared,
    store: await store.identity(),
  });
  return {
    async prepareOrchestration(input: unknown): Promise<OpenedOrchestration> {
      const prepared = await own(await preparations.prepareOrchestration(input));
      const { history, task, team } = prepared;
      const said = {
        task: await shelf.long(task),
        history: await shelf.allLong(history.map(({ content }) => content)),
      };
      return { ...prepared, stored: { ...(await storeTeam(shelf, team)), ...said } };
    },

    async prepareSession(input: unknown): Promise<OpenedSession> {
      const { history, ...prepared } = await own(await preparations.prepareSession(input));
      const before = await shelf.conversation(history);
      if (prepared.kind === 'team')
        return { ...prepared, stored: { ...(await storeTeam(shelf, prepared.team)), before } };
      return { ...prepared, stored: { system: await shelf.long(systemFor(prepared.agent)), before } };
    },

    async prepareResearch(input: unknown): Promise<OpenedResearch> {
      const prepared = await own(await preparations.prepareResearch(input));
      const { idea, settings } = prepared;
      const recalled = await recallReports({ idea });
      const texts = recalled.slice(0, mostLessons).map(({ lesson }) => lesson);
      const lessons = texts.length > 0 && { lessons: await shelf.long(texts.join('\n\n')) };
      return { ...prepared, stored: { ...(await storeResearch(shelf, idea, settings)), ...lessons } };
    },

    async prepareSolve(input: unknown): Promise<OpenedSolve> {
      return own(await preparations.prepareSolve(input));
    },
  };
}

function shelfOf(store: Store) {
  const text = async (content: string): Promise<BlobRef> => blobRef(await store.putBlob(content), content);
  // By reference if it is long.
  const long = async (content: string): Promise<Text> => (content.length < worthNaming ? content : text(content));
  return {
    text,
    long,
    async tools(tools: ToolSpec[]): Promise<BlobRef> {
      return blobRef(await store.putBlob(JSON.stringify(tools)), namesIn(tools));
    },
    async allLong(texts: string[]): Promise<Text[]> {
      const stored: Text[] = [];
      for (const each of texts) stored.push(await long(each));
      return stored;
    },
    async conversation(messages: EarlierMessage[]): Promise<TranscriptRef | null> {
      return messages.length === 0 ? null : store.putSegment(null, messages);
    },
  };
}

type Shelf = ReturnType<typeof shelfOf>;

async function storeTeam(shelf: Shelf, team: Team): Promise<StoredTeam> {
  const {
    enable_planning_mode: plans,
    enable_post_presentation_evaluation: compares,
    ...rest
  } = team.orchestrator.coordination;
  const asking = askingOf(rest, team.agents.length);
  const names = namesOf(team);
  const isAlone = asking !== undefined && team.agents.some(cannotAsk);
  const textsFor = async (rules: AskingRules | undefined, folder?: string) => ({
    coordination: await shelf.text(coordinationText(rules, false, folder)),
    planning: await shelf.text(coordinationText(rules, true, folder)),
  });
  const instructionsFor = async (folder?: string): Promise<Omit<TeamInstructions, 'final'>> => ({
    ...(await textsFor(asking, folder)),
    ...(isAlone && { alone: await textsFor(undefined, folder) }),
  });
  return {
    toolSets: {
      coordination: await shelf.tools(coordinationTools(names, asking?.mode)),
      decision: await shelf.tools(decisionTools({ plans, compares })),
      ...(isAlone && { alone: await shelf.tools(coordinationTools(names)) }),
    },
    instructions: { ...(await instructionsFor()), final: await shelf.text(finalText()) },
    ...(team.agents.some(mayHaveFiles) && { filesInstructions: await instructionsFor(temporaryWorkspace(team)) }),
    personas: await shelf.allLong(team.agents.map((agent) => agent.system_message ?? '')),
  };
}

/** Its tools may turn out to have a workspace. */
const mayHaveFiles = (agent: AgentSettings): boolean =>
  agent.tools.packages.length + agent.tools.mcpServers.length > 0 || cannotAsk(agent);

const systemFor = ({ coordination, orchestrator }: OneAgent): string =>
  systemOf(orchestrator, askingOf(coordination, 1));

async function storeResearch(
  shelf: Shelf,
  idea: string,
  { coordination, weights }: ResearchSettings,
): Promise<StoredResearch> {
  const asking = askingOf(coordination, 1);
  const offered = (tool: ToolSpec): Promise<BlobRef> => shelf.tools([tool, ...askingTools(asking?.mode)]);
  const storedWithDate = (text: string): Promise<BlobRef> =>
    shelf.text([text, today(), ...(asking === undefined ? [] : [askingText(asking)])].join(' '));
  const { critic, planner, writer } = roleInstructions;
  return {
    idea: await shelf.long(idea),
    tools: {
      planner: await offered(planTool),
      critic: await offered(criticismTool(Object.keys(weights))),
      writer: await offered(reportTool),
    },
    instructions: {
      planner: await storedWithDate(planner),
      critic: await storedWithDate(critic),
      writer: await storedWithDate(writer),
    },
  };
}
