/** The workflow types: what this module exports can be started by name. */
export { orchestration } from './orchestration/workflow.ts';
export { planAndExecute } from './plan-and-execute/workflow.ts';
export { research } from './research/workflow.ts';
export { session } from './session/workflow.ts';
