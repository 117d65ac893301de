/** The workflow types: what this module exports can be started by name. */
export { orchestration } from './orchestration.ts';
export { planAndExecute } from './plan-and-execute.ts';
export { research } from './research.ts';
export { session } from './session.ts';
