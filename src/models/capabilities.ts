import type { Backend } from '../config/backend.ts';

/** How hard a model that reasons may be told to think. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

export type Effort = (typeof efforts)[number];

/** What a model takes and gives, as far as requests depend on it. */
export interface Capabilities {
  /** The highest temperature that it takes; null if it takes none. */
  temperature: number | null;
  /** Whether a request may force a tool call (`ToolChoice` `required`). */
  forcedTools: boolean;
  /** Whether its provider holds arguments to a tool's schema (`strict`). */
  strictSchemas: boolean;
  /** The efforts that it takes; empty if it takes none. */
  efforts: readonly Effort[];
  /** In tokens, of the whole conversation with the reply. */
  contextTokens: number;
  /** In tokens, the longest reply. */
  outputTokens: number;
  /** Whether it takes images. */
  images: boolean;
}

/** What is assumed of a model that the table does not know: that it takes whatever its wire has. */
const unknown: Capabilities = {
  temperature: 2,
  forcedTools: true,
  strictSchemas: false,
  efforts: [],
  contextTokens: 128_000,
  outputTokens: 16_000,
  images: true,
};

/** What a backend's model can do. A provider that says otherwise by a 400 is believed (models/learned.ts). */
export function capabilitiesOf(_backend: Pick<Backend, 'type' | 'model'>): Capabilities {
  return unknown;
}
