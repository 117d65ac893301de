import { Context } from '@temporalio/activity';
import { ApplicationFailure, type Duration } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time.js';
import type { Message, TokenUsage, ToolSpec } from '../protocol/message.ts';
import type { CallModelInput, CallModelResult } from '../protocol/model-call.ts';
import type { Model, ModelResponse } from '../models/model.ts';
import { checkedUsage, estimateUsage } from '../models/estimate.ts';
import { failureTypes } from '../models/failures.ts';
import type { Rates } from '../models/rates/rates.ts';
import { hashOf } from '../util/ids.ts';
import { sumOfUsage, type Store } from '../store/store.ts';
import { isSummary } from '../store/try-number.ts';
import { argumentReader } from './tools/arguments.ts';
import type { AskClaudeCode, ClaudeCodeResponse } from '../models/claude-code/backend.ts';
import { fittingRequests } from '../models/fitting.ts';
import { LiveTextWriter, Progress } from './progress.ts';
import { recordAttributes } from '../telemetry/calls.ts';
import { Attempts } from './attempts.ts';
import { readReply, withWrittenCalls, type ToolSet } from './reply.ts';
import type { RunQuickTools } from './tools/quick-tools.ts';
import { loadImages, readBlobs, resolveMessages, storedMessages } from '../store/resolve.ts';
import { summariesIn } from './summaries.ts';
import { failedFor, isUnreadable, recordDeadTry, recordSummary, recordTry } from './tries.ts';
import { shadowMessages } from './shadow.ts';
import type { Backend } from '../protocol/settings.ts';

export interface CallModelDependencies {
  store: Store;
  openModel: (backend: Backend) => Model;
  /** Absent: everything is let through at once. */
  rates?: Rates;
  assertFreeDisk?: () => Promise<void>;
  askClaudeCode?: AskClaudeCode;
  runQuickTools?: RunQuickTools;
}

/** What a call may spend is another sum where it is made again. */
const sameWork = (work: CallModelInput['work']): CallModelInput['work'] => work && { ...work, mostUsd: 0 };

/**
 * Makes one request to a model, and pays for it once: the reply is journalled in one transaction with its segment and
 * before the activity completes, and a retry finds it there, or waits while this process has it under way. A commit that
 * fails is repeated with the reply in hand. Heartbeats carry `ModelProgress`, and bring cancellation. Quick tools are
 * run if the reply wants nothing else. What tries have cost that brought no reply is part of the result's usage. A
 * conversation longer than the model's context is sent in a shortened form, and stored whole.
 * @throws `ApplicationFailure` of the types in `models/failures.ts`, see `failedFor`; `CancelledFailure`
 */
