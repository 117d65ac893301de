import type { Iteration, ResearchState } from '../../protocol/research.ts';

/** A research at a glance, for `detailsOf`. */
export function researchDetails(state: ResearchState, workflowId: string): string[] {
  const { agents, idea, iterations, max_planning_iterations, phase, planning_iteration, restart_reason } =
    state;
  return [
    ...(phase === 'waiting for approval' ? approvalLines(workflowId) : []),
    `### Iteration ${planning_iteration}/${max_planning_iterations}: ${phase}`,
    ...(idea === null ? [] : ['', `> ${idea.replaceAll('\n', '\n> ')}`, '']),
    ...agents.map(({ id, state: doing }) => `- **${id}**: ${doing}`),
    ...(restart_reason === null ? [] : ['', `Planning starts anew: ${restart_reason}`]),
    ...(iterations.length === 0 ? [] : ['', '### So far', ...iterations.map(iterationLine)]),
  ];
}

function approvalLines(workflowId: string): string[] {
  return [
    '### It waits for a person to decide',
    '',
    'Send the signal `decide` (menu "Send a Signal"), whose input is `{"action": "accept"}` or `{"action": "stop"}`, or ' +
      'the signal `requestRestart` with `{"reason": "…", "instructions": "…"}`. ' +
      `Or: \`reprise decide ${workflowId} --accept\``,
    '',
  ];
}

/** `- 1: predict stock prices with astrology: 15/100 (Major flaws)` */
const iterationLine = (iteration: Iteration): string =>
  `- ${iteration.iteration}: ${iteration.idea}: ${judgementOf(iteration)}`;

/** An iteration's score and verdict, in words. */
export function judgementOf({
  score,
  verdict,
  restartReason,
}: Pick<Iteration, 'score' | 'verdict' | 'restartReason'>): string {
  if (score !== null) return `${score}/100 (${verdict})`;
  return verdict ?? restartReason ?? 'not judged';
}
