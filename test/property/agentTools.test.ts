/**
 * The tools as a model sees them against the operations they become: whatever a tool's schema allows, the operation's
 * own schema takes.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOOLS, type Call } from '../../src/operations/agentTools.ts';
import { OPERATIONS } from '../../src/operations/index.ts';

interface Schema {
  readonly type: 'string' | 'integer' | 'boolean' | 'array' | 'object';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'string': return schema.enum === undefined ? fc.string({ minLength: 1, maxLength: 40 }).filter((text) => text.trim() !== '') : fc.constantFrom(...schema.enum);
    case 'integer': return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000 });
    case 'boolean': return fc.boolean();
    case 'array': return fc.array(valuesOf(schema.items ?? { type: 'string' }), { minLength: 1, maxLength: 5 });
    case 'object': return fc.record(Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, property]) => [name, valuesOf(property)])), { requiredKeys: [...(schema.required ?? [])] });
  }
}

/** Notes what the operation's schema says of each input, and ends the tool there: answers are other tests' business. */
class Noted extends Error {}

async function callsOf(tool: (typeof TOOLS)[number], args: Record<string, unknown>): Promise<{ operation: string; problem: string | undefined }[]> {
  const calls: { operation: string; problem: string | undefined }[] = [];
  const call: Call = async <T>(operation: string, input: unknown) => {
    const parsed = OPERATIONS.get(operation)?.input.safeParse(input);
    calls.push({ operation, problem: parsed === undefined ? 'no such operation' : parsed.success ? undefined : JSON.stringify(parsed.error.issues) });
    if (operation === 'personAsked') return { asked: true } as T;
    throw new Noted();
  };
  await tool.run(call, args, { profileGiven: true }).catch((error: unknown) => {
    if (!(error instanceof Noted)) throw error;
  });
  return calls;
}

describe('what the schema of a tool allows', () => {
  it.each(TOOLS.map((tool) => [tool.name, tool] as const))('the operation behind %s takes (seed 20261130)', async (_name, tool) => {
    await fc.assert(fc.asyncProperty(valuesOf(tool.inputSchema as Schema), async (args) => {
      const calls = await callsOf(tool, args as Record<string, unknown>);
      expect(calls).not.toEqual([]);
      expect(calls.filter(({ problem }) => problem !== undefined)).toEqual([]);
    }), { seed: 20_261_130, numRuns: 200 });
  });

  it('asks whether the person asked before it keeps something, and takes it as unasked where nobody saw the call', async () => {
    const remember = TOOLS.find(({ name }) => name === 'remember');
    const inputs: unknown[] = [];
    const call: Call = async <T>(operation: string, input: unknown) => {
      inputs.push([operation, input]);
      return (operation === 'personAsked' ? { asked: true } : { outcome: 'added', id: 'm', relatedIds: [], redactions: [] }) as T;
    };
    await remember?.run(call, { text: 'x' }, { profileGiven: true });
    await remember?.run(call, { text: 'x' }, { profileGiven: true, isShown: () => false });
    expect(inputs).toEqual([['personAsked', { text: 'x', prompts: [] }], ['remember', { text: 'x', asked: true }], ['remember', { text: 'x', asked: false }]]);
  });
});
