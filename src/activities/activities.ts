import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { secretsOf, withoutSecretsIn, withoutSecretsInError } from '../trust/worker-secrets.ts';
import { failureTypes } from '../protocol/errors.ts';
import { loginAddress } from '../protocol/tools/login.ts';
import { jsonBytes, payloadBytes } from '../workflows/runtime/size.ts';
import { historyRoom, newest } from '../workflows/custom-code/newest.ts';
import type { Activities } from '../protocol/activities.ts';
import type { TokenUsage, ToolSpec } from '../protocol/message.ts';
import { createClaudeCode } from '../models/claude-code/backend.ts';
import { createCallModel, journalKey, type CallModelDependencies } from './model.ts';
import { createRunQuickTools } from './tools/quick-tools.ts';
import type { ToolDependencies } from './tools/run-tool.ts';
import { createCallTool, createListTools } from './tools/tools.ts';
import { presentWorkflow } from '../store/reference-rows.ts';
import { resolveContent, storedMessages } from '../store/resolve.ts';
import { createOpenIssue } from './issues.ts';
import { createReadPage } from './pages.ts';
import { createOpenings } from './openings.ts';
import { createPersistReport, createRecallReports } from './reports.ts';
import { createPreparations, type PrepareDependencies } from './prepare.ts';
import { createSearch } from './search.ts';
import { createTreeActivities } from './trees.ts';
import { authorized } from './authorize.ts';
import { createStoreAttachments } from './files.ts';
import { createSendWebhook } from './webhooks/send.ts';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportsHandleText, type CustomOrchestrators } from '../config/extensions.ts';

/**
 * For the cost of a call that was just abandoned: its worker learns of that with a heartbeat. Time would go on while
 * this worker stands still, which most often is that worker too.
 */
const maxLooks = 15;
const lookEveryMs = 100;

type Dependencies = CallModelDependencies & PrepareDependencies & ToolDependencies & OrchestratorDependencies;

export const createActivities = (dependencies: Dependencies): Activities =>
  guarded(secretsOf(dependencies.environment), authorized(openActivities(dependencies), dependencies.guard));

function openActivities(dependencies: Dependencies): Activities {
  const { store } = dependencies;
  const recallReports = createRecallReports(dependencies);
  return {
    callModel: createCallModel({
      ...dependencies,
      askClaudeCode: createClaudeCode(dependencies),
      runQuickTools: createRunQuickTools(dependencies),
    }),
    callTool: createCallTool(dependencies),
    listTools: createListTools(dependencies),
    search: createSearch(dependencies),
    readPage: createReadPage(dependencies),
    persistReport: createPersistReport(dependencies),
    openIssue: createOpenIssue(dependencies),
    sendWebhook: createSendWebhook(dependencies),
    storeAttachments: createStoreAttachments(dependencies),
    ...createTreeActivities(dependencies),
    ...createOpenings({ preparations: createPreparations(dependencies), recallReports, store }),

    async storeBlobs(texts) {
      const ids: string[] = [];
      for (const text of texts) ids.push(await store.putBlob(await resolveContent(store, text)));
      return ids;
    },

    async putMessages(parent, messages) {
      return store.putSegment(parent?.id ?? null, await storedMessages(store, messages));
    },

    async readMessages({ id }) {
      const messages = await store.messages(id);
      const said = messages.flatMap(({ role, content }) => (role === 'tool' ? [] : [{ role, content }]));
      const taken = newest(said, historyRoom);
      // A character may have several bytes.
      while (jsonBytes(taken) > payloadBytes) taken.shift();
      return taken;
    },

    async readTools(set) {
      return set === null ? [] : (JSON.parse(await store.blob(set)) as ToolSpec[]);
    },

    async awaitKey({ variable }) {
      const address = loginAddress(variable);
      const { environment, tools } = dependencies;
      if (address === undefined ? environment[variable] !== undefined : tools.isLoggedIn?.(address)) return;
      const message = `${variable} is not set on this worker`;
      // It is expected, for days perhaps, and not worth a line in the worker's log each time.
      const category = ApplicationFailureCategory.BENIGN;
      throw ApplicationFailure.create({ type: failureTypes.missingKey, message, category });
    },

    findOrchestrator: async (file) => whyNotRun(file, dependencies),

    async settleAbandonedCalls(abandoned, over) {
      const activityIds = [...abandoned, ...over];
      const { runId } = Context.current().info.workflowExecution ?? {};
      for (let looks = 0; ; looks++) {
        const spent = await store.spent(activityIds.map((id) => journalKey(runId, id)));
        const isSettled = abandoned.every((id) => spent.has(journalKey(runId, id)));
        if (isSettled || looks === maxLooks) {
          return activityIds.flatMap((id): Array<[string, TokenUsage]> => {
            const usage = spent.get(journalKey(runId, id));
            return usage === undefined ? [] : [[id, usage]];
          });
        }
        await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      }
    },
  };
}

/** In bytes. The server takes 2 MB. */
const resultBytes = 1_900_000;

/** What the history cannot hold fails instead of hanging the run. What is stored is stored for the workflow. */
function guarded(secrets: string[], activities: Activities): Activities {
  const each = Object.entries<(...input: never[]) => Promise<unknown>>({ ...activities });
  const entries = each.map(([name, activity]) => [
    name,
    async (...input: never[]) => {
      const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
      const running = presentWorkflow.run(workflowId, () => activity(...input));
      const result = await running.then(
        (value) => withoutSecretsIn(value, secrets),
        (error: unknown) => {
          throw withoutSecretsInError(error, secrets);
        },
      );
      const bytes = jsonBytes(result);
      if (bytes <= resultBytes) return result;
      const message = `The result of ${name} has ${bytes} bytes; the history takes ${resultBytes}`;
      throw ApplicationFailure.nonRetryable(message, failureTypes.resultTooLarge);
    },
  ]);
  return Object.fromEntries(entries) as Activities;
}

interface OrchestratorDependencies {
  configFolder: string;
  orchestrators: CustomOrchestrators;
}

/** A run that needs the orchestrator fails with this message. @param file as in `./mine.ts` */
function whyNotRun(file: string, { configFolder, orchestrators }: OrchestratorDependencies): string {
  const { names, leftOut } = orchestrators;
  const known = names.length === 0 ? 'none' : names.join(', ');
  return `${file} ${whyNot(file, configFolder, leftOut)}. Custom orchestrators of this worker: ${known}`;
}

function whyNot(file: string, folder: string, leftOut: CustomOrchestrators['leftOut']): string {
  const reason = leftOut[file];
  if (reason !== undefined) return `was left out when this worker started: ${reason}`;
  const path = join(folder, file);
  if (!existsSync(path)) return `is not there: the worker has no file ${path}`;
  if (!exportsHandleText(readFileSync(path, 'utf8'))) return 'exports no function handleText';
  return 'was added or changed after this worker started, which is to be started again, or is not where its ReprisePlugin looks (configFolder)';
}
