/** A scripted model endpoint for one test; gone when the test ends. */
import { onTestFinished } from 'vitest';
import { openScriptedEndpoint, type ModelScript, type ScriptedEndpoint } from './scriptedEndpoint.ts';

export type { ModelScript } from './scriptedEndpoint.ts';

export async function startScriptedModel(kind: 'openai' | 'anthropic', scripts: readonly ModelScript[]): Promise<Pick<ScriptedEndpoint, 'url' | 'bodies'>> {
  const endpoint = await openScriptedEndpoint(kind, scripts);
  onTestFinished(() => endpoint.close());
  return endpoint;
}
