import type { OrchestrationState } from './state.ts';

/**
 * A run at a glance as Markdown, for the "current details" of Temporal's Web UI:
 * headings and lists only, since it sets tables without padding.
 */
export function detailsOf(state: OrchestrationState): string {
  const { agents, attempt, maxAttempts, phase, restarts, selectedAgent, usage } = state;
  return [
    `### Attempt ${attempt}/${maxAttempts}: ${phase}`,
    ...agents.map(agentLine),
    ...(selectedAgent === null ? [] : ['', `Final agent: **${selectedAgent}**`]),
    ...restarts.flatMap((restart) => [
      '',
      `### Restart after attempt ${restart.attempt}`,
      '',
      `> ${restart.reason.replaceAll('\n', '\n> ')}`,
    ]),
    ...(usage === null
      ? []
      : [
          '',
          '### Spent',
          `- ${usage.calls} calls, ${usage.inputTokens + usage.outputTokens} tokens`,
          `- $${usage.costUsd.toFixed(4)}`,
        ]),
  ].join('\n');
}

function agentLine({ id, state, answers, vote }: OrchestrationState['agents'][number]): string {
  const given = answers > 1 ? `, ${answers} answers` : '';
  return `- **${id}**: ${state}${vote === null ? '' : ` for ${vote}`}${given}`;
}
