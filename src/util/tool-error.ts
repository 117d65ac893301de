/** A failure that a tool foresaw and reports. Users' tools throw an error of their own with this name. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
