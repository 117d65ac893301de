/**
 * What a person sees of an agent's reasoning (xaibo's documentation, ReActOrchestrator, Visual Reasoning Indicators).
 * The marks stand as printed there.
 */

const shown = 200;
const start = (text: string): string => (text.length <= shown ? text : `${text.slice(0, shown)}...`);

export const indicators = {
  thinking: '🤔 **THINKING...**',
  thought: (text: string): string => `💭 **THOUGHT:** ${text}`,
  takingAction: '⚡ **TAKING ACTION...**',
  action: (text: string): string => `🔧 **ACTION:** ${text}`,
  executing: (tool: string, input: unknown): string =>
    `🛠️ **EXECUTING TOOL:** ${tool} with args: ${JSON.stringify(input, null, 2)}`,
  success: (tool: string, text: string): string => `✅ **TOOL SUCCESS:** ${tool} returned: ${start(text)}`,
  error: (tool: string, text: string): string => `❌ **TOOL ERROR:** ${tool} failed: ${text}`,
  exception: (tool: string, text: string): string => `💥 **TOOL EXCEPTION:** ${tool} threw: ${text}`,
  observing: '👁️ **OBSERVING RESULTS...**',
  observation: (text: string): string => `🔍 **OBSERVATION:** ${text}`,
  finalAnswer: (text: string): string => `✅ **FINAL ANSWER:** ${text}`,
  errorOccurred: (text: string): string => `⚠️ **ERROR OCCURRED:** ${text}`,
  maxIterations: '⏰ **MAX ITERATIONS REACHED:** Providing best answer with available information...',
} as const;
