export type { EffectSince } from './effects-since.js';
export { createLangGraphGuard, type LangGraphGuard, type LangGraphGuardOptions } from './guard.js';
export type { AnyTool } from './guarded-tool.js';
export type { ModelNode } from './model-node.js';
export type { GuardPause, PendingInterrupt, ToolQuestion } from './pauses.js';
export type { StateWithMessages } from './route.js';
export type { Config, Input, Invokable, Output, RunResult, RunStream, Streamable } from './run.js';
export type { ToolNodeOptions } from './tool-node.js';
