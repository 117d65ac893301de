/** What refers to the answer of the question before: `there` (but not in `is there`), `its`, `of that region`. */
export const following =
  /(?<!\b(?:is|are|was|were) )\bthere\b|\b(?:its?|they|them|their)\b|\b(?:by|for|from|in|of|on|with) (?:that|this|those|these)\b/i;
