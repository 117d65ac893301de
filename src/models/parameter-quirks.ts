import { isFromSdk, knownKind, saidBy, type Said } from './failures.ts';
import {
  isFormed,
  refusesResults,
  refusesTools,
  templateWant,
  templateWants,
  type ChatMessage,
  type TemplateWant,
} from './plain-roles.ts';
import { plainSchema } from './plain-schema.ts';
import { isObject } from '../util/values.ts';

type Body = Record<string, unknown>;

const maxRepeats = 5;

/** Where each wire has the schema of a reply's text. */
const schemaParameters = ['response_format', 'text.format', 'output_config.format'];

/** The parameters without which a request still means the same. `strict` and `reasoning_content` are not on top. */
const dispensable = [
  'temperature',
  'reasoning_effort',
  'reasoning.effort',
  'reasoning.summary',
  'reasoning',
  'output_config.effort',
  'thinking.block_binding',
  'thinking.display',
  'cache_control',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'tool_choice',
  ...schemaParameters,
  'parallel_tool_calls',
  'stream_options',
  'include',
  'store',
  'strict',
  'reasoning_content',
];

const renamed: Record<string, string> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
};

/**
 * What a model behind an address has refused: later requests go without it from the start, and the person who started
 * the run is told once. It is forgotten with the process, so that a provider may change its mind.
 */
export class ParameterQuirks {
  readonly #subject: string;
  readonly #without = new Set<string>();
  readonly #wants = new Set<TemplateWant>();
  readonly #noticed = new Set<string>();
  #takesTools = true;
  #notices: string[] = [];

  /** @param subject such as `openai gpt-5` */
  constructor(subject: string) {
    this.#subject = subject;
  }

  /** Whether the server wants the tools of a conversation defined where they may not be called. */
  get wantsTools(): boolean {
    return this.#without.has(noTools);
  }

  /** Whether requests may have tools. Where not, they are told in words (told-tools.ts). */
  get takesTools(): boolean {
    return this.#takesTools;
  }