export function createCallModel(dependencies: CallModelDependencies) {
  const { assertFreeDisk, store, openModel, rates, askClaudeCode, runQuickTools } = dependencies;
  const toolSets = readBlobs(store, toolSetOf);
  const send = fittingRequests(openModel);
  const liveTexts = new LiveTextWriter(store.liveTexts);
  const attempts = new Attempts<CallModelResult>();

  return async function callModel(input: CallModelInput): Promise<CallModelResult> {
    const context = Context.current();
    // Claude Code goes on from its last step, in a process of its own for each attempt.
    const result = await (input.backend.type === 'claude_code'
      ? replied(input, context.cancellationSignal)
      : attempts.join(presentKey(), context, (signal) => replied(input, signal)));
    const { caller, quick } = input;
    if (runQuickTools === undefined || quick === undefined) return result;
    return { ...result, reply: await runQuickTools(result.reply, quick, caller, presentKey()) };
  };

  async function replied(input: CallModelInput, signal: AbortSignal): Promise<CallModelResult> {
    const context = Context.current();
    const { attempt } = context.info;
    const key = presentKey();
    const inputHash = hashOf(JSON.stringify({ ...input, work: sameWork(input.work) }));
    const findReply = async (): Promise<CallModelResult | undefined> => {
      const journalled = await store.findReply(key, inputHash);
      if (journalled !== undefined) recordAttributes({ journalHit: true });
      return journalled;
    };
    const journalled = attempt > 1 ? await findReply() : undefined;
    if (journalled !== undefined) return journalled;

    const earlier = input.transcript === null ? [] : await store.messages(input.transcript.id);
    const stored = await storedMessages(store, input.append);
    const append = await resolveMessages(store, stored);
    const set = typeof input.tools === 'string' ? input.tools : input.tools?.blob;
    const tools = set === undefined ? noTools : await toolSets(set);
    const messages = await messagesFor(store, input, [...earlier, ...append]);
    const asked = input.backend.type === 'claude_code' ? askClaudeCode : undefined;
    if (asked === undefined) await recordDeadTry(store, key, messages);
    await assertFreeDisk?.();
    const progress = new Progress(context, liveTexts, key);
    let usage: TokenUsage | undefined;
    let tookTokens: (tokens: number) => void = () => {};
    let isCalled = false;
    let found: CallModelResult | undefined;
    /**
     * A frozen worker is taken for dead, and goes on when it thaws: another attempt may have the reply. This is looked
     * for as late as can be, since to load a provider's SDK takes a second of a busy worker.
     * @throws `Error` if there is a reply, which is then `found`
     */
    const look = async (): Promise<void> => {
      found = await findReply();
      if (found !== undefined) throw new Error('Another attempt has the reply');
      isCalled = true;
    };
    const place = async (sent: Message[]): Promise<(tokens: number) => void> => {
      if (rates === undefined) return () => {};
      const took = await rates.place({
        backend: input.backend,
        tokens: estimateUsage(sent, { characters: 0 }).inputTokens,
        priority: context.info.priority,
        signal,
        onWait: (why) => progress.wait(why),
      });
      progress.wait(undefined);
      return took;
    };
    const ask = async (messages: Message[]): Promise<ModelResponse> => {
      const took = await place(messages);
      const common = { tools: [], signal, attempt, beforeSend: look, onDelta() {} };
      const response = await openModel(input.backend).complete({ messages, ...common });
      took(response.usage.inputTokens + response.usage.outputTokens);
      return response;
    };
    const countSummary = (usage: TokenUsage): Promise<void> => recordSummary(store, key, usage);
    try {
      if (asked === undefined) tookTokens = await place(messages);
      await look();
      const onDelta = (delta: string, thought?: number): void => progress.add(delta, thought);
      const response: ModelResponse & Partial<ClaudeCodeResponse> = asked
        ? await asked({
            input,
            inputHash,
            key,
            messages,
            tools: tools.specs,
            onDelta,
            onSpent: (spent) => void (usage = spent),
          })
        : await send(input.backend, messages, {
            tools: tools.specs,
            ...(input.toolChoice !== undefined && { toolChoice: input.toolChoice }),
            ...(input.bySchema && { bySchema: input.bySchema }),
            loadImages: (of) => loadImages(store, of),
            signal,
            attempt,
            beforeSend: look,
            onDelta,
            ...(input.shadow === undefined && { summaries: summariesIn({ store, ask, onSpent: countSummary }) }),
          });
      const { finish, isFull, notices = [], tree, work = [] } = response;
      const mayCall = input.toolChoice !== 'none';
      const message = withWrittenCalls(response.message, tools, `written_${messages.length}`, mayCall);
      const spent = checkedUsage(response.usage, messages, message);
      usage = spent;
      recordAttributes({ usage: spent, ...(response.model !== undefined && { responseModel: response.model }) });
      tookTokens(spent.inputTokens + spent.outputTokens);
      if (finish === 'tool_calls' && mayCall && message.toolCalls === undefined) throw callsLost(input.backend);
      const { reply, written } = await readReply(message, finish, tools.read);
      // What is paid for must not be lost for the sake of a count.
      const tries = await store.tries(key).catch(() => []);
      const summaries = tries.filter(isSummary);
      const others = tries.filter((each) => !isSummary(each));
      return await store.commitReply({
        key,
        inputHash,
        parent: input.transcript?.id ?? null,
        messages: [...stored, written],
        result: {
          reply: { ...reply, ...(isFull && { isFull }), ...(work.length > 0 && { work }) },
          ...(tree !== undefined && { tree }),
          usage: sumOfUsage([spent, ...others.map((each) => each.usage)]),
          ...(summaries.length > 0 && { summary: sumOfUsage(summaries.map((each) => each.usage)) }),
          ...(notices.length > 0 && { notices }),
        },
      });
    } catch (error) {
      if (found !== undefined) {
        tookTokens(0);
        return found;
      }
      if (!isCalled) throw error;
      if (isPause(error)) await rates?.pause(input.backend, msToNumber(error.nextRetryDelay)).catch(() => {});
      const characters = progress.characters + progress.thought;
      if (usage !== undefined || characters > 0 || signal.aborted) {
        const lost = usage ?? estimateUsage(messages, { characters });
        recordAttributes({ usage: lost });
        await recordTry(store, key, lost);
      } else if (isUnreadable(error)) {
        await recordTry(store, key, sumOfUsage([]));
      }
      throw await failedFor(error, store, key, input.backend);
    } finally {
      progress.stop();
    }
  }
}

const isPause = (error: unknown): error is ApplicationFailure & { nextRetryDelay: Duration } =>
  error instanceof ApplicationFailure && error.type === failureTypes.rateLimited && error.nextRetryDelay != null;

/** Its text is no answer: it goes with what the calls were to bring. */
function callsLost({ model, type }: Backend): ApplicationFailure {
  const message = `${type} ${model ?? ''}: the reply ended for calls of tools, and has none`;
  return ApplicationFailure.create({ type: failureTypes.badReply, message });
}

async function messagesFor(store: Store, input: CallModelInput, conversation: Message[]): Promise<Message[]> {
  const said = input.shadow === undefined ? conversation : await shadowMessages(conversation, input.shadow);
  if (input.system === undefined) return said;
  return [...(await resolveMessages(store, [{ role: 'system', content: input.system }])), ...said];
}

/** The same for all attempts of a call. A reset run has a new run id, so its calls cost again. */
export function journalKey(runId: string | undefined, activityId: string): string {
  return `${runId}/${activityId}`;
}

export function presentKey(): string {
  const { activityId, workflowExecution } = Context.current().info;
  return journalKey(workflowExecution?.runId, activityId);
}

const noTools: ToolSet = { specs: [], read: argumentReader([]) };

function toolSetOf(text: string): ToolSet {
  const specs = JSON.parse(text) as ToolSpec[];
  return { specs: specs.filter(({ isSearched }) => !isSearched), read: argumentReader(specs) };
}
