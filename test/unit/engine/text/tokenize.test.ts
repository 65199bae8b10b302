/** What becomes a token, and what a question asks for. */
import { describe, expect, it } from 'vitest';
import { indexTokens, queryTerms } from '../../../../src/engine/text/tokenize.ts';

const terms = (query: string): string[] => queryTerms(query).map(({ term }) => term);
const alternatives = (query: string, term: string): string[] => queryTerms(query).find((each) => each.term === term)?.alternatives.map((each) => each.term) ?? [];

describe('indexTokens', () => {
  it.each([
    ['C++ and C# and .NET and node.js', ['cplusplus', 'csharp', 'dotnet', 'nodejs', 'nod', 'js']],
    ['getUserId from user_id', ['getuserid', 'get', 'user', 'id', 'userid']],
    ['v1.2.3', ['v1_2_3', '1_2', '1_2_3']],
    ['src/engine/memoryStore.ts', ['src', 'engin', 'memorystor', 'memori', 'stor', 'ts']],
    ['gen-report后50条悬空', ['genreport', 'gen', 'report', '50', '悬空', '条悬', '悬', '空']],
    ['Café naïve', ['caf', 'naiv']],
    ['deploys deploying deployed', ['deploy']],
    ['ship 🚀 with 👍🏽 to 🇩🇪 for 5€', ['u1f680', 'u1f44d', 'u1f1e9u1f1ea', 'u20ac']],
    ['α/β', ['αβ', 'α', 'β']],
    ['והנתונים', ['נתונימ']],
    ['数据库连接池', ['数据', '据库', '连接', '接池', '数据库', '连接池']],
  ])('finds in %s', (text, expected) => {
    const tokens = indexTokens(text);
    for (const token of expected) expect(tokens).toContain(token);
  });

  it('gives letters, digits and underscores only, in every script', () => {
    for (const text of ['C++ a/b::c @x #y $z "q" (r) 1.5% -> <T>', 'תִּקּוּן مُحَمَّد पासवर्ड สำรองข้อมูล 배포 Ж ё Ω 数据库 データ が 🧑‍💻 ½ ﬁ']) {
      for (const token of indexTokens(text)) expect(token).toMatch(/^[\p{L}\p{N}_]+$/u);
    }
  });

  it('is empty for marks alone and bounded for endless words', () => {
    expect(indexTokens('!!! ??? — ←')).toEqual([]);
    for (const token of indexTokens('x'.repeat(5_000))) expect(token.length).toBeLessThanOrEqual(64);
  });
});

describe('queryTerms', () => {
  it('drops words that only ask, and keeps them when there is nothing else', () => {
    expect(terms('what is the retry limit')).toEqual(['retri', 'limit']);
    expect(terms('the of')).toEqual(['the', 'of']);
    expect(terms('什么是数据库')).toEqual(['数据', '据库']);
  });

  it('reads operators as words', () => {
    expect(terms('build AND NOT CMake')).toContain('build');
    expect(terms('NEAR(build, 2)')).toEqual(['build', '2']);
    expect(terms('"quoted" (bracketed) col:umn * ^')).not.toEqual([]);
  });

  it('asks for the words of the field that mean the same, across languages', () => {
    expect(alternatives('k8s', 'k8s')).toContain('kubernetes');
    expect(alternatives('db', 'db')).toEqual(expect.arrayContaining([indexTokens('database')[0], '数据库']));
    expect(alternatives('数据库', '数据')).toContain(indexTokens('database')[0]);
    expect(alternatives('pull request', 'pull')).toContain('pr');
    expect(alternatives('data base', indexTokens('data')[0] ?? '')).toContain(indexTokens('database')[0]);
  });

  it('marks only the word being typed as a beginning', () => {
    expect(queryTerms('session cac').map(({ prefix }) => prefix)).toEqual([false, true]);
    expect(queryTerms('session cache ').every(({ prefix }) => !prefix)).toBe(true);
  });

  it('asks for a compound of which one word is left as a whole, and for that word less', () => {
    for (const [query, whole, part] of [['go.mod', 'gomod', 'mod'], ['--no-cache', 'nocach', 'cach']] as const) {
      const [term] = queryTerms(query);
      expect(term?.term).toBe(whole);
      expect(term?.alternatives.find((each) => each.term === part)?.weight).toBeLessThan(1);
    }
  });

  it('asks for a bounded number of things, and at once, whatever the length of a Chinese text', () => {
    expect(queryTerms('数据库连接池最大值'.repeat(3_000)).length).toBeLessThanOrEqual(48);
    expect(queryTerms('数'.repeat(8_000)).map(({ term }) => term)).toEqual(['数数']);
  });

  it('stays bounded for a pasted page', () => {
    expect(queryTerms(Array.from({ length: 4_000 }, (_, i) => `word${i}`).join(' ')).length).toBeLessThanOrEqual(48);
  });
});
