import { mkdir } from 'node:fs/promises';
import { APIError } from '@anthropic-ai/sdk/error';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { environmentOf, startClaudeCode } from './process.ts';
import { claudeCodeWire, goOn, toldIn, type SessionRef } from './conversation.ts';
import { commandTool, readingTools, writingTools, type Permissions } from './guard.ts';
import { Meter, usageOf } from './meter.ts';
import { TempHome } from './temp-home.ts';
import { findSdk, loadSdk, missingSdk, type ResultMessage } from './sdk.ts';
import { Session } from './session.ts';
import { runTurn, type TurnResult } from './turn.ts';
import { allowsLocal } from '../../config/tools/commands.ts';
import type { Environment } from '../../util/environment.ts';
import { withVariables, keyMissing } from '../../config/variables.ts';
import { contentRefused, failureTypes, responseFailed, toFailure, type Endpoint } from '../failures.ts';
import type { ModelResponse } from '../model.ts';
import { pricesFor } from '../../config/models/list-prices.ts';
import { missingKey, routeOf } from '../../config/models/providers.ts';
import { redact } from '../../util/text/redact.ts';
import type { Message, TokenUsage, ToolSpec } from '../../protocol/message.ts';
import type { CallModelInput, ToolCallSummary } from '../../protocol/model-call.ts';
import { checkout, snapshot, type Checkout } from '../../tools/workspaces/folder.ts';
import { Trees } from '../../tools/workspaces/tree.ts';
import { filesIn } from '../../tools/workspaces/workspace.ts';
import { hashOf } from '../../util/ids.ts';
import { sumOfUsage, type Store } from '../../store/store.ts';
import { loadImages } from '../../store/resolve.ts';
import type { Backend } from '../../protocol/settings.ts';
import { tryNumber } from '../../store/try-number.ts';
import type { Tree } from '../../tools/workspace.ts';

interface ClaudeCodeRequest {
  input: CallModelInput;
  messages: Message[];
  tools: ToolSpec[];
  key: string;
  inputHash: string;
  onDelta: (delta: string) => void;
  onSpent: (usage: TokenUsage) => void;
}

export interface ClaudeCodeResponse extends ModelResponse {
  /** Absent if the turn changed no files. */
  tree?: string | null;
  work: ToolCallSummary[];
}

export type AskClaudeCode = (request: ClaudeCodeRequest) => Promise<ClaudeCodeResponse>;

interface Dependencies {
  store: Store;
  environment: Environment;
  configFolder: string;
}

/**
 * Claude Code takes an agent's turn with its own tools on a copy of the agent's files, until it calls a tool of the
 * workflow or has nothing more to do. Each time that tools are about to run or have run, the record of its session and
 * the files are stored. A retry goes on from there with `resume`, on whatever machine, and makes no answered request
 * again.
 * @throws `ApplicationFailure` of the types in `models/failures.ts`
 */
