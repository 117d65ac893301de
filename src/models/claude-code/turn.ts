import { z } from 'zod';
import type { ToolCall, ToolSpec } from '../../protocol/message.ts';
import type { ToolCallSummary } from '../../protocol/model-call.ts';
import { handedOver, notNow, serverName } from './conversation.ts';
import { whyRefused, type Permissions } from './guard.ts';
import type {
  McpServer,
  ResultMessage,
  Sdk,
  SdkMessage,
  SdkOptions,
  SdkPrompt,
  PromptBlock,
  ToolBatch,
  ToolUse,
} from './sdk.ts';
import type { Session } from './session.ts';
import { shortened } from '../../workflows/runtime/size.ts';

export interface Turn {
  prompt: PromptBlock[];
  /** The workflow's tools. A call of one of them ends the turn. */
  tools: ToolSpec[];
  mayCall: boolean;
  /** Undefined if it has no built-in tools. */
  permissions: Permissions | undefined;
  session: Session;
  options: Omit<SdkOptions, 'hooks' | 'mcpServers' | 'sessionStore' | 'sessionStoreFlush' | 'tools'>;
  onMessage: (message: SdkMessage) => void;
  /** Called when the record is complete up to a moment at which tools are about to run, or have run. */
  onStep: (hasRun: boolean) => Promise<void>;
}

export interface TurnResult {
  result: ResultMessage;
  calls: ToolCall[];
  text: string;
  work: ToolCallSummary[];
}

/** How much of a turn is told, and of each call in characters. */
const toldWork = 50;
const maxChars = 200;

/** @throws what the SDK throws, such as that Claude Code has ended without a result */
export async function runTurn(sdk: Sdk, turn: Turn): Promise<TurnResult> {
  const { onMessage, options, permissions, prompt, session } = turn;
  const calls: ToolCall[] = [];
  const work: ToolCallSummary[] = [];
  let text = '';
  let replyId = '';
  let result: ResultMessage | undefined;
  const messages = sdk.query({
    prompt: onePrompt(prompt),
    options: {
      ...options,
      tools: permissions?.tools ?? [],
      mcpServers:
        turn.tools.length === 0
          ? {}
          : { [serverName]: { type: 'sdk', name: serverName, instance: serve(sdk, turn, calls) } },
      sessionStore: session,
      sessionStoreFlush: 'eager',
      hooks: {
        PreToolUse: [{ hooks: [(use) => beforeTool(turn, use)] }],
        PostToolBatch: [{ hooks: [(batch) => afterTools(turn, batch, work)] }],
      },
    },
  });
  try {
    for await (const message of messages) {
      onMessage(message);
      if (message.type === 'assistant') {
        // Each block of a reply comes as a message of its own.
        const { content, id } = message.message;
        text = (id === replyId ? text : '') + content.map((block) => block.text ?? '').join('');
        replyId = id;
      }
      if (message.type === 'result') result = message;
    }
  } catch (error) {
    // The SDK throws after a result that is an error, which says more.
    if (result === undefined) throw error;
  }
  if (result === undefined) throw new Error('Claude Code has ended without a result');
  return { result, calls, text, work };
}

async function* onePrompt(content: PromptBlock[]): AsyncGenerator<SdkPrompt> {
  yield await Promise.resolve({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null });
}

const prefix = `mcp__${serverName}__`;

/** Hooks are asked about each call, whatever other rules there are. */
async function beforeTool({ onStep, permissions, session }: Turn, use: ToolUse): Promise<object> {
  const { tool_input: input, tool_name: tool, tool_use_id: id } = use;
  const isOwn = tool.startsWith(prefix);
  const why = isOwn ? undefined : whyRefused(permissions, tool, input);
  // A request that was answered is not made again for a worker that dies while its tools run.
  if (!isOwn && (await session.has('tool_use', [id]))) await onStep(false);
  return {
    continue: true,
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: why === undefined ? 'allow' : 'deny',
      ...(why !== undefined && { permissionDecisionReason: why }),
    },
  };
}

async function afterTools({ onStep, session }: Turn, { tool_calls: done }: ToolBatch, work: ToolCallSummary[]) {
  const ids = done.map(({ tool_use_id: id }) => id);
  if (await session.has('tool_result', ids)) await onStep(true);
  for (const { tool_input: input, tool_name: tool, tool_response: response = '', tool_use_id: id } of done) {
    if (tool.startsWith(prefix) || work.length >= toldWork) continue;
    const status = session.hasFailed(id) ? 'error' : 'ok';
    work.push({ tool, input: inOneLine(input), status, text: inOneLine(response) });
  }
  return { continue: true };
}

function inOneLine(value: unknown): string {
  const text = (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replace(/\s+/g, ' ').toWellFormed();
  return shortened(text, maxChars);
}

/** A result with `claude/endTurn` ends the turn without another request; the workflow gets the call itself. */
function serve(sdk: Sdk, { mayCall, tools }: Turn, calls: ToolCall[]): McpServer {
  const { instance } = sdk.createSdkMcpServer({ name: serverName, version: '1', tools: [] });
  instance.server.registerCapabilities({ tools: {} });
  instance.server.setRequestHandler(request('tools/list'), () => ({
    tools: tools.map(({ description, name, parameters }) => ({
      name,
      description,
      inputSchema: parameters,
      // Tools that a model has to look for first would change the beginning of the conversation when it finds them.
      _meta: { 'anthropic/alwaysLoad': true },
    })),
  }));
  instance.server.setRequestHandler(request('tools/call'), ({ params }) => {
    if (!mayCall) return { content: [{ type: 'text', text: notNow }], isError: true };
    const { _meta: about, arguments: given = {}, name } = params;
    const id = about?.['claudecode/toolUseId'] ?? `call_${calls.length + 1}`;
    calls.push({ id, name, arguments: JSON.stringify(given) });
    return { content: [{ type: 'text', text: handedOver }], _meta: { 'claude/endTurn': true } };
  });
  return instance;
}

const request = (method: string) => z.object({ method: z.literal(method), params: z.looseObject({}).optional() });
