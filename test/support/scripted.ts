import type { IncomingMessage } from 'node:http';

/** What both wires' requests come to: enough for a script to decide by, and for tests to look at. */
export type Body = {
  model: string;
  messages: Array<{ role: string; content?: unknown; tool_calls?: unknown }>;
  system?: Array<{ text: string }>;
  tools?: Array<{ name?: string; function?: { name: string } }>;
  temperature?: number;
};

/** A request as it came over the wire. */
export interface Seen {
  /** Place among all requests, from 0. */
  index: number;
  wire: 'openai' | 'anthropic';
  body: Body;
  /** The request's JSON as it was sent. */
  raw: string;
  headers: IncomingMessage['headers'];
  /** All texts of its messages, joined. */
  prompt: string;
  /** Names of the tools offered. */
  tools: string[];
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
  /** Anthropic's thinking, before everything else. */
  thinking?: string;
  /** The provider's own word for why it stopped. */
  finish?: string;
  /** Time before the first byte, and between pieces, in milliseconds. */
  delay?: number;
  pace?: number;
  /** Ends the connection before the reply is complete. */
  cut?: boolean;
  /** An error instead of a reply. */
  status?: number;
  headers?: Record<string, string>;
  errorBody?: string;
}
