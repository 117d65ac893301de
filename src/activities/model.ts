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
import { recordAttributes } from '../telemetry/call-attributes.ts';
import { readReply, withWrittenCalls, type ToolSet } from './reply.ts';
import type { RunQuickTools } from './tools/quick-tools.ts';
import { loadImages, resolveMessages, storedMessages } from '../store/resolve.ts';
import { summariesIn } from './summaries.ts';
import { failedFor, isUnreadable, recordDeadTry, recordSummary, recordTry } from './tries.ts';
import { shadowMessages } from './shadow.ts';
import type { Backend } from '../protocol/settings.ts';

export interface CallModelDependencies {
  store: Store;
  openModel: (backend: Backend) => Model;
  /** What providers let through; absent: everything at once. */
  rates?: Rates;
  /** Throws where there is no room on the disk for a reply. */
  assertFreeDisk?: () => Promise<void>;
  /** For backends of the type `claude_code`. */
  askClaudeCode?: AskClaudeCode;
  /** Runs the quick tools that a reply wants; absent: the workflow does. */
  runQuickTools?: RunQuickTools;
}

/** What a call works on, by which its earlier tries are known. What it may spend is another sum where it is made again. */
const sameWork = (work: CallModelInput['work']): CallModelInput['work'] => work && { ...work, mostUsd: 0 };

/**
 * The activity `callModel` makes one request to a model, and pays for it once.
 *
 * The reply is journalled under run id and activity id, in one transaction with its segment and before the activity
 * completes: a retry finds it there, also after waiting, and does not call again. A commit that fails is repeated with the reply in hand. The
 * reply is streamed. Before the request the call waits for its place by the provider's rates. Its heartbeats carry
 * `ModelProgress`, and bring cancellation.
 *
 * If the reply wants nothing but quick tools, these are run then, and their results are part of the result.
 *
 * What tries have cost that brought no reply is recorded, and is part of the result's usage. A conversation that is longer
 * than the model's context is sent in a shortened form, and stored whole.
 *
 * @throws `ApplicationFailure` of the types in `models/failures.ts`, see `failedFor`; `CancelledFailure`
 */
export function createCallModel(dependencies: CallModelDependencies) {
  const { assertFreeDisk, store, openModel, rates, askClaudeCode, runQuickTools } = dependencies;
  const toolSetOf = toolSets(store);
  const send = fittingRequests(openModel);
  const liveTexts = new LiveTextWriter(store.liveTexts);

  return async function callModel(input: CallModelInput): Promise<CallModelResult> {
    const result = await replied(input);
    const { caller, quick } = input;
    if (runQuickTools === undefined || quick === undefined) return result;
    return { ...result, reply: await runQuickTools(result.reply, quick, caller, presentKey()) };
  };

  /** The reply, from the journal or from the model. */
  async function replied(input: CallModelInput): Promise<CallModelResult> {
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
    const tools = await toolSetOf(typeof input.tools === 'string' ? input.tools : (input.tools?.blob ?? null));
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
     * Another attempt may have stored its reply meanwhile: a frozen worker is taken for dead, and goes on when it thaws. It is
     * looked for as late as can be, since to load a provider's SDK alone takes a second of a busy worker.
     *
     * @throws `Error` if there is a reply, which is then `found`
     */
    const look = async (): Promise<void> => {
      found = await findReply();
      if (found !== undefined) throw new Error('Another attempt has the reply');
      isCalled = true;
    };
    const { cancellationSignal: signal } = context;
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
    const ask = async (sent: Message[]): Promise<ModelResponse> => {
      const took = await place(sent);
      const response = await openModel(input.backend).complete({
        messages: sent,
        tools: [],
        signal,
        attempt,
        beforeSend: look,
        onDelta() {},
      });
      took(response.usage.inputTokens + response.usage.outputTokens);
      return response;
    };
    const countSummary = (usage: TokenUsage): Promise<void> => recordSummary(store, key, usage);
    try {
      if (asked === undefined) tookTokens = await place(messages);
      await look();
      const onDelta = (delta: string): void => progress.add(delta);
      const response: ModelResponse & Partial<ClaudeCodeResponse> = asked
        ? await asked({
            input,
            inputHash,
            key,
            messages,
            tools: tools.specs,
            onDelta,
            onSpent(spent) {
              usage = spent;
            },
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
      if (usage !== undefined || progress.characters > 0 || context.cancellationSignal.aborted) {
        const lost = usage ?? estimateUsage(messages, progress);
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

/** Whether a provider has said for how long it takes no more calls. */
const isPause = (error: unknown): error is ApplicationFailure & { nextRetryDelay: Duration } =>
  error instanceof ApplicationFailure && error.type === failureTypes.rateLimited && error.nextRetryDelay != null;

/** The failure of a reply whose calls have not arrived. Its text is no answer: it goes with what the calls were to bring. */
function callsLost({ model, type }: Backend): ApplicationFailure {
  const message = `${type} ${model ?? ''}: the reply ended for calls of tools, and has none`;
  return ApplicationFailure.create({ type: failureTypes.badReply, message });
}

async function messagesFor(store: Store, input: CallModelInput, conversation: Message[]): Promise<Message[]> {
  const said = input.shadow === undefined ? conversation : await shadowMessages(conversation, input.shadow);
  if (input.system === undefined) return said;
  return [...(await resolveMessages(store, [{ role: 'system', content: input.system }])), ...said];
}

/** The journal key of a call, the same for all its attempts. A reset run has a new run id, so its calls cost again. */
export function journalKey(runId: string | undefined, activityId: string): string {
  return `${runId}/${activityId}`;
}

/** That of the activity that calls. */
export function presentKey(): string {
  const { activityId, workflowExecution } = Context.current().info;
  return journalKey(workflowExecution?.runId, activityId);
}

const noTools: ToolSet = { specs: [], read: argumentReader([]) };

/** How many compiled tool sets are kept. Runs use few of them, and each many times; the oldest goes first. */
const capacity = 100;

/** @returns a function that loads a tool set by the blob id that `storeBlobs` gave; null stands for no tools */
function toolSets(store: Store): (id: string | null) => Promise<ToolSet> {
  const compiled = new Map<string, ToolSet>();
  return async (id) => {
    if (id === null) return noTools;
    const known = compiled.get(id);
    if (known !== undefined) return known;
    const specs = JSON.parse(await store.blob(id)) as ToolSpec[];
    const set = { specs: specs.filter(({ isSearched }) => !isSearched), read: argumentReader(specs) };
    const [oldest] = compiled.keys();
    if (compiled.size >= capacity && oldest !== undefined) compiled.delete(oldest);
    compiled.set(id, set);
    return set;
  };
}
