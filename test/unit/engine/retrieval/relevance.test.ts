/** The relevance gate: what counts as spoken of, by the model's own scale for the question's script. */
import { describe, expect, it } from 'vitest';
import { calibrationOf } from '../../../../src/engine/retrieval/calibration.ts';
import type { Candidate } from '../../../../src/engine/retrieval/candidates.ts';
import { mostShown, relevantOf } from '../../../../src/engine/retrieval/relevance.ts';
import { sampleMemory } from '../../../support/builders.ts';

const near = (cosine: number, others: Partial<Candidate> = {}): Candidate => ({ memory: sampleMemory(), role: 'repository', cosine, ...others });
const shownFor = (question: string, ...candidates: Candidate[]): number => relevantOf(candidates, { threshold: 0.3, terms: 4, calibration: calibrationOf('english-multilingual-0', question) }).size;

describe('a question about nothing stored', () => {
  it('gets nothing, in Chinese as in English, where no memory is nearer than strangers are', () => {
    expect(shownFor('公司食堂周三吃什么', near(0.12), near(0.1))).toBe(0);
    expect(shownFor('what does the canteen serve on Wednesday', near(0.12), near(0.1))).toBe(0);
  });

  it('still gets the Chinese paraphrase that lies no nearer than an English stranger', () => {
    expect(shownFor('发布前要跑什么', near(0.14), near(0.12))).toBe(2);
    expect(shownFor('what is run before a release', near(0.14), near(0.12))).toBe(0);
  });

  it('gets the nearest three where it is hardly spoken of, and more where it is', () => {
    const flat = (cosine: number): Candidate[] => Array.from({ length: 8 }, () => near(cosine));
    expect(shownFor('what is run before a release', ...flat(0.16))).toBe(3);
    expect(shownFor('what is run before a release', ...flat(0.2))).toBe(8);
  });

  it('gets what holds its words, however far it is by meaning', () => {
    expect(shownFor('公司食堂周三吃什么', near(0.05, { coverage: 0.7, lexicalRank: 1 }))).toBe(1);
  });
});

describe('a question that nothing speaks of clearly', () => {
  const most = (terms: number, ...candidates: Candidate[]): number => mostShown(candidates, { threshold: 0.3, terms, calibration: calibrationOf('english-multilingual-0', 'qwerty') });

  it('gets three results at most where it is a word or two that nothing holds, ten otherwise', () => {
    expect(most(1, near(0.25), near(0.24))).toBe(3);
    expect(most(5, near(0.25), near(0.24))).toBe(10);
    expect(most(2, near(0.25, { coverage: 0.5, lexicalRank: 1 }))).toBe(10);
  });

  it('gets all where a memory is near, holds its words, or no model is there to say', () => {
    expect(most(1, near(0.5), near(0.24))).toBe(Infinity);
    expect(most(2, near(0.1), near(0.05, { coverage: 1, lexicalRank: 1 }))).toBe(Infinity);
    expect(most(1, { memory: sampleMemory(), role: 'repository', coverage: 0.3, lexicalRank: 1 })).toBe(Infinity);
  });
});

describe('a memory that holds every word of the question', () => {
  it('is shown first by words, though strangers stand far nearer by meaning', () => {
    const holder = near(0.05, { coverage: 1, lexicalRank: 1 });
    expect(relevantOf([near(0.5), near(0.5), holder], { threshold: 0.3, terms: 1, calibration: calibrationOf('english-multilingual-0', 'ПАРОЛЕЙ') }).has(holder)).toBe(true);
  });
});

describe('what a model reads', () => {
  const { reads } = calibrationOf('english-multilingual-0', '');
  it.each(['Deploy on Friday', '每周五发布', 'Ротация паролей', '배포 전에 확인', 'バックアップ', 'نسخ البيانات', 'สำรองข้อมูล', '42', 'C++ 17', 'uses 🚀 for releases', 'a हिन्दी word in an English sentence'])('is %j', (text) => {
    expect(reads(text)).toBe(true);
  });

  it.each(['', '?', '🎉', '%_\\', '\u200b', 'தமிழ் உரை', 'ខ្មែរ ភាសា', 'हिन्दी में लिखो', 'לגבות את מסד'])('is not %j', (text) => {
    expect(reads(text)).toBe(false);
  });

  it('is every script where the model is not known', () => {
    expect(calibrationOf('bge-m3-0', '').reads('தமிழ் உரை')).toBe(true);
    expect(calibrationOf('bge-m3-0', '').reads('?!')).toBe(false);
  });
});
