/**
 * Cases that other memory tools failed on, asked through recall on a real store: query syntax,
 * scripts, long texts, corrections. Words alone answer here; a model only adds to it.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_TEXT_LENGTH } from '../../src/engine/model/memory.ts';
import { splitText } from '../../src/engine/text/split.ts';
import { cutText } from '../../src/engine/text/graphemes.ts';
import { openRecallBench, type RecallBench } from '../support/recallBench.ts';
import { createTemporaryFolder } from '../support/temporaryFolder.ts';

let bench: RecallBench;
beforeEach(async () => {
  bench = await openRecallBench(createTemporaryFolder('recall'));
});
afterEach(async () => {
  await bench.close();
});

describe('query syntax', () => {
  it('finds a prohibition in capitals by its own words', async () => {
    await bench.put('DO NOT USE FIND / on this machine, it hangs the NAS', 'use the finder to look for files', 'do not disturb');
    expect((await bench.texts('DO NOT USE FIND /'))[0]).toContain('hangs the NAS');
  });

  it('keeps C++, C#, .NET and node.js apart and reads operators as words', async () => {
    await bench.put('C++ build uses CMake presets', 'C# analyzers are errors', 'target .NET 8', 'node.js 20 only', 'C is used in the kernel module');
    expect((await bench.texts('C++'))[0]).toContain('CMake');
    expect((await bench.texts('C#'))[0]).toContain('analyzers');
    expect((await bench.texts('.NET'))[0]).toContain('target');
    expect((await bench.texts('node.js'))[0]).toContain('20 only');
    expect((await bench.texts('C'))[0]).toContain('kernel');
    expect((await bench.texts('NEAR(build, 2)'))[0]).toContain('CMake');
    expect((await bench.texts('build AND NOT CMake'))[0]).toContain('CMake');
  });

  it.each([
    ['transcripts are kept in ~/Downloads/transcripts', 'Downloads/transcripts'],
    ['grammar::fa simplify before minimise', 'grammar::fa'],
    ['set retries via RETRY_MAX', 'retry_max'],
    ['call loadUserProfile at start', 'loadUserProfile'],
    ['release 1.2.3 broke the proxy', '1.2.3'],
    ['use src/engine/storage for tables', 'engine/storage'],
    ['F# scripts live in tools/fsx', 'f#'],
    ['ASP.NET Core serves the admin site', 'asp.net'],
    ['g++ 13 breaks the LTO build', 'g++'],
    ['the Go toolchain is pinned in go.mod', 'go.mod'],
    ['the flag --no-cache must be passed to docker build', '--no-cache'],
    ['see https://wiki.example.com/a/b?page=3&x=y#frag for the runbook', 'https://wiki.example.com/a/b?page=3&x=y#frag'],
    ['C:\\Users\\dev\\app is the checkout', 'C:/Users/dev/app'],
    ['foo_bar__baz and __init__.py matter', '__init__.py'],
    ['@scope/package-name is private', '@scope/package-name'],
    ['SELECT * FROM users WHERE id = ? is logged', 'SELECT * FROM users WHERE id = ?'],
    ['the regex ^[a-z]+(-[a-z]+)*$ validates slugs', '^[a-z]+(-[a-z]+)*$ regex'],
    ['O\'Brien reviews the billing code', 'o’brien'],
    ['the IPv6 address ::1 is blocked by the firewall', '::1'],
  ])('finds "%s" by %s', async (text, query) => {
    await bench.put(text, 'something else entirely', 'another unrelated statement about colours', 'redis holds the session cache in dark mode');
    expect((await bench.texts(query))[0]).toBe(text);
  });

  it('understands an apostrophe in a plain question', async () => {
    await bench.put('do not use sub-agents for migrations', 'agents of the insurance company call on Mondays', 'use tabs');
    expect((await bench.texts("don't use agents")).slice(0, 3)).toContain('do not use sub-agents for migrations');
  });

  it.each([['eror handling', 'Return explicit error tuples'], ['typscript strict', 'TypeScript runs in strict mode'], ['typsecript settings', 'TypeScript runs in strict mode'], ['Reedis eviction', 'Redis evicts the oldest key'], ['kubernetis', 'Kubernetes runs on three nodes']])('understands the mistyped "%s"', async (query, text) => {
    await bench.put('Return explicit error tuples', 'TypeScript runs in strict mode', 'Redis evicts the oldest key', 'Kubernetes runs on three nodes', 'Buttons are blue');
    expect((await bench.texts(query))[0]).toBe(text);
  });

  it('never "corrects" a word that is held, nor a short one', async () => {
    await bench.put('k9s shows the pods', 'k8s runs on three nodes', 'the cart holds forty articles', 'the card is declined');
    expect(await bench.texts('k9s')).toEqual(['k9s shows the pods']);
    expect((await bench.texts('cart'))[0]).toContain('articles');
    expect(await bench.texts('card')).toEqual(['the card is declined']);
    expect(await bench.texts('k7s')).toEqual([]);
  });

  it('ranks the exact word above words that begin like it', async () => {
    await bench.put('redistool redisproxy redisgate redisplay', 'redis alpha holds the session cache');
    expect((await bench.texts('redis'))[0]).toContain('alpha');
  });

  it.each(['"', "'", '(', ')', '*', 'a*', '^', 'col:umn', '-', '--', 'OR', 'AND NOT', 'NEAR(', '{', '\\', '%', ';DROP TABLE memory', '\u0000', '🚀', '   ', 'x'.repeat(20_000), '\uD83D'])('never fails on %j', async (query) => {
    await bench.put('a statement');
    await expect(bench.recall(query)).resolves.toHaveProperty('results');
  });
});

describe('scripts', () => {
  it.each([
    ['תִּקּוּן הבאג בשרת', 'תקון'],
    ['مُحَمَّد مسؤول عن النشر', 'محمد'],
    ['步骤2 重跑gen-report后50条悬空记录清零', 'report'],
    ['步骤2 重跑gen-report后50条悬空记录清零', 'gen-report'],
    ['步骤2 重跑gen-report后50条悬空记录清零', '悬空'],
    ['步骤2 重跑gen-report后50条悬空记录清零', '清零'],
    ['배포 전에 스테이징 확인', '스테이징'],
    ['배포 전에 스테이징 확인', '스테이징을'],
    ['Ротация паролей раз в квартал', 'паролей'],
    ['Ротация паролей раз в квартал', 'ротации'],
    ['Ο κωδικός λήγει τον Μάιο', 'κωδικος'],
    ['نسخ قاعدة البيانات كل ليلة', 'قاعدة'],
    ['לגבות את מסד הנתונים', 'מסד'],
    ['สำรองข้อมูลทุกคืน', 'ข้อมูล'],
    ['पासवर्ड हर तिमाही बदलें', 'पासवर्ड'],
    ['Größe des Übergabepuffers', 'grosse'],
    ['資料庫備份每晚兩點執行', '数据备份'],
    ['资料库备份每晚两点执行', '資料庫備份'],
    ['日誌級別預設為警告', '日志级别'],
    ['והנתונים נשמרים בענן', 'נתונים'],
    ['テストはステージングで実行する', 'ﾃｽﾄ'],
    ['がぎぐげごの正規化', 'か\u3099ぎ'],
    ['ＦＵＬＬ width ＡＰＩ２ tokens appear', 'api2'],
    ['İstanbul office uses UTC+3', 'istanbul'],
    ['Straße names keep the letter', 'STRASSE'],
    ['Ёлка включается в декабре', 'елка'],
    ['أحمد يراجع الإصدارات', 'احمد'],
    ['தமிழ் மொழிபெயர்ப்பு தேவை', 'மொழிபெயர்ப்பு'],
    ['ქართული კლავიატურა საჭიროა', 'კლავიატურა'],
    ['zero\u200Bwidth spaces broke the parser', 'zerowidth'],
    ['H₂O sensors report in ﬁxed steps', 'h2o fixed'],
    ['releases are announced with 🚀 in the title', '🚀'],
    ['👍🏽 means approved', '👍'],
    ['🇩🇪 marks the region', '🇩🇪'],
    ['a seat costs 5 €', '€'],
    ['α/β testing is off', 'β'],
  ])('finds "%s" by %s', async (text, query) => {
    await bench.put('배포 후에 로그 확인', 'Очистка логов раз в день', 'Ο χρήστης λήγει', 'نشر كل صباح', 'לבדוק את השרת', 'ตรวจสอบทุกวัน', '日志每天清理一次', 'हर दिन जाँच', text);
    expect((await bench.texts(query))[0]).toBe(text);
  });

  it('finds parts and paraphrases of a Chinese statement among others', async () => {
    const target = '数据库连接池最大值设为二十';
    await bench.put(target, '日志保留三十天', '前端用两个空格缩进', '每周一发布', '缓存十分钟过期', '密码每季度更换', '接口返回蛇形命名', '图片放在对象存储', '测试先于合并', '部署由流水线完成');
    for (const query of ['连接', '连接池', '数据库的连接池最大多少']) expect((await bench.texts(query)).slice(0, 3)).toContain(target);
  });

  it('keeps an emoji whole at every limit', async () => {
    for (const limit of [MAX_TEXT_LENGTH - 1, MAX_TEXT_LENGTH, MAX_TEXT_LENGTH + 1]) {
      const text = cutText(`${'x '.repeat(limit / 2 - 1)}🧑‍💻 tail`, MAX_TEXT_LENGTH);
      expect(text.length).toBeLessThanOrEqual(MAX_TEXT_LENGTH);
      const [memory] = await bench.put(text);
      const stored = await bench.store.getMemory(memory?.id ?? '');
      expect(stored?.text.isWellFormed()).toBe(true);
      expect(stored?.text).not.toContain('\uFFFD');
    }
  });
});

describe('long texts', () => {
  it('finds the last sentence of a text of 12,000 characters and shows it', async () => {
    const notes = Array.from({ length: 190 }, (_, i) => `Build note ${i}: stage ${i % 7} compiled module ${i * 13} without a warning.`).join(' ');
    const long = `${notes.slice(0, 11_950)} the staging bucket is named quartz-otter`;
    await bench.put(...splitText(long, MAX_TEXT_LENGTH), ...Array.from({ length: 50 }, (_, i) => `Service ${i} keeps its staging logs for ${i + 3} days and its name in a label.`));
    const { results } = await bench.recall('name of the staging bucket');
    const hit = results.slice(0, 3).find(({ memory }) => memory.text.includes('quartz-otter'));
    expect(hit).toBeDefined();
    expect(hit?.excerpt ?? hit?.memory.text).toContain('quartz-otter');
  });
});

describe('corrections', () => {
  it('puts a linked correction above what it corrects, though the words of the old one match better', async () => {
    const [wrong] = await bench.put({ text: 'The retry limit of the payment worker is 3 retries (retry limit)' });
    await bench.put({ text: 'Correction: it is 5, not 3. The limit was raised.', supersedes: [wrong?.id ?? ''] });
    const texts = await bench.texts('retry limit of the payment worker');
    expect(texts[0]).toContain('Correction');
  });

  it('answers with the successor when only the superseded memory matches', async () => {
    const [old] = await bench.put('The retry limit of the payment worker is 3 retries');
    const [now] = await bench.put({ text: 'Correction: it is 5, not 3.', supersedes: [old?.id ?? ''] });
    await bench.store.write(async (writer) => {
      const memory = await writer.getMemory(old?.id ?? '');
      if (memory !== undefined) await writer.replaceMemory({ ...memory, status: 'superseded', supersededBy: now?.id ?? '', version: 2 }, undefined, { changeId: '01JNA000000000000000000C01', verb: 'supersede', at: 1, actor: { surface: 'cli' }, actId: '01JNA000000000000000000C02' });
    });
    const { results } = await bench.recall('retry limit of the payment worker');
    expect(results.map(({ memory }) => memory.text)).toEqual(['Correction: it is 5, not 3.']);
    expect(results[0]?.explain.visibleBecause).toContain(old?.id ?? 'x');
  });

  it('puts the newer statement of one subject first, and leaves other subjects alone', async () => {
    const day = 86_400_000;
    const at = (days: number) => ({ createdAt: days * day, validFrom: days * day });
    await bench.put({ text: 'The main database of the shop is MySQL, the database runs on two nodes', ...at(10) }, { text: 'The main database of the shop is PostgreSQL now', ...at(40) });
    expect((await bench.texts('main database of the shop'))[0]).toContain('PostgreSQL');
    await bench.put({ text: 'Port of the billing service is 4000', ...at(10) }, { text: 'Port of the mailing service is 5000', ...at(50) });
    expect((await bench.texts('port of the billing service'))[0]).toContain('4000');
  });

  it('does not let a trivial old note into the head for a weak match', async () => {
    await bench.put({ text: 'lunch was good at the corner', importance: 1, createdAt: 0, validFrom: 0 }, ...Array.from({ length: 20 }, (_, i) => `Decision ${i}: the corner radius of dialog ${i} is ${i} pixels`));
    expect((await bench.texts('corner radius of the dialog')).slice(0, 5)).not.toContain('lunch was good at the corner');
  });
});
