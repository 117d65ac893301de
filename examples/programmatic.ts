/**
 * The client library: start a team with a configuration in code, follow it, read its result.
 *
 * Shows both evaluation modes of the restart decision. Needs a server and a worker (`npx reprise up` in another
 * terminal); uses the worker's default backend.
 *
 *   node programmatic.ts "Your question"
 *
 * In a clone of Reprise: `npm run example examples/programmatic.ts "Your question"`.
 */
import { connect, type TeamConfigInput } from 'reprise';

/** Before presenting (the default): faster, since a restart costs no presentation. */
export const preEvaluation: TeamConfigInput = {
  orchestrator: {
    coordination: { max_orchestration_restarts: 2, enable_post_presentation_evaluation: false },
  },
};

/** After presenting (recommended where the presentation itself matters): judges what the reader would get. */
export const postEvaluation: TeamConfigInput = {
  orchestrator: {
    coordination: { max_orchestration_restarts: 2, enable_post_presentation_evaluation: true },
  },
};

if (import.meta.main) {
  const task = process.argv[2] ?? 'What does a restart keep?';
  const reprise = await connect();
  const run = await reprise.startOrchestration({ task, config: postEvaluation });
  console.error(`Follow it with: npx reprise watch ${run.id}`);
  const { answer, attempts, restarts, outcome, usage } = await run.result();
  console.log(answer);
  console.error(`${outcome} after ${attempts} attempts, ${restarts.length} restarts, ${usage.calls} calls`);
  await reprise.close();
}
