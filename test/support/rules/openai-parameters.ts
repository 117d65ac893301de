const words = (text: string): string[] => text.trim().split(/\s+/);

/** https://platform.openai.com/docs/api-reference/chat/create */
export const chatParameters = words(`
  model messages tools tool_choice parallel_tool_calls temperature top_p max_tokens max_completion_tokens
  reasoning_effort verbosity stream stream_options stop seed n store response_format presence_penalty frequency_penalty
  logit_bias logprobs top_logprobs user metadata modalities prediction prompt_cache_key prompt_cache_options
  prompt_cache_retention safety_identifier service_tier web_search_options
`);

/** https://platform.openai.com/docs/api-reference/responses/create */
export const responsesParameters = words(`
  model input instructions tools tool_choice parallel_tool_calls max_tool_calls temperature top_p top_logprobs
  max_output_tokens reasoning include store stream stream_options text background context_management conversation
  metadata previous_response_id prompt truncation prompt_cache_key prompt_cache_options prompt_cache_retention
  safety_identifier service_tier user
`);
