import type { Environment } from '../util/environment.ts';
import { howToTranscribe, notTranscribed, type Transcribe } from '../tools/attachments/audio.ts';
import { isRemote, routeOf } from '../config/models/providers.ts';
import { redact } from '../util/text/redact.ts';
import type { Backend } from '../protocol/settings.ts';

/** OpenAI's model for recorded files; those before it end on 2027-02-26 (https://developers.openai.com/api/docs/deprecations). */
const openaiModel = 'gpt-transcribe';

const commonModel = 'whisper-1';

/** In milliseconds, for one recording. */
const timeout = 120_000;
const maxRetries = 2;

const longestReason = 300;

/**
 * By the server that `TRANSCRIPTION_URL` names, else by the backend's own: what is said in a recording reaches only
 * those who get the texts of the run as well.
 * @param backend of the agents who are to read the text
 */
export function transcriber(environment: Environment, backend: Backend | undefined): Transcribe {
  const route = routeFor(environment, backend);
  if (route === undefined) return notTranscribed;
  const { baseUrl, key, model } = route;
  return async ({ bytes, mediaType, name }) => {
    const { default: OpenAI, toFile } = await import('openai');
    const client = new OpenAI({
      baseURL: baseUrl,
      apiKey: key,
      maxRetries,
      timeout,
      logLevel: 'off',
      fetchOptions: { redirect: 'error' },
    });
    try {
      const file = await toFile(bytes, name, { type: mediaType });
      const { text } = await client.audio.transcriptions.create({ file, model, response_format: 'json' });
      if (typeof text !== 'string') throw new TypeError('the reply has no text');
      if (text.trim() === '') return { note: 'nothing is said in it' };
      return { text: text.toWellFormed(), note: `transcribed by ${model}` };
    } catch (error) {
      const reason = redact((error as Error).message, [key]).slice(0, longestReason);
      return { note: `it was not transcribed by ${model} (${reason}); nothing of it can be read: ${howToTranscribe}` };
    }
  };
}

function routeFor(environment: Environment, backend: Backend | undefined) {
  const { TRANSCRIPTION_API_KEY: key, TRANSCRIPTION_MODEL: model, TRANSCRIPTION_URL: url } = environment;
  if (url !== undefined) {
    const isOpenai = URL.canParse(url) && new URL(url).hostname === 'api.openai.com';
    return {
      baseUrl: url,
      key: key ?? (isOpenai ? environment['OPENAI_API_KEY'] : undefined) ?? 'none',
      model: model ?? (isOpenai ? openaiModel : commonModel),
    };
  }
  if (backend === undefined || !isRemote(backend) || !['openai', 'chatcompletion'].includes(backend.type))
    return undefined;
  const { baseUrl, key: own = 'none' } = routeOf(backend, environment);
  return { baseUrl, key: own, model: model ?? (backend.type === 'openai' ? openaiModel : commonModel) };
}
