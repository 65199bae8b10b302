import { describe, expect, it } from 'vitest';
import { parseRemark, remarkProblem, suggestKind, suggestTags } from '../../../src/extension/remember/remark.ts';

describe('the line of why', () => {
  it.each([
    ['tokens rotate #auth !decision *8', { text: 'tokens rotate', tags: ['auth'], kind: 'decision', importance: 8 }],
    ['#db PostgreSQL it is !rule', { text: 'PostgreSQL it is', tags: ['db'], kind: 'rule' }],
    ['会话令牌每 12 小时轮换 #认证 !决定 *10', { text: '会话令牌每 12 小时轮换', tags: ['认证'], kind: 'decision', importance: 10 }],
    ['全角感叹号 ！规则', { text: '全角感叹号', tags: [], kind: 'rule' }],
    ['#A #a #a/b.', { text: '', tags: ['a', 'a/b'] }],
    ['!code-pattern wrap errors', { text: 'wrap errors', tags: [], kind: 'code_pattern' }],
    ['', { text: '', tags: [] }],
    ['   ', { text: '', tags: [] }],
  ])('reads marks out of "%s"', (input, expected) => {
    expect(parseRemark(input)).toEqual(expected);
  });

  it.each([
    'fixes issue #123', 'use C# here', 'never !important in css', 'a*8 is not a mark', '**bold** stays', '*11 is too much', '2 * 8 = 16 no', 'x!decision', 'mail a#b',
    'what! decision', '#', '!', '*',
  ])('leaves "%s" as text', (input) => {
    expect(parseRemark(input)).toEqual({ text: input.trim(), tags: [] });
  });

  it('takes the last of two kinds and of two importances', () => {
    expect(parseRemark('a !rule !fact *2 *9')).toEqual({ text: 'a', tags: [], kind: 'fact', importance: 9 });
  });

  it('says what it did not understand', () => {
    expect(remarkProblem('a *11')).toBe('importance');
    expect(remarkProblem('a !nonsense')).toBe('kind');
    expect(remarkProblem('a !rule *3 #x')).toBeUndefined();
  });

  it('suggests the tags in use that stand as words in the text or its place, at most three', () => {
    expect(suggestTags(['auth', 'db', 'to', 'session', 'orders'], 'Tokens go to the auth service src/auth/session.ts:4-6')).toEqual(['auth', 'to', 'session']);
    expect(suggestTags(['aut', 'token', '发布', '发'], '周五不发布 Tokens auth')).toEqual(['发布']);
    expect(suggestTags(['a', 'b', 'c', 'd'], 'a b c d')).toEqual(['a', 'b', 'c']);
    expect(suggestTags([], 'auth')).toEqual([]);
  });

  it('suggests a kind from plain words in both languages, and none otherwise', () => {
    expect(suggestKind('We decided on PostgreSQL')).toBe('decision');
    expect(suggestKind('不要提交生成的文件')).toBe('rule');
    expect(suggestKind('I prefer tabs')).toBe('preference');
    expect(suggestKind('the parser lives in src/parse')).toBeUndefined();
  });
});
