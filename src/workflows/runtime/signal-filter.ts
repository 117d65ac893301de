import type { WorkflowInterceptors } from '@temporalio/workflow';
import { sifted } from './messages.ts';

/** Temporal calls this for each workflow, since the worker bundles the module as an interceptor. */
export function interceptors(): WorkflowInterceptors {
  return {
    internals: [
      {
        activate({ activation, ...input }, next) {
          // The SDK takes the first job away if it begins the run, so that the array must stay the same.
          const jobs = activation.jobs ?? [];
          const left = sifted(jobs);
          if (left.length < jobs.length) jobs.splice(0, jobs.length, ...left);
          next({ activation, ...input });
        },
      },
    ],
  };
}
