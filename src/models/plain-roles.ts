/** Chat templates of open models take fewer forms than the API; their servers refuse the rest, some with a 500. */

export interface ChatMessage {
  role: string;
  content?: unknown;
  tool_call_id?: string;
  tool_calls?: Array<{ id: string }>;
  reasoning_content?: unknown;
}

/**
 * Leaves one system message, at the beginning: later ones become the user's. Of 88 templates of open models a third
 * refuse later ones (Qwen 3.5) or leave them out without a word (gpt-oss, MiniMax), or all but the last (DeepSeek R1).
 */
export function oneSystemMessage<M extends ChatMessage>(messages: M[]): M[] {
  const firstOther = messages.findIndex(({ role }) => role !== 'system');
  const leading = firstOther === -1 ? messages : messages.slice(0, firstOther);
  const [first] = leading;
  const content = leading
    .map((message) => message.content)
    .filter((each) => each !== '')
    .join('\n\n');
  return [
    ...(first === undefined || content === '' ? [] : [{ ...first, content }]),
    ...messages
      .slice(leading.length)
      .map((message) => (message.role === 'system' ? { ...message, role: 'user' } : message)),
  ];
}

/** Joins what the user says to what came right before it, from the user or a tool, so that roles alternate (Mistral). */
export function alternating(messages: ChatMessage[]): ChatMessage[] {
  const joined: ChatMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const isText = typeof message.content === 'string' && typeof last?.content === 'string';
    if (message.role === 'user' && isText && ['user', 'tool'].includes(last.role)) {
      joined[joined.length - 1] = { ...last, content: `${String(last.content)}\n\n${String(message.content)}` };
    } else {
      joined.push(message);
    }
  }
  return joined;
}

/** Puts the system message at the beginning of what the user says first (Gemma). */
export function noSystemMessage(messages: ChatMessage[]): ChatMessage[] {
  const [system, first, ...others] = messages;
  if (system?.role !== 'system') return messages;
  const said = String(system.content);
  if (first?.role !== 'user') return [{ role: 'user', content: said }, ...messages.slice(1)];
  const { content } = first;
  const joined = Array.isArray(content) ? [{ type: 'text', text: said }, ...content] : `${said}\n\n${String(content)}`;
  return [{ ...first, content: joined }, ...others];
}

/** Has each of several calls followed by its own result (Llama 3). */
export function oneCallAtATime(messages: ChatMessage[]): ChatMessage[] {
  const resultOf = new Map(messages.map((message) => [message.tool_call_id, message]));
  const moved = new Set<ChatMessage>();
  return messages.flatMap((message) => {
    const { tool_calls: calls = [], ...said } = message;
    if (calls.length < 2) return moved.has(message) ? [] : [message];
    return calls.flatMap((call, index) => {
      const result = resultOf.get(call.id);
      if (result !== undefined) moved.add(result);
      const own =
        index === 0 ? { ...said, tool_calls: [call] } : { role: 'assistant', content: null, tool_calls: [call] };
      return result === undefined ? [own] : [own, result];
    });
  });
}

/** Gives calls ids of nine letters and digits (Mistral). */
export function shortCallIds(messages: ChatMessage[]): ChatMessage[] {
  const short = new Map<string, string>();
  const idOf = (id: string): string => {
    const known = short.get(id) ?? `c${String(short.size + 1).padStart(8, '0')}`;
    short.set(id, known);
    return known;
  };
  return messages.map((message) => ({
    ...message,
    ...(message.tool_calls && { tool_calls: message.tool_calls.map((call) => ({ ...call, id: idOf(call.id) })) }),
    ...(message.tool_call_id !== undefined && { tool_call_id: idOf(message.tool_call_id) }),
  }));
}

/**
 * Gives each reply a thought: DeepSeek and Kimi want one back also where a reply had none, or was another model's. Kimi
 * takes an empty one for none (earendil-works/pi#4178).
 */
export const thoughtEverywhere = (messages: ChatMessage[]): ChatMessage[] =>
  messages.map((message) =>
    message.role === 'assistant' && !message.reasoning_content ? { ...message, reasoning_content: ' ' } : message,
  );

/** What a server can want of a conversation, by the words in which it refuses one. */
export const templateWants = {
  'one system message': {
    words:
      /system message (must|should) be (at the beginning|(the )?first)|only .{0,30}first message .{0,20}system|initial optional system message/i,
    form: oneSystemMessage,
  },
  'alternating roles': {
    words: /roles must alternate|after the optional system message|unexpected role .{0,20} after role/i,
    form: alternating,
  },
  'no system message': {
    words:
      /system role (is )?not supported|developer instruction is not enabled|does not support 'system'|only user and assistant roles are supported(?!,)/i,
    form: noSystemMessage,
  },
  'one call at a time': { words: /single tool-calls? at once/i, form: oneCallAtATime },
  'a thought in each reply': {
    words:
      /reasoning_content\W.{0,40}\b(?:missing|must be (?:passed|provided|present)|required)\b|\b(?:missing|requires?) [`'"]?reasoning_content\b/i,
    form: thoughtEverywhere,
  },
  'call ids of nine characters': { words: /call ids? .{0,40}length 9/i, form: shortCallIds },
} as const;

export type TemplateWant = keyof typeof templateWants;

export function templateWant(text: string): TemplateWant | undefined {
  return (Object.keys(templateWants) as TemplateWant[]).find((want) => templateWants[want].words.test(text));
}

/** Whether a conversation has the form that it is refused for: then its calls and results are what no template knows. */
export const isFormed = (messages: ChatMessage[], want: TemplateWant): boolean =>
  JSON.stringify(templateWants[want].form(messages)) === JSON.stringify(messages);

/**
 * As servers say it of a model that was not trained to call tools, or was started without what reads its calls: Ollama,
 * OpenAI, DeepSeek and Bedrock; OpenRouter; Groq, Mistral and Perplexity; vLLM and llama.cpp.
 */
const refusals = [
  /(?:\bnot|n't) support (?:the )?(?:use of )?(?:tools?|functions?)\b/i,
  /\bendpoints? .{0,20}support tool use\b/i,
  /\b(?:tools?|functions?)[ -]?(?:use|calls?|calling)?[`'"]? (?:is|are) (?:currently )?(?:not |un)(?:supported|enabled|available)/i,
  /--enable-auto-tool-choice|\btools param requires\b/i,
];

export const refusesTools = (text: string): boolean => refusals.some((words) => words.test(text));

/** As templates say it of a message with a result. */
const unknownRole = /\broles are supported\b|\b(?:invalid|unexpected|unsupported) (?:message )?role\b/i;

export const refusesResults = (text: string): boolean => unknownRole.test(text);
