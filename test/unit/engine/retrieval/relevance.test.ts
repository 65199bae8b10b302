/** The relevance gate: what counts as spoken of, by the model's own scale for the question's script. */
import { describe, expect, it } from 'vitest';
import { calibrationOf } from '../../../../src/engine/retrieval/calibration.ts';
import type { Candidate } from '../../../../src/engine/retrieval/candidates.ts';
import { relevantOf } from '../../../../src/engine/retrieval/relevance.ts';
import { sampleMemory } from '../../../support/builders.ts';

const near = (cosine: number, others: Partial<Candidate> = {}): Candidate => ({ memory: sampleMemory(), role: 'repository', cosine, ...others });
const shownFor = (question: string, ...candidates: Candidate[]): number => relevantOf(candidates, { threshold: 0.3, terms: 4, calibration: calibrationOf('english-multilingual-0', question) }).size;

describe('a question about nothing stored', () => {
  it('gets nothing, in Chinese as in English, where no memory is nearer than strangers are', () => {
    expect(shownFor('公司食堂周三吃什么', near(0.12), near(0.1))).toBe(0);
    expect(shownFor('what does the canteen serve on Wednesday', near(0.12), near(0.1))).toBe(0);
  });

  it('still gets the Chinese paraphrase that lies no nearer than an English stranger', () => {
    expect(shownFor('发布前要跑什么', near(0.15), near(0.12))).toBe(2);
    expect(shownFor('what is run before a release', near(0.15), near(0.12))).toBe(0);
  });

  it('gets what holds its words, however far it is by meaning', () => {
    expect(shownFor('公司食堂周三吃什么', near(0.05, { coverage: 0.7, lexicalRank: 1 }))).toBe(1);
  });
});
