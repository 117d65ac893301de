import { z } from 'zod';
import { temperature, whole } from './coordination.ts';
import { effortProblem, efforts } from './models/model-capabilities.ts';
import { backendTypes } from './models/providers.ts';
import { folderSchema } from './named-folder.ts';
import { httpAddress, mcpServersSchema } from './tool-sources.ts';
import { holdsSecret, writtenOut } from './variables.ts';
import { guarded, safe } from './privileges.ts';
import type { Backend } from '../protocol/settings.ts';

const name = z.string().min(1);

const day = 24 * 60 * 60;

/** What a request consists of, which no key of the user's may replace. */
const own = ['model', 'messages', 'input', 'tools', 'stream'];

const extraBodySchema = z.record(z.string(), z.unknown()).superRefine((body, context) => {
  for (const key of Object.keys(body).filter((each) => own.includes(each))) {
    context.addIssue({ code: 'custom', path: [key], message: 'is what Reprise sends itself, and cannot be set here' });
  }
});

const headersSchema = z.record(name, z.string()).superRefine((headers, context) => {
  for (const [key, text] of Object.entries(headers)) {
    if (holdsSecret(text)) context.addIssue({ code: 'custom', path: [key], message: writtenOut });
  }
});

const writtenSchema = z
  .strictObject({
    type: z
      .enum(backendTypes)
      .meta(guarded('backendType'))
      .describe(
        'What it speaks; chatcompletion is any OpenAI-compatible server, claude_code is Claude Code, offline needs no key.',
      ),
    model: name.optional().meta(safe("The model's name. Absent: the default one of the type.")),
    base_url: httpAddress.optional().meta(guarded('baseUrl', "An address that replaces the provider's.")),
    api_key_env: name
      .optional()
      .meta(guarded('keyVariable', "The variable that holds the key. Absent: the type's, as OPENAI_API_KEY.")),
    temperature: temperature
      .optional()
      .meta(safe('Limited to what the provider takes; left out for models that take none.')),
    max_tokens: z.int().positive().optional().meta(safe('The longest reply, in tokens.')),
    reasoning_effort: z
      .enum(efforts)
      .optional()
      .meta(safe("How hard to think, as the model has it. Absent: the provider's default.")),
    extra_body: extraBodySchema
      .optional()
      .meta(guarded('extraBody', 'Further keys of each request, passed on as they are.')),
    headers: headersSchema
      .meta(guarded('headers'))
      .optional()
      .describe("Further headers of each request; ${NAME} stands for a variable of the worker's environment."),
    max_retries: whole(0, 100)
      .optional()
      .meta(safe('How often a failed call is tried again. Absent: for as long as its agent has time.')),
    idle_timeout: z
      .number()
      .positive()
      .max(day)
      .optional()
      .meta(safe('After how many seconds without content a stream is dead. Absent: 60.')),
    folder: name.optional().meta(guarded('folder', 'The folder that the offline model quotes, relative to this file.')),
    mcp_servers: mcpServersSchema.optional().describe("Servers of the agent's tools (Model Context Protocol)."),
    max_turns: z
      .int()
      .positive()
      .optional()
      .meta(safe('For claude_code: how many requests it may make in one turn. Absent: 200.')),
    cwd: folderSchema
      .optional()
      .describe(
        "The folder beside this file whose content an agent's workspace begins with; it stays as it is itself.",
      ),
    enable_mcp_command_line: z
      .boolean()
      .optional()
      .meta(safe('Whether the agent may run commands over its files, by the tool run_command. Absent: false.')),
    command_line_execution_mode: z
      .enum(['local', 'docker'])
      .optional()
      .meta(guarded('commandMode'))
      .describe('Where commands run: in a container, or as the user of the worker if it allows that. Absent: docker.'),
  })
  .meta({ id: 'backend' });

type Written = z.output<typeof writtenSchema>;

/** An agent's `backend:`. A temperature outside the provider's range is clamped to it. */
export const backendSchema = writtenSchema
  .superRefine(checkEffort)
  .superRefine(checkClaudeCode)
  // A schema of its own, so that what is said of it where it stands is not said of the definition `backend`.
  .transform((backend): Backend => backend);

/** A backend without its type, which is given by where it stands. */
export const backendOfType = (type: Written['type']) =>
  writtenSchema
    .omit({ type: true, max_turns: true })
    .superRefine((keys, context) => checkEffort({ type, ...keys }, context))
    .transform((keys) => ({ type, ...keys }));

export const roleSchema = z.strictObject({ backend: backendSchema.describe('The model of this role.') });

/** What Claude Code decides itself, or has no use for. */
const notOfClaudeCode = ['temperature', 'extra_body', 'idle_timeout', 'folder'] as const;

function checkClaudeCode(backend: Written, context: z.RefinementCtx): void {
  const { command_line_execution_mode: mode, enable_mcp_command_line: mayRun, reasoning_effort: effort } = backend;
  const refuse = (key: keyof Written, message: string): void =>
    context.addIssue({ code: 'custom', path: [key], message });
  if (backend.type !== 'claude_code') {
    if (backend.max_turns !== undefined) refuse('max_turns', 'is for claude_code alone; an agent has max_thoughts');
    return;
  }
  for (const key of notOfClaudeCode) {
    if (backend[key] !== undefined) refuse(key, 'is nothing that claude_code takes; leave it out');
  }
  if (effort === 'none' || effort === 'minimal')
    refuse('reasoning_effort', `"${effort}" is no effort of claude_code: low | medium | high | xhigh`);
  if (mayRun && mode !== 'local') {
    refuse('command_line_execution_mode', 'must be local for claude_code, which runs its commands itself');
  }
}

/** Checks an effort that a model of one's own choice is to take. The default model's is checked at the start of a run. */
function checkEffort({ type, model, reasoning_effort: effort }: Written, context: z.RefinementCtx): void {
  const problem = model && effort && effortProblem(type, model, effort);
  if (problem) context.addIssue({ code: 'custom', path: ['reasoning_effort'], message: problem });
}