export function createClaudeCode({ configFolder, environment, store }: Dependencies): AskClaudeCode {
  const trees = new Trees(store);

  return async function askClaudeCode(request) {
    const { input, inputHash, key, messages, onDelta, onSpent, tools } = request;
    const { backend, toolChoice, work: { files, mostUsd, readsOnly = false } = {} } = input;
    const { cancellationSignal, info, log } = Context.current();
    const attempt = tryNumber(info);
    const reach = claudeEndpointOf(backend, environment);
    const file = findSdk(configFolder);
    if (file === undefined) {
      const [text] = missingSdk([backend], configFolder);
      throw ApplicationFailure.nonRetryable(text, failureTypes.badRequest, text);
    }

    const last = await store.checkpoint(key, inputHash);
    if (last !== undefined && last.attempt !== attempt)
      await store.recordTry(key, { attempt: last.attempt, usage: last.usage, failed: false });
    const dialogue = toldIn(messages, tools, await loadImages(store, messages));
    const sessionId = dialogue.session?.session ?? uuidOf(key);
    const head = last?.session ?? dialogue.session?.head ?? null;
    const session = await Session.open(store, head);
    const meter = new Meter((model) => pricesFor([{ type: 'claude', model }], {}, environment)[model]);

    const place = await TempHome.take(sessionId);
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    cancellationSignal.addEventListener('abort', abort, { once: true });
    let words = '';
    try {
      const started = files && { ...files, tree: last === undefined ? files.tree : last.tree };
      let folder = await openFolder(started);
      let tree = started?.tree ?? null;
      const collected = async (): Promise<string | null> => {
        if (folder === undefined || readsOnly) return tree;
        const { checkout: made, leftOut } = await snapshot(store, folder.made);
        if (leftOut.length > 0) log.warn(`Files of Claude Code are left out: ${leftOut.slice(0, 10).join('; ')}`);
        folder = { ...folder, made };
        return trees.write(new Map([...made.own, ...folder.hidden]));
      };
      let steps: Promise<void> = Promise.resolve();
      const note = async (hasRun: boolean): Promise<void> => {
        if (hasRun) tree = await collected();
        const usage = meter.spent ?? sumOfUsage([]);
        await store.putCheckpoint(key, inputHash, { attempt, usage, session: await session.save(), tree });
      };
      const turn = await runTurn(await loadSdk(file), {
        prompt: last?.session == null ? dialogue.prompt : [{ type: 'text', text: goOn }],
        tools,
        mayCall: toolChoice !== 'none',
        permissions: folder && permissionsFor(backend, place, folder.made.mounts, readsOnly, environment),
        session,
        onMessage(message) {
          if (message.type !== 'stream_event') return;
          onDelta(meter.take(message.event));
          if (meter.spent !== undefined) onSpent(meter.spent);
        },
        onStep(hasRun) {
          const step = steps.then(() => note(hasRun));
          // Without it more may have to be paid again, and nothing else is lost.
          steps = step.catch((error: unknown) => log.warn(`A step is not stored: ${(error as Error).message}`));
          return steps;
        },
        options: {
          ...optionsFor(backend, place, reach, environment),
          ...(head === null ? { sessionId } : { resume: sessionId }),
          ...(mostUsd !== undefined && { maxBudgetUsd: mostUsd }),
          systemPrompt:
            folder === undefined ? dialogue.system : { type: 'preset', preset: 'claude_code', append: dialogue.system },
          abortController: controller,
          stderr: (text) => void (words = (words + text).slice(-stderrKept)),
          spawnClaudeCodeProcess: (options) =>
            startClaudeCode(options, { key: reach.apiKey, place, signal: cancellationSignal }),
        },
      });
      const usage = usageOf(turn.result);
      onSpent(usage);
      refuseFailed(turn.result, reach.endpoint);
      await steps;
      const after = await collected();
      const ref: SessionRef = { session: sessionId, head: await session.save() };
      return {
        ...answerOf(turn, ref),
        usage,
        notices: noticesOf(turn.result, backend),
        ...(files !== undefined && after !== files.tree && { tree: after }),
      };
    } catch (error) {
      cancellationSignal.throwIfAborted();
      throw error instanceof ApplicationFailure ? error : broken(error, words, reach.endpoint);
    } finally {
      cancellationSignal.removeEventListener('abort', abort);
      await place.leave().catch((error: Error) => log.warn(`A temporary folder is left: ${error.message}`));
    }

    /** @returns the folder, and the own files that its mounts hide, which stay as they are */
    async function openFolder(given: typeof files): Promise<{ made: Checkout; hidden: Tree } | undefined> {
      await mkdir(place.workspace);
      if (given === undefined) return undefined;
      const { others, own } = await filesIn(store, trees, given, info.workflowExecution?.workflowId ?? '');
      const made = await checkout(store, place.workspace, own, others);
      return { made, hidden: new Map([...own].filter(([path]) => !made.own.has(path))) };
    }
  };
}

const stderrKept = 1000;

/** A model that goes round in circles would not stop. */
const mostTurns = 200;

