/** Model providers behind the Extractor port. VS Code's language models implement it in the extension, with the same prompt and reader. */
export { createAnthropicExtractor, type AnthropicOptions } from './anthropic.ts';
export { claudeArguments, createClaudeCodeExtractor, REENTRANCY, type ClaudeCodeOptions, type RunClaude } from './claudeCode.ts';
export { converse, type Exchange, type Piece } from './conversation.ts';
export { createPatience, failureOfCall, failureOfStatus } from './failures.ts';
export { DEFAULT_ANTHROPIC_MODEL } from './modelTable.ts';
export { createOpenAiExtractor, type OpenAiOptions } from './openAi.ts';
export { ANSWER_SCHEMA, estimatePromptTokens, promptOf, type Prompt } from './prompt.ts';
