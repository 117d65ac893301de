/** Chat templates of open models take fewer forms than the API; their servers refuse the rest, some with a 500. */

export interface ChatMessage {
  role: string;
  content?: unknown;
  tool_call_id?: string;
  tool_calls?: Array<{ id: string }>;
}

/** Leaves one system message, at the beginning: later ones become the user's (Qwen 3.5). */
export function oneSystemMessage(messages: ChatMessage[]): ChatMessage[] {
  const firstOther = messages.findIndex(({ role }) => role !== 'system');
  const leading = firstOther === -1 ? messages : messages.slice(0, firstOther);
  const later = messages.slice(leading.length);
  const system = leading.map(({ content }) => content).filter((content) => content !== '');
  return [
    ...(system.length === 0 ? [] : [{ role: 'system', content: system.join('\n\n') }]),
    ...later.map((message) => (message.role === 'system' ? { ...message, role: 'user' } : message)),
  ];
}

/** Joins what the user says to what came right before it, from the user or a tool, so that roles alternate (Mistral). */
export function alternating(messages: ChatMessage[]): ChatMessage[] {
  const joined: ChatMessage[] = [];
  for (const message of oneSystemMessage(messages)) {
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

/** What a server can want of a conversation, by the words in which it refuses one. */
export const templateWants = {
  'one system message': {
    words: /system message (must|should) be (at the beginning|(the )?first)|only .{0,30}first message .{0,20}system/i,
    form: oneSystemMessage,
  },
  'alternating roles': {
    words: /roles must alternate|after the optional system message|unexpected role .{0,20} after role/i,
    form: alternating,
  },
  'call ids of nine characters': { words: /call ids? .{0,40}length 9/i, form: shortCallIds },
} as const;

export type TemplateWant = keyof typeof templateWants;

export function templateWant(text: string): TemplateWant | undefined {
  return (Object.keys(templateWants) as TemplateWant[]).find((want) => templateWants[want].words.test(text));
}