function claudeEndpointOf(backend: Backend, environment: Environment) {
  const { values: headers, secrets, missing } = withVariables(backend.headers ?? {}, environment);
  const lacked = missingKey(backend, environment) ?? missing[0]?.variable;
  if (lacked !== undefined) throw keyMissing(`${backend.type}: ${lacked} is not set`, lacked);
  const { baseUrl, key = '', keyVariable, model = '' } = routeOf({ ...backend, type: 'claude_code' }, environment);
  const endpoint: Endpoint = { provider: backend.type, model, keyVariable, secrets: [key, ...secrets] };
  return { apiKey: key, baseUrl, headers, model, endpoint };
}

function optionsFor(
  backend: Backend,
  place: TempHome,
  { baseUrl, headers, model }: ReturnType<typeof claudeEndpointOf>,
  environment: Environment,
) {
  const { max_tokens: maxTokens, max_turns: maxTurns = mostTurns, reasoning_effort: effort } = backend;
  return {
    cwd: place.workspace,
    env: environmentOf(place, { baseUrl, headers, maxTokens }, environment),
    model,
    ...(effort !== undefined && { effort }),
    maxTurns,
    permissionMode: 'acceptEdits' as const,
    permissionPrompts: 'none' as const,
    // Neither the user's settings nor those of the agent's files say what may be done.
    settingSources: [] as [],
    verbatimPrompts: true as const,
    includePartialMessages: true as const,
  };
}

function permissionsFor(
  backend: Backend,
  place: TempHome,
  mounts: string[],
  readsOnly: boolean,
  environment: Environment,
): Permissions {
  const { command_line_execution_mode: mode, enable_mcp_command_line: mayRun = false } = backend;
  const acting = [...writingTools, ...(mayRun && mode === 'local' && allowsLocal(environment) ? [commandTool] : [])];
  return {
    workspace: place.workspace,
    readable: [place.config],
    mounts,
    tools: [...readingTools, ...(readsOnly ? [] : acting)],
  };
}

function answerOf({ calls, result, text, work }: TurnResult, ref: SessionRef): Omit<ClaudeCodeResponse, 'usage'> {
  const content = calls.length > 0 ? text : (result.result ?? text);
  const isCut = [result.stop_reason, result.subtype].some((why) => limits.includes(why ?? ''));
  return {
    message: {
      role: 'assistant',
      content: result.is_error ? text : content,
      ...(calls.length > 0 && { toolCalls: calls }),
      opaque: { wire: claudeCodeWire, data: ref },
    },
    finish: calls.length > 0 ? 'tool_calls' : isCut ? 'length' : 'stop',
    work,
  };
}

const limits = ['max_tokens', 'error_max_turns', 'error_max_budget_usd'];

function noticesOf({ subtype }: ResultMessage, { max_turns: turns = mostTurns }: Backend): string[] {
  if (subtype === 'error_max_turns') return [`claude_code stopped after ${turns} turns (max_turns)`];
  return subtype === 'error_max_budget_usd' ? ['claude_code stopped because the budget is spent'] : [];
}

function refuseFailed(
  { api_error_status: status, errors = [], is_error, result, stop_reason: reason, subtype }: ResultMessage,
  endpoint: Endpoint,
): void {
  if (reason === 'refusal') throw contentRefused(endpoint, result);
  if (!is_error || limits.includes(subtype)) return;
  const text = [result, ...errors].filter(Boolean).join('; ') || 'Claude Code has failed';
  if (status == null) throw responseFailed(text, endpoint);
  throw toFailure(APIError.generate(status, undefined, text, new Headers()), endpoint);
}

function broken(error: unknown, words: string, { model, provider, secrets }: Endpoint): ApplicationFailure {
  const said = [(error as Error).message, words.trim()].filter((each) => each !== '').join(': ');
  const message = redact(`${provider} ${model}: ${said}`, secrets).slice(0, stderrKept);
  return ApplicationFailure.create({ type: failureTypes.badReply, message });
}

/** Follows from its first call, so that a retry takes the same place. */
function uuidOf(key: string): string {
  const hash = hashOf(`claude_code ${key}`);
  const variant = '89ab'[parseInt(hash.charAt(16), 16) % 4];
  const bytes = `${hash.slice(0, 12)}4${hash.slice(13, 16)}${variant}${hash.slice(17, 32)}`;
  return bytes.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
