import { NotFoundError } from 'openai/error';
import type { Environment } from '../util/environment.ts';
import { keyMissing, variablesIn, withVariables } from '../config/variables.ts';
import { capabilitiesOf } from '../config/models/model-capabilities.ts';
import { askAnthropic } from './anthropic.ts';
import { checkedUsage } from './estimate.ts';
import { toFailure, unfitKey, type Endpoint } from './failures.ts';
import { ParameterQuirks } from './parameter-quirks.ts';
import type { Model, ModelRequest, ModelSettings } from './model.ts';
import { offlineModel } from './offline/index.ts';
import { askChat } from './openai.ts';
import { isRemote, missingKey, routeOf } from '../config/models/providers.ts';
import { askResponses } from './responses.ts';
import { servedContexts } from './served-contexts.ts';
import { guardedFetch } from './stream-guard.ts';
import { acceptedTool } from './tool-schema.ts';
import type { Backend } from '../protocol/settings.ts';

/** In milliseconds, a day. The workflow limits how long a call may take, and cancels it. */
const timeout = 86_400_000;

/** In seconds, without content at a call's first try; twice as long at each later one. */
const idleTimeout = 60;

/** A call may be tried for hours, and a timer takes no more than 24 days. */
const mostDoublings = 6;

/**
 * What is found out about an address and its models is remembered for all that are opened.
 * @throws `ApplicationFailure` of type `MissingKey`, not retryable, which names the variable
 */
export function modelOpener(environment: Environment): (backend: Backend) => Model {
  const quirksOf = new Map<string, ParameterQuirks>();
  const contextOf = servedContexts(environment);
  const withoutResponses = new Set<string>();

  return (backend) => {
    if (!isRemote(backend)) return offlineModel(backend);
    // It is no model: `callModel` asks it by claude-code/backend.ts.
    if (backend.type === 'claude_code') throw new TypeError('claude_code has no wire');
    const missing = missingKey(backend, environment);
    const { values: headers, secrets, missing: unset } = withVariables(backend.headers ?? {}, environment);
    const lacked = missing ?? unset[0]?.variable;
    if (lacked !== undefined) throw keyMissing(`${backend.type}: ${lacked} is not set`, lacked);
    const { baseUrl, model = '', key, keyVariable } = routeOf(backend, environment);
    const address = URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;
    const variable = variableOfKey(backend.headers);
    const endpoint: Endpoint = {
      provider: backend.type,
      model,
      address,
      keyVariable: variable ?? keyVariable,
      isKeyless: key === undefined && variable === undefined,
      secrets: key === undefined ? secrets : [key, ...secrets],
    };
    const subject = `${backend.type} ${model}`;
    const quirks = quirksOf.get(`${baseUrl} ${subject}`) ?? new ParameterQuirks(subject);
    quirksOf.set(`${baseUrl} ${subject}`, quirks);
    const wire = { settings: settingsOf(backend, model, quirks), endpoint, quirks };

    const { idle_timeout: idle = idleTimeout } = backend;
    /** The SDKs do not retry, since Temporal does. */
    const optionsFor = ({ attempt = 1, beforeSend }: ModelRequest) => ({
      baseURL: baseUrl,
      // A server that needs no key still gets a header, since the SDK insists on one.
      apiKey: key ?? 'none',
      defaultHeaders: headers,
      maxRetries: 0,
      timeout,
      logLevel: 'off' as const,
      fetch: guardedFetch(endpoint, idle * 2 ** Math.min(attempt - 1, mostDoublings), beforeSend),
    });
    // An SDK is loaded with the first call that needs it.
    const ask = async (request: ModelRequest) => {
      if (!/^[\x20-\x7E]*$/.test(key?.trim() ?? '')) throw unfitKey(endpoint);
      if (backend.type === 'claude') {
        const { default: Anthropic } = await import('@anthropic-ai/sdk');
        const client = new Anthropic({ ...optionsFor(request), authToken: null });
        return askAnthropic(client, request, wire);
      }
      const { default: OpenAI } = await import('openai');
      const client = new OpenAI(optionsFor(request));
      if (backend.type !== 'openai' || withoutResponses.has(baseUrl)) return askChat(client, request, wire);
      try {
        return await askResponses(client, request, wire);
      } catch (error) {
        if (!lacksResponses(error, baseUrl)) throw error;
        const response = await askChat(client, request, wire);
        withoutResponses.add(baseUrl);
        return response;
      }
    };
    return {
      async complete(request) {
        const response = await ask({ ...request, tools: request.tools.map(acceptedTool) }).catch((error: unknown) => {
          request.signal.throwIfAborted();
          throw toFailure(error, endpoint);
        });
        const usage = checkedUsage(response.usage, request.messages, response.message);
        const notices = [...(response.notices ?? []), ...quirks.takeNotices()];
        return { ...response, usage, ...(notices.length > 0 && { notices }) };
      },
      servedContext: () => contextOf(backend),
    };
  };
}

function settingsOf(backend: Backend, model: string, quirks: ParameterQuirks): ModelSettings {
  const { temperature, max_tokens: maxTokens, reasoning_effort: effort, extra_body: extraBody } = backend;
  const capabilities = capabilitiesOf({ type: backend.type, model });
  const hottest = capabilities.temperature;
  const takesEffort = effort === undefined || capabilities.efforts.includes(effort);
  if (temperature !== undefined && hottest === null && !backend.is_loops_temperature) quirks.leftOut('temperature');
  if (!takesEffort) quirks.leftOut(`reasoning_effort ${effort}`);
  return {
    model,
    temperature: temperature === undefined || hottest === null ? undefined : Math.min(hottest, temperature),
    maxTokens,
    effort: takesEffort ? effort : undefined,
    extraBody,
    capabilities,
  };
}

/** A configuration may send a key in a header, which takes the place of the SDK's. */
function variableOfKey(headers: Record<string, string> = {}): string | undefined {
  const own = Object.entries(headers).find(([name]) => /^(authorization|(x-)?api-key)$/i.test(name));
  return own && variablesIn(own[1])[0];
}

/** Whether a 404 says that the server has no `/responses`, rather than that it does not know the model. */
function lacksResponses(error: unknown, baseUrl: string): boolean {
  if (!(error instanceof NotFoundError) || new URL(baseUrl).hostname === 'api.openai.com') return false;
  return error.code !== 'model_not_found' && !/\bmodels?\b/i.test(error.message);
}
