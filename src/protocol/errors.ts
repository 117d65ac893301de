/** Types of the failures by which runs, turns and calls end; `ApplicationFailure.type` holds them. */
export const failureTypes = {
  /** What a run was started with cannot be used: nothing was spent. */
  invalidInput: 'InvalidInput',
  /** No agent of a team has answered in any attempt; the message has every agent's reason. */
  noAnswer: 'NoAnswer',
  /** The planner's model failed before there was any plan. */
  noPlan: 'NoPlan',
  /** The critic gave no score, and `on_missing_score` is `fail`. */
  noScore: 'NoScore',
  /** The budget does not allow another call. Runs catch it, and deliver the best that they have. */
  budgetSpent: 'BudgetSpent',
  /** The model of a session's agent failed for good; the conversation is as it was before the turn. */
  turnFailed: 'TurnFailed',
  /** A custom orchestrator threw, was not done in time or gave no answer; the message names its file. */
  orchestratorFailed: 'OrchestratorFailed',
} as const;
