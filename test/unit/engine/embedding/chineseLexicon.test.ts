/** The lexicon that lets an English encoder read Chinese: its rules on a small one, its words on the one that ships. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createChineseLexicon, isChinese } from '../../../../src/engine/embedding/bundled/chineseLexicon.ts';
import { repositoryDirectory } from '../../../support/program.ts';

const small = createChineseLexicon(() => ['数\t12\tnumber', '数据\t11\tdata', '数据库\t14\tdatabase', '据\t13\taccording to', '用\t8\tuse', '的\t5\t', '里\t9\tin'].sort().join('\n'));

describe('a Chinese lexicon', () => {
  it('reads the words of least rarity in sum, here the longest', () => {
    expect(small.inEnglish('用数据库')).toBe('use database');
    expect(small.inEnglish('数据的数')).toBe('data number');
  });

  it('leaves out what means nothing and what it does not know', () => {
    expect(small.inEnglish('的')).toBe('');
    expect(small.inEnglish('龘数据龘')).toBe('data');
  });

  it('keeps other scripts in their place and writes Chinese marks as English ones', () => {
    expect(small.inEnglish('用 PostgreSQL 16，数据库里的 orders。')).toBe('use PostgreSQL 16, database in orders.');
    expect(small.inEnglish('Use «数据».')).toBe('Use « data ».');
  });

  it('reads a number with its unit as digits, and no other word that looks like one', () => {
    const numbers = createChineseLexicon(() => ['一\t8\tone', '三\t8\tthree', '分\t9\tminute', '千万\t12\tbe sure', '万一\t12\tin case', '十分\t10\tvery', '双十二\t17\tDecember sales', '十一点\t17\televen o\'clock', '秒\t9\tsecond'].sort().join('\n'));
    const read = { 三十秒: '30 second', 十二分: '12 minute', 一百二十秒: '120 second', 两万五千零三: '25003', 三万一: '30001', 三秒: 'three second', 兩萬秒: '20000 second', 千万: 'be sure', 万一: 'in case', 十分: 'very', 双十二: 'December sales', 十一点: 'eleven o\'clock' };
    for (const [chinese, english] of Object.entries(read)) expect(numbers.inEnglish(chinese)).toBe(english);
  });

  it('says a doubled word once', () => {
    expect(small.inEnglish('用用数据')).toBe('use data');
  });

  it('reads traditional characters as simplified ones', () => {
    expect(small.inEnglish('用數據庫')).toBe('use database');
  });

  it('returns a text without Chinese as it is, and Japanese too', () => {
    for (const text of ['plain  English,  with  blanks', '', 'только русский', '設定は数据にある']) expect(small.inEnglish(text)).toBe(text);
    expect([isChinese('数据'), isChinese('数据の'), isChinese('data')]).toEqual([true, false, false]);
  });

  it('reads its words at the first Chinese text, and once', () => {
    let reads = 0;
    const lexicon = createChineseLexicon(() => {
      reads += 1;
      return '数据\t11\tdata';
    });
    lexicon.inEnglish('English alone');
    expect(reads).toBe(0);
    expect([lexicon.inEnglish('数据'), lexicon.inEnglish('数据、数据')]).toEqual(['data', 'data, data']);
    expect(reads).toBe(1);
  });

  it('reads nothing from an empty file', () => {
    expect(createChineseLexicon(() => '').inEnglish('用数据 now')).toBe('now');
  });
});

describe('the lexicon that ships', () => {
  const lines = fs.readFileSync(path.join(repositoryDirectory, 'media/models/all-minilm-l6-v2/chinese.txt'), 'utf8').trimEnd().split('\n');
  const shipped = createChineseLexicon(() => lines.join('\n'));

  it('is sorted, each word once, each with a cost', () => {
    const words = lines.map((line) => line.split('\t')[0] ?? '');
    expect(words.findIndex((word, i) => i > 0 && word <= (words[i - 1] ?? ''))).toBe(-1);
    expect(lines.filter((line) => !/^\p{Script=Han}{1,6}\t\d{1,2}\t[^\t]*$/u.test(line))).toEqual([]);
  });

  it('finds nearly every one of its words whole', () => {
    const sample = lines.filter((_line, i) => i % 40 === 0).map((line) => line.split('\t'));
    const found = sample.filter(([word = '', , meaning]) => shipped.inEnglish(word) === meaning);
    // Not those that are rarer than their parts together, nor old forms of characters.
    expect(found.length / sample.length).toBeGreaterThan(0.97);
  });

  it('knows the meanings of the field before those of daily life', () => {
    expect(shipped.inEnglish('后端部署失败时回滚到旧版本')).toBe('backend deploy fail when roll back to old version');
    expect(shipped.inEnglish('缓存里的令牌什么时候过期')).toBe('cache in token when expire');
    expect(shipped.inEnglish('单测里把外部接口都打桩')).toBe('unit test in external API all stub');
  });

  it('says what cannot be done, and which trade a word is of', () => {
    expect(shipped.inEnglish('数据库连不上，服务跑不起来')).toBe('database cannot connect, service cannot run');
    expect(shipped.inEnglish('电子面单打印不出来')).toBe('shipping label cannot print');
    expect(shipped.inEnglish('发票冲红、处方审核、渗透测试')).toBe('invoice red letter reversal, prescription review, penetration test');
  });

  it('names a place by its name, not by the province around it', () => {
    expect(shipped.inEnglish('深圳、绍兴、石首')).toBe('Shenzhen, Shaoxing, Shishou');
  });
});
