/**
 * The library: starts a team with a configuration in code, and reads its result.
 *
 * There is a configuration for each mode in which the restart is decided. The program needs a server and a worker
 * (`npx reprise up` in another terminal), and uses the worker's default backend.
 *
 *   npm run example examples/programmatic.ts "Your question"     # in a clone of Reprise
 *   node programmatic.ts "Your question"                         # elsewhere, with Node 22.18 or newer
 */
import { connect, type TeamConfigInput } from 'reprise';

/** Decides before presenting (the default). This is faster, since a restart costs no presentation. */
export const preEvaluation: TeamConfigInput = {
  orchestrator: {
    coordination: { max_orchestration_restarts: 2, enable_post_presentation_evaluation: false },
  },
};

/** Decides after presenting, and so judges what the reader would get. Use it where the presentation itself matters. */
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
  console.error(`${outcome}: attempts: ${attempts}, restarts: ${restarts.length}, calls: ${usage.calls}`);
  await reprise.close();
}
