/**
 * Blocks as Claude reads them: memories and a moment in, bytes out.
 */
import path from 'node:path';
import type { Memory, ProfileValue } from '../../../src/engine/model/memory.ts';
import { describeGoldenCases } from '../../support/golden.ts';
import { openInjectionBench } from '../../support/injectionBench.ts';

interface Case {
  readonly memories: readonly Partial<Memory>[];
  readonly profile?: readonly Pick<ProfileValue, 'key' | 'value'>[];
  readonly branch?: string;
  readonly prompt?: string;
  readonly path?: string;
}

describeGoldenCases('blocks given to Claude', path.join(import.meta.dirname), async (input) => {
  const { memories, profile = [], branch, prompt, path: file } = JSON.parse(input) as Case;
  const bench = await openInjectionBench({ otherProjects: async () => ['billing-api'] });
  try {
    // One moment apart, so that "latest" means the later line of the case.
    for (const memory of memories) {
      bench.clock.advance(1_000);
      await bench.add(memory);
    }
    for (const { key, value } of profile) await bench.user.write(async (writer) => writer.putProfileValue({ key, value, confidence: 1, memoryIds: [], updatedAt: 1, edited: true }));
    const view = branch === undefined ? {} : { branch };
    const block = await bench.injection.preview({ view, ...(prompt === undefined ? {} : { prompt }), ...(file === undefined ? {} : { path: file }) });
    return block.text === '' ? '(nothing)' : `${block.text}\n\n${block.tokens} tokens\n${block.items.map((item) => `${item.store} ${item.tokens} ${item.why}`).join('\n')}`;
  } finally {
    await bench.close();
  }
});

