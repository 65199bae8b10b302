/** What is left of a request to remember when its frame is gone. */
import { describe, expect, it } from 'vitest';
import { extractByRules } from '../../../../src/engine/extraction/rules/rulesExtractor.ts';
import { withoutFrame } from '../../../../src/engine/extraction/rules/frame.ts';

describe('the frame of a request to remember', () => {
  it.each([
    ['From now on always remember that we use pnpm, not npm.', 'we use pnpm, not npm.'],
    ['please remember: the staging database runs on port 5433', 'the staging database runs on port 5433'],
    ['Could you please remember that we use tabs', 'we use tabs'],
    ['I want you to remember that we use Postgres 16.', 'we use Postgres 16.'],
    ['Make a note that the API lives in src/api.', 'the API lives in src/api.'],
    ['Note to self: rotate the keys monthly.', 'rotate the keys monthly.'],
    ['Save this to memory: we use Biome for linting.', 'we use Biome for linting.'],
    ['Remember this for later: releases are cut from main', 'releases are cut from main'],
    ['Never forget that we use UTC', 'we use UTC'],
    ['请记住：我们用 pnpm，不用 npm。', '我们用 pnpm，不用 npm。'],
    ['从现在开始请记住我们用 PostgreSQL。', '我们用 PostgreSQL。'],
    ['帮我记住：数据库端口是 5433。', '数据库端口是 5433。'],
    ['麻烦记一下，接口在 src/api 目录。', '接口在 src/api 目录。'],
    ['别忘了我们统一用 UTC。', '我们统一用 UTC。'],
    ['把这个记住：日志用 pino。', '日志用 pino。'],
    ['记到记忆里：我们用 Biome 做 lint。', '我们用 Biome 做 lint。'],
  ])('is taken off: %s', (text, statement) => {
    expect(withoutFrame(text)).toBe(statement);
  });

  it.each([
    'Remember to run the tests before pushing', 'Remember how the cache works', 'Remember it', 'remember', '记住', 'We always use pnpm', 'From now on, we use pnpm.', 'Never forget to rotate the keys', 'The note field is optional', 'Notes live in docs/notes',
    '记得先跑测试', '我们用 pnpm', '以后都用 pnpm', 'Save the file to disk', 'Add memory limits to the pods',
  ])('is not seen where there is none: %s', (text) => {
    expect(withoutFrame(text)).toBe(text);
  });

  it('is not in what is extracted from a conversation', () => {
    const said = (text: string): string[] => extractByRules([{ sessionId: 's', messageId: 'm', blockIndex: 0, speaker: 'user', text, at: Date.parse('2026-03-01T09:00:00Z'), sidechain: false } as never]).map((statement) => statement.text);
    expect(said('From now on always remember that we use pnpm, not npm.')).toEqual(['we use pnpm, not npm.']);
    expect(said('I want you to remember that we use Postgres 16.')).toEqual(['we use Postgres 16.']);
    expect(said('从现在开始请记住我们用 PostgreSQL。')).toEqual(['我们用 PostgreSQL。']);
    expect(said('记到记忆里：我们用 Biome 做 lint。')).toEqual(['我们用 Biome 做 lint。']);
  });
});
