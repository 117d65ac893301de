import { expect, test } from 'vitest';
import { capabilitiesOf, type Capabilities } from '../../src/config/models/model-capabilities.ts';
import type { Backend } from '../../src/protocol/settings.ts';

test.each<[Backend['type'], string, Partial<Capabilities>]>([
  ['openai', 'gpt-4o-2024-08-06', { temperature: 2, efforts: [], strictSchemas: true }],
  ['openai', 'gpt-4.1-mini', { contextTokens: 1_047_576, outputTokens: 32_768 }],
  ['openai', 'o3-mini', { temperature: null, images: false }],
  ['openai', 'gpt-5-2025-08-07', { efforts: ['minimal', 'low', 'medium', 'high'] }],
  ['openai', 'gpt-5.4-mini-2026-03-17', { contextTokens: 400_000 }],
  ['openai', 'gpt-5.6-luna', { temperature: null, efforts: ['none', 'low', 'medium', 'high', 'xhigh'] }],
  ['openai', 'gpt-6-astra', { efforts: ['low', 'medium', 'high', 'xhigh'] }],
  ['openai', 'gpt-6.3-sol', { temperature: null, contextTokens: 1_050_000 }],
  ['chatcompletion', 'openai/gpt-5.6', { temperature: null }],
  ['chatcompletion', 'anthropic/claude-opus-4.7', { temperature: null, forcedTools: true }],
  ['chatcompletion', 'deepseek-chat', { temperature: 2, forcedTools: false, strictSchemas: false }],
  ['chatcompletion', 'o1000-mini', { temperature: 2 }],
  ['claude', 'claude-sonnet-4-20250514', { temperature: 1, outputTokens: 64_000 }],
  ['claude', 'claude-opus-4-6', { temperature: 1, contextTokens: 1_000_000 }],
  ['claude', 'claude-opus-4-8', { temperature: null, forcedTools: true }],
  ['claude', 'claude-sonnet-5-5', { temperature: null, forcedTools: false }],
  ['claude', 'claude-haiku-5-5', { temperature: null, efforts: ['none', 'low', 'medium', 'high', 'xhigh'] }],
  ['claude', 'claude-opus-5-5', { efforts: ['low', 'medium', 'high', 'xhigh'] }],
  ['claude', 'claude-3-5-haiku-latest', { efforts: [] }],
  ['claude', 'claude-fable-6', { temperature: null, forcedTools: false }],
  ['claude', 'mine', { temperature: 1 }],
  ['gemini', 'gemini-2.5-flash-lite', { efforts: ['none', 'minimal', 'low', 'medium', 'high'] }],
  ['gemini', 'models/gemini-3.1-pro-preview', { temperature: 2, contextTokens: 1_048_576 }],
  ['gemini', 'gemini-3.8-flash', { temperature: null }],
])('what %s %s can do', (type, model, expected) => {
  expect(capabilitiesOf({ type, model })).toMatchObject(expected);
});
