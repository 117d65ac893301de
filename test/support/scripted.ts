import type { IncomingMessage } from 'node:http';

/** The protocol of a request: Chat Completions, Responses or Anthropic's Messages. */
export type Wire = 'openai' | 'responses' | 'anthropic';

/** A request's JSON. What is in it depends on the wire. */
export type Body = { model: string } & Record<string, unknown>;

/** A message of any wire. One of Anthropic's that holds results of tools is several of these. */
export interface SeenMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  /** Its texts, joined. */
  text: string;
  /** The names of the tools that it calls. */
  calls: string[];
}

/** A request as it came over the wire. */
export interface Seen {
  /** Place among all requests, from 0. */
  index: number;
  wire: Wire;
  body: Body;
  /** The request's JSON as it was sent. */
  raw: string;
  headers: IncomingMessage['headers'];
  model: string;
  /** The conversation, system texts first. What a model has thought is not in it. */
  messages: SeenMessage[];
  /** All texts of its messages, joined. */
  prompt: string;
  /** Names of the tools that the reply may call. */
  tools: string[];
  /** Names of the tools that the request defines, those that may not be called among them. */
  definedTools: string[];
  /** Whether it may call them; undefined if the request does not say. */
  toolChoice: 'auto' | 'required' | 'none' | undefined;
  temperature: number | undefined;
  /** Milliseconds since the epoch. */
  at: number;
  /** Whether the reply was sent whole. */
  answered: boolean;
  /** Whether the client went away before that. */
  aborted: boolean;
}

/** What the scripted model says to one request. */
export interface Scripted {
  text?: string;
  calls?: Array<{ name: string; arguments: object | string }>;
  usage?: { input?: number; cached?: number; output?: number };
  /** What it thinks before everything else, for Anthropic, Responses, and DeepSeek's and Google's chat models. */
  thinking?: string;
  /** The provider's own word for why it stopped; Responses takes those of Chat Completions. */
  finish?: string;
  /** Time before the first byte, and between pieces, in milliseconds. */
  delay?: number;
  pace?: number;
  /** What is waited for after an event of the stream, by its index. */
  hold?: (index: number) => Promise<void>;
  /** Ends the connection before the reply is complete. */
  cut?: boolean;
  /** How the reply breaks: after so many of its events, by a dropped connection, silence, bad JSON, or a line without end. */
  breaks?: { after: number; by: 'dropping' | 'stalling' | 'bad JSON' | 'an endless line' };
  /** An error instead of a reply. */
  status?: number;
  headers?: Record<string, string>;
  errorBody?: string;
}