  get takesSchemas(): boolean {
    return !schemaParameters.some((parameter) => this.#without.has(parameter));
  }

  leftOut(parameter: string): void {
    this.tell(`does not take ${parameter}: left out`);
  }

  takeNotices(): string[] {
    const notices = this.#notices;
    this.#notices = [];
    return notices;
  }

  /**
   * Repeats a request whenever its refusal teaches something.
   * @param extra keys of the user, which are dispensable too
   */
  async send<T extends object, Reply>(
    build: () => T,
    extra: Body | undefined,
    request: (body: T) => PromiseLike<Reply>,
  ): Promise<Reply> {
    const next = (): T => this.#reduced(withExtra(build() as Body, extra)) as T;
    for (let sent = next(), repeats = 0; ; repeats++) {
      try {
        return await request(sent);
      } catch (error) {
        if (repeats === maxRepeats || !this.#learn(error, sent as Body, Object.keys(extra ?? {}))) throw error;
        const refused = sent;
        sent = next();
        if (JSON.stringify(sent) === JSON.stringify(refused)) throw error;
      }
    }
  }

  #learn(error: unknown, sent: Body, extra: string[]): boolean {
    if (!isFromSdk(error)) return false;
    const said = saidBy(error);
    const messages = itemsOf(sent) as unknown as ChatMessage[];
    const want = messages.length === 0 ? undefined : templateWant(said.text);
    const isWanted = want !== undefined && isFormed(messages, want);
    if (want !== undefined && !isWanted) {
      this.#wants.add(want);
      this.tell(`takes only conversations with ${want}: sent so`);
      return true;
    }
    const parameter = refusedIn(said, sent, [...extra, ...dispensable]);
    const isRefusal = sent['tools'] !== undefined && parameter === undefined && refusesTools(said.text);
    const hasResults = messages.some(({ role }) => role === 'tool');
    if (isRefusal || (hasResults && (isWanted || refusesResults(said.text)))) {
      this.#takesTools = false;
      this.tell('takes no tools: they are told in words, and its calls are read from its text');
      return true;
    }
    if (parameter === undefined) return false;
    this.#without.add(parameter);
    const other = renamed[parameter];
    if (parameter === richSchemas) this.tell('does not take the schemas of some tools: all are sent in a plainer form');
    else if (other !== undefined && !this.#without.has(other)) {
      this.tell(`does not take ${parameter}: sent as ${other}`);
    } else if (parameter !== noTools && (parameter !== ownWish || extra.includes('reasoning'))) this.leftOut(parameter);
    return true;
  }

  #reduced(body: Body): Body {
    const entries = Object.entries(body).map(([name, value]) => [this.#nameOf(name), value] as const);
    const gone = [...this.#without].filter((parameter) => this.#nameOf(parameter) === parameter);
    const reduced = gone.reduce(without, Object.fromEntries(entries));
    if (this.#wants.size === 0) return reduced;
    const formed = [...this.#wants].reduce(
      (messages, want) => templateWants[want].form(messages),
      reduced['messages'] as ChatMessage[],
    );
    return { ...reduced, messages: formed };
  }

  #nameOf(parameter: string): string {
    const other = renamed[parameter];
    return other !== undefined && this.#without.has(parameter) && !this.#without.has(other) ? other : parameter;
  }

  tell(text: string): void {
    if (this.#noticed.has(text)) return;
    this.#noticed.add(text);
    this.#notices.push(`${this.#subject} ${text}`);
  }
}

/** The user's keys may add to objects and replace whatever else there is. */
function withExtra(body: Body, extra: Body = {}): Body {
  const merged = Object.entries(extra).map(([key, value]) => {
    const { [key]: own } = body;
    return [key, isObject(own) && isObject(value) ? { ...own, ...value } : value] as const;
  });
  return { ...body, ...Object.fromEntries(merged) };
}

/** Undefined if the refusal names none, or one that matters. */
function refusedIn(said: Said, sent: Body, names: string[]): string | undefined {
  if (said.status !== 400 && said.status !== 422) return undefined;
  // Without its effort a model that refuses it beside tools would answer, but it would no longer think.
  if (knownKind(said) !== undefined || /function tools with reasoning_effort/i.test(said.text)) return undefined;
  if (/encrypted content is not supported/i.test(said.text) && has(sent, 'include')) return 'include';
  // Anthropic compiles all strict schemas of a request together (alphaXiv/agents#49).
  if (/compiled grammar/i.test(said.text) && has(sent, 'strict')) return 'strict';
  // The header is sent for this parameter alone.
  if (/anthropic-beta/.test(said.text) && has(sent, 'thinking.block_binding')) return 'thinking.block_binding';
  const places = names
    .filter((name) => has(sent, name))
    .map((name) => ({
      name,
      at: said.param === undefined ? placeIn(said.text, name) : isIn(said.param, name) ? 0 : -1,
    }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at || other.name.length - one.name.length);
  const name = places[0]?.name;
  if (name === 'tool_choice' && isForced(sent['tool_choice'])) return forced;
  if (name !== undefined) return name;
  if (sent['tools'] === undefined) return /\btool/i.test(said.text) ? noTools : undefined;
  if (!isAboutSchemas(said)) return undefined;
  return has(sent, 'strict') ? 'strict' : richSchemas;
}

const forced = 'a forced tool_choice';

function isForced(choice: unknown): boolean {
  const kind = isObject(choice) ? choice['type'] : choice;
  return kind !== undefined && kind !== 'auto' && kind !== 'none';
}

/** Tools of strangers' servers say more of their parameters than many a provider knows. */
const richSchemas = 'rich schemas';

/** OpenAI, Anthropic, Moonshot and Groq name the schema, Google and Bedrock where they have it, some how long a text may be. */
const isAboutSchemas = ({ text, param = '' }: Said): boolean =>
  /schema|function_?declarations|\bgrammar\b|\bdescription\b.*\blong/i.test(text) ||
  /^tools\b.*\bparameters/.test(param);

/** In characters, as OpenAI has refused longer ones of some models (probelabs/probe#9). */
const longestDescription = 1024;

/** OpenAI has summaries for verified organisations only, and nobody but us has asked for one. */
const ownWish = 'reasoning.summary';

/** The server wants the tools defined that earlier messages have called. */
const noTools = 'no tools';

/** As in `include[0]`, `reasoning.effort`, `tools[2].function.strict`. */
const isIn = (param: string, name: string): boolean =>
  param === name || param.startsWith(`${name}.`) || param.startsWith(`${name}[`) || param.endsWith(`.${name}`);

function placeIn(text: string, name: string): number {
  const words = [name, name.split('.').at(-1) ?? name].map((word) => word.replace(/[^\w]/g, '\\$&'));
  return text.search(new RegExp(`(?<![\\w])(${words.join('|')})(?![\\w])`));
}

function has(body: Body, name: string): boolean {
  if (name === 'strict') return JSON.stringify(body['tools'] ?? null).includes('"strict":true');
  if (name === reasoning) return itemsOf(body).some((message) => reasoning in message);
  const [key = '', inner] = name.split('.');
  const { [key]: value } = body;
  return inner === undefined ? value !== undefined : isObject(value) && value[inner] !== undefined;
}

const reasoning = 'reasoning_content';

const itemsOf = ({ messages }: Body): Body[] => (Array.isArray(messages) ? (messages as Body[]) : []);

function without(body: Body, name: string): Body {
  if (name === noTools) return body;
  if (name === forced) {
    const { tool_choice: choice } = body;
    if (!isForced(choice)) return body;
    // Anthropic's own forms are `any` and `tool`.
    const isAnthropic = isObject(choice) && choice['type'] !== 'function';
    return { ...body, tool_choice: isAnthropic ? { type: 'auto' } : 'auto' };
  }
  if (name === 'strict') return { ...body, tools: (body['tools'] as Body[] | undefined)?.map(unstrict) };
  if (name === richSchemas) return { ...body, tools: (body['tools'] as Body[] | undefined)?.map(plain) };
  if (name === reasoning) return { ...body, messages: itemsOf(body).map((message) => omit(message, reasoning)) };
  // Without a choice a model may call the tools that it is given.
  if (name === 'tool_choice' && body['tool_choice'] === 'none') return omit(omit(body, 'tools'), 'tool_choice');
  const [key = '', inner] = name.split('.');
  const { [key]: value } = body;
  if (inner === undefined) return omit(body, key);
  if (!isObject(value)) return body;
  const rest = omit(value, inner);
  return Object.keys(rest).length > 0 ? { ...body, [key]: rest } : omit(body, key);
}

/** A tool in the form of either wire. Responses takes an absent `strict` for true. */
function unstrict(tool: Body): Body {
  if (isObject(tool['function'])) return { ...tool, function: omit(tool['function'], 'strict') };
  return { ...tool, ...('strict' in tool && { strict: false }) };
}

/** A tool, in the form of any wire, of which less is said. */
function plain(tool: Body): Body {
  const { description, function: inner, parameters, input_schema: input } = tool;
  if (isObject(inner)) return { ...tool, function: plain(inner) };
  return {
    ...tool,
    ...(typeof description === 'string' && { description: description.slice(0, longestDescription) }),
    ...(isObject(input) && { input_schema: plainSchema(input) }),
    ...(isObject(parameters) && { parameters: plainSchema(parameters) }),
  };
}

const omit = (from: Body, key: string): Body =>
  Object.fromEntries(Object.entries(from).filter(([name]) => name !== key));
