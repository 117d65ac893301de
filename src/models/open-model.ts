import Anthropic from '@anthropic-ai/sdk';
import { ApplicationFailure } from '@temporalio/common';
import OpenAI from 'openai';
import type { Backend } from '../config/backend.ts';
import type { Environment } from '../config/environment.ts';
import { capabilitiesOf } from './capabilities.ts';
import { anthropicModel } from './anthropic.ts';
import { failureTypes, type Endpoint } from './failures.ts';
import type { Model } from './model.ts';
import { offlineModel } from './offline/index.ts';
import { openaiModel } from './openai.ts';
import { isRemote, missingKey, routeOf } from './providers.ts';

/** In milliseconds, a day. The workflow limits how long a call may take, and cancels it. */
const timeout = 86_400_000;

/** Options of both SDKs. They do not retry, since Temporal does. */
const shared = { maxRetries: 0, timeout };

/**
 * Opens models by their backend. Models with the same address and key share a client, which keeps connections open.
 *
 * @throws `ApplicationFailure` of type `MissingKey`, not retryable, which names the variable
 */
export function modelOpener(environment: Environment): (backend: Backend) => Model {
  const openaiClient = remember((baseURL, apiKey) => new OpenAI({ baseURL, apiKey, ...shared }));
  const anthropicClient = remember((baseURL, apiKey) => new Anthropic({ baseURL, apiKey, authToken: null, ...shared }));

  return (backend) => {
    if (!isRemote(backend)) return offlineModel(backend);
    const missing = missingKey(backend, environment);
    if (missing !== undefined) {
      throw ApplicationFailure.nonRetryable(`${backend.type}: ${missing} is not set`, failureTypes.missingKey);
    }
    // A server that needs no key still gets a header, since the SDK insists on one.
    const { baseUrl, model = '', key = 'none', keyVariable } = routeOf(backend, environment);
    const endpoint: Endpoint = { provider: backend.type, model, keyVariable, secrets: [key] };
    const settings = {
      model,
      temperature: backend.temperature,
      maxTokens: backend.max_tokens,
      capabilities: capabilitiesOf(backend),
    };
    return backend.type === 'claude'
      ? anthropicModel(anthropicClient(baseUrl, key), settings, endpoint)
      : openaiModel(openaiClient(baseUrl, key), settings, endpoint);
  };
}

function remember<T>(make: (baseUrl: string, key: string) => T): (baseUrl: string, key: string) => T {
  const known = new Map<string, T>();
  return (baseUrl, key) => {
    const id = `${baseUrl} ${key}`;
    const client = known.get(id) ?? make(baseUrl, key);
    known.set(id, client);
    return client;
  };
}
