/**
 * What a new statement means for the stored ones: replaced, merged, doubled, opposed, or untouched.
 */
import { describe, expect, it } from 'vitest';
import { consolidate, type Decision } from '../../../../src/engine/extraction/consolidate.ts';
import type { Memory } from '../../../../src/engine/model/memory.ts';
import { SAMPLE_TIME, sampleMemory } from '../../../support/builders.ts';

const DAY = 86_400_000;
const stored = (text: string, changes: Partial<Memory> = {}): Memory => sampleMemory({ text, validFrom: SAMPLE_TIME, ...changes });
type Extra = Partial<Parameters<typeof consolidate>[0]>;
const decide = (said: string, memories: readonly Memory[], extra: Extra = {}): Decision =>
  consolidate({ text: said, scope: { level: 'repository' }, untrusted: false, provenance: { saidAt: SAMPLE_TIME + 21 * DAY }, ...extra }, memories.map((memory) => ({ memory })), SAMPLE_TIME + 21 * DAY);
const outcome = (before: string, said: string, extra: Extra = {}): string => decide(said, [stored(before)], extra).outcome;

describe('a correction', () => {
  it.each(['actually Tuesday', 'correction: Tuesday', 'not Friday any more, Tuesday', 'scratch that, Tuesday', 'we changed our mind about Friday deploys: Tuesday', 'replaced Friday deploys by Tuesday'])('"%s" replaces the weekday and stands alone (case A48)', (said) => {
    expect(decide(said, [stored('deploys go out on Friday')])).toMatchObject({ outcome: 'supersede', mergedText: 'deploys go out on Tuesday' });
  });

  it('"no longer Friday" replaces it too, and keeps what it was about (case A48)', () => {
    expect(decide('no longer Friday', [stored('deploys go out on Friday')])).toMatchObject({ outcome: 'supersede', mergedText: 'no longer Friday (before: "deploys go out on Friday")' });
  });

  it.each(['the retro is on Tuesday', 'deploys also go out on Tuesday', 'we have lunch on Friday', 'deploys need a green build'])('is not what "%s" is (case A48, controls)', (said) => {
    expect(outcome('deploys go out on Friday', said)).toBe('add');
  });

  it('of a number that names the old one replaces what it is about (case A53)', () => {
    expect(decide('Correction: it is 5, not 3.', [stored('The retry limit of the payment worker is 3 retries (retry limit)'), stored('The worker runs in Frankfurt')])).toMatchObject({ outcome: 'supersede', mergedText: 'The retry limit of the payment worker is 5 retries (retry limit)' });
  });
});

describe('a newer value of the same subject replaces the older', () => {
  it.each([
    ['We love Prisma, use it everywhere.', 'We hate Prisma now, use Drizzle.'], // A49
    ['Postgres is our DB', 'moved everything over to CockroachDB, Postgres is gone'], // A50
    ['port 3000', 'port 4000'], // A52
    ['The dev server runs on port 3000', 'dev server runs on port 4000 now'],
    ['We decided on MySQL', 'We decided on PostgreSQL, not MySQL, because of the jsonb indexes.'],
    ['use npm in this repo', 'From now on use pnpm for everything in this repo, npm keeps breaking the lockfile.'],
    ['The API needs Node 20', 'The API needs Node 22'],
    ['Robin owns the billing module', 'Sam owns the billing module'],
    ['The billing service is written in Go', 'The billing service is written in Rust'],
    ['Use tabs for indentation', 'Use spaces for indentation'],
    ['Use semicolons', 'Do not use semicolons'],
    ['Indent with two spaces, not tabs.', 'Indent with tabs after all.'],
    ['Prefer Yarn for scripts.', 'Prefer npm for scripts after all.'],
    ['我们用 MySQL', '我们决定用 PostgreSQL，不用 MySQL。'],
    ['测试环境的端口是 8420', '测试环境的端口是 8421'],
    ['我们每周三发版', '更正一下：发版改到周二，不是周三。'],
    ['以后都用 npm', '以后都用 pnpm'],
  ])('"%s" gives way to "%s"', (before, said) => {
    expect(outcome(before, said)).toBe('supersede');
  });

  it('by the time it was said: what was said earlier and arrives later is history', () => {
    const late = decide('port 3000', [stored('port 4000')], { provenance: { saidAt: SAMPLE_TIME - DAY } });
    expect(late.outcome).toBe('archive');
  });

  it('but not in another scope, and not for a temporary exception', () => {
    expect(outcome('port 3000', 'port 4000', { scope: { level: 'branch', branch: 'fix' } })).toBe('add');
    expect(outcome('Use port 3000', 'Use port 3001 until the release', { temporary: true })).toBe('add');
  });
});

describe('a statement that says it is past', () => {
  const past = 'Previously used Mocha for unit tests. Replaced by Vitest.';

  it('gives way to what replaced it', () => {
    expect(outcome(past, 'Uses Vitest for all tests.')).toBe('supersede');
    expect(outcome('以前用 webpack 打包，后来换成了 Vite', '打包用 Vite')).toBe('supersede');
  });

  it('becomes history at once where what replaced it is known already', () => {
    expect(outcome('Uses Vitest for all tests.', past)).toBe('archive');
  });

  it('forms a chain with others of its kind, and leaves strangers alone', () => {
    expect(outcome(past, 'Switched from Mocha to Vitest. Later replaced by node:test.')).toBe('supersede');
    expect(outcome(past, 'Uses Playwright for browser tests.')).toBe('add');
  });
});

describe('what holds for a while', () => {
  it.each([
    ['The API listens on 8080', 'the API listens on 9090 until the firewall is fixed'],
    ['Use Postgres 16', 'use Postgres 15 for this experiment'],
    ['发布需要两个人批准', '这次发布需要一个人批准'],
  ])('"%s" is not replaced by "%s"', (before, said) => {
    expect(outcome(before, said)).toBe('add');
  });
});

describe('one slot filled anew, whatever fills it', () => {
  it.each([
    ['Anna is the product owner', 'Ben took over as product owner from Anna'],
    ['Our staging URL is https://staging.example.com', 'staging moved to https://stage.example.dev'],
    ['Sessions expire after 30 minutes', 'Sessions expire after 8 hours'],
    ['We use GitHub', 'that is outdated, we moved to GitLab'],
    ['The lead is Tom', 'Tom left, the lead is now Eva'],
    ['The public docs use Docusaurus', 'the public docs switched to Starlight'],
    ['主分支叫 master', '主分支改名叫 main 了'],
    ['产品负责人是小王', '产品负责人换成小李了'],
    ['缩进用两个空格', '缩进用四个空格'],
  ])('"%s" gives way to "%s"', (before, said) => {
    expect(outcome(before, said)).toBe('supersede');
  });

  it.each([
    ['Mail is sent through SES', 'SMS are sent through Twilio'],
    ['Use Redux for global state', "don't use Redux for form state"],
    ['Staging deploys from develop', 'Production deploys from main'],
    ['支付接口超时 5 秒', '搜索接口超时 2 秒'],
  ])('"%s" stays beside "%s"', (before, said) => {
    expect(outcome(before, said)).toBe('add');
  });
});

describe('both stay true', () => {
  it.each([
    ['Backend uses Postgres', 'Analytics uses ClickHouse'],
    ['We use Postgres for the backend', 'Analytics uses ClickHouse'],
    ['We use Redis', 'We use Kafka'],
    ['The port of the billing service is 4001', 'The port of the auth service is 4002'],
    ['The port of the billing service is 4001', 'The port of the auth service is 4001'],
    ['The billing service is written in Go', 'The auth service is written in Go'],
    ['Postgres listens on 5433 locally', 'moved everything over to CockroachDB, Postgres is gone'],
    ['Retry three times', 'Log in UTC'],
  ])('"%s" beside "%s"', (before, said) => {
    expect(outcome(before, said)).toBe('add');
  });
});

describe('the same said again', () => {
  it('in the same words is a duplicate, whatever case and quotes', () => {
    expect(outcome('Use pnpm, not npm.', 'use pnpm, not npm')).toBe('duplicate');
  });

  it('reworded is merged', () => {
    expect(outcome('Use pnpm, not npm, in this repository.', 'Please use pnpm and not npm')).toBe('merge');
  });

  it('keeps the exception, whichever came first (case A51)', () => {
    expect(decide('Refunds need manager approval', [stored('Refunds need manager approval, except orders below 20 EUR')])).toEqual({ outcome: 'merge', targetId: expect.any(String), why: expect.any(String) });
    expect(decide('Refunds need manager approval, except orders below 20 EUR', [stored('Refunds need manager approval')])).toMatchObject({ outcome: 'revise', mergedText: 'Refunds need manager approval, except orders below 20 EUR' });
  });

  it('is never assumed when a number, a version or a "not" differs, however near the vectors are', () => {
    const near = (before: string, said: string): string => consolidate({ text: said, scope: { level: 'repository' }, untrusted: false, provenance: { saidAt: SAMPLE_TIME + DAY } }, [{ memory: stored(before), cosine: 0.995 }], SAMPLE_TIME + DAY).outcome;
    for (const [before, said] of [['Keep backups for 30 days', 'Keep backups for 90 days'], ['The client needs version 2.1.0', 'The client needs version 2.1.1'], ['Logs may hold user ids', 'Logs may not hold user ids']] as const) expect(near(before, said)).not.toMatch(/merge|revise|duplicate/);
  });
});

describe('the same words in another order', () => {
  it.each([
    ['The gateway calls the billing service', 'The billing service calls the gateway'],
    ['The gateway calls the billing service', 'The gateway is called by the billing service'],
    ['Export jobs run before import jobs', 'Import jobs run before export jobs'],
    ['The worker uses the scheduler', 'The scheduler uses the worker'],
    ['Copy settings from staging to production', 'Copy settings from production to staging'],
    ['MySQL is faster than PostgreSQL for our reads', 'PostgreSQL is faster than MySQL for our reads'],
    ['Use REST for public APIs and gRPC for internal APIs', 'Use gRPC for public APIs and REST for internal APIs'],
    ['Port 3000 is the web app and port 4000 is the API', 'Port 4000 is the web app and port 3000 is the API'],
    ['Never import server code from client code', 'Never import client code from server code'],
    ['订单服务调用库存服务', '库存服务调用订单服务'],
    ['从测试库同步到生产库', '从生产库同步到测试库'],
    ['环境变量优先于配置文件', '配置文件优先于环境变量'],
  ])('"%s" stays beside "%s", which is another statement', (before, said) => {
    expect(outcome(before, said)).toBe('add');
  });

  it.each([
    ['We use Redis for caching', 'For caching we use Redis'],
    ['Before merging, always run the tests in CI', 'Always run the tests in CI before merging'],
    ['Log in UTC and store in UTC', 'Store in UTC and log in UTC'],
    ['Our database is PostgreSQL', 'PostgreSQL is our database'],
    ['Please always use named exports in this repo', 'In this repo, always use named exports please'],
    ['我们的数据库是 PostgreSQL', 'PostgreSQL 是我们的数据库'],
  ])('"%s" and "%s" are one, where one part moved', (before, said) => {
    expect(outcome(before, said)).toBe('merge');
  });

  it('what is preferred is turned around as well', () => {
    expect(outcome('Prefer composition over inheritance', 'Prefer inheritance over composition')).toBe('supersede');
    expect(decide('Migrate from Vitest to Jest', [stored('Migrate from Jest to Vitest')])).toMatchObject({ outcome: 'supersede' });
    expect(decide('Migrate from Vitest to Jest', [stored('Migrate from Jest to Vitest')]).mergedText).toBeUndefined();
  });

  it('a new value is never written beside itself into the old words', () => {
    const mixed = decide('actually Tuesday', [stored('Staging deploys on Friday, production on Tuesday')]);
    expect(mixed.mergedText ?? '').not.toMatch(/on Tuesday, production on Tuesday/);
  });
});

describe('what one small word or sign tells apart', () => {
  it.each([
    ['The cache holds at least 500 entries', 'The cache holds at most 500 entries'],
    ['The minimum pool size of the API is 10', 'The maximum pool size of the API is 10'],
    ['The heap must be >= 2 GB', 'The heap must be <= 8 GB'],
    ['Store all customer data and all backups in the US', 'Store all customer data and all backups in the EU'],
    ['IT signs every purchase above the team budget of the quarter', 'HR signs every purchase above the team budget of the quarter'],
    ['Team A reviews every change of the shared design system before release', 'Team B reviews every change of the shared design system before release'],
    ['移动端的错误会上报到 Sentry，附带版本号、用户哈希、设备型号、地区和最近十条操作记录', '桌面端的错误会上报到 Sentry，附带版本号、用户哈希、设备型号、地区和最近十条操作记录'],
    ['The billing service exposes a REST API with pagination, stores rows in Postgres, caches in Redis, and is deployed to the eu-west cluster by the platform team every Tuesday', 'The auth service exposes a REST API with pagination, stores rows in Postgres, caches in Redis, and is deployed to the eu-west cluster by the platform team every Tuesday'],
  ])('"%s" stays beside "%s"', (before, said) => {
    expect(outcome(before, said)).toBe('add');
    expect(outcome(said, before)).toBe('add');
  });

  it.each([
    ['The nightly build starts at 2 am', 'The nightly build starts at 2 pm'],
    ['Sessions expire after 30 minutes', 'Sessions expire after 30 months'],
    ['Requests time out after 30 ms', 'Requests time out after 30 s'],
    ['The price is $5 per seat', 'The price is €5 per seat'],
    ['The offset is -5 hours', 'The offset is +5 hours'],
    ['The heap must be >= 2 GB', 'The heap must be >= 4 GB'],
    ['Reviews are optional', 'Reviews are required'],
    ['代码评审是必须的', '代码评审是可选的'],
  ])('"%s" gives way to "%s"', (before, said) => {
    expect(outcome(before, said)).toBe('supersede');
  });

  it.each([['Uploads are limited to 10MB', 'Uploads are limited to 10 MB'], ['Coverage must be 80%', 'Coverage must be 80 percent'], ['Standup is at 9am', 'Standup is at 9 am'], ['Never force-push', 'never force-push ⚠️']])('"%s" and "%s" are one', (before, said) => {
    expect(outcome(before, said)).toBe('merge');
  });
});

describe('a person decides', () => {
  it('between two opposite rules said in one breath', () => {
    const before = stored('Use semicolons', { provenance: { via: 'transcript', turnKey: 'm1:0', sessionId: 's' } });
    expect(decide('Do not use semicolons', [before], { provenance: { saidAt: SAMPLE_TIME, turnKey: 'm1:0' } }).outcome).toBe('conflict');
  });

  it('when somebody else\'s text would change what they said', () => {
    expect(outcome('port 3000', 'port 4000', { untrusted: true })).toBe('conflict');
  });
});

describe('numbers that are names', () => {
  it.each([
    ['Server 1 runs Postgres', 'Server 2 runs Postgres'],
    ['Issue #12 was closed as won\'t fix', 'Issue #13 was closed as won\'t fix'],
    ['HTTP 404 means the tenant is unknown', 'HTTP 409 means the tenant is unknown'],
    ['Ask team 3 before merging', 'Ask team 4 before merging'],
    ['Rule number 3 forbids globals', 'Rule number 4 forbids globals'],
    ['Requirement 12 concerns exports', 'Requirement 13 concerns exports'],
    ['Invoice no. 17 waits for approval', 'Invoice no. 18 waits for approval'],
    ['问题 3 与缓存有关', '问题 4 与缓存有关'],
    ['Phase one ends in March', 'Phase two ends in June'],
    ['Level 1 support answers within 4 hours', 'Level 2 support answers within 4 hours'],
    ['The exit code 3 means out of memory', 'The exit code 4 means out of memory'],
    ['Port 22 is closed', 'Port 23 is closed'],
    ['Account 1001 is for tests', 'Account 1002 is for tests'],
    ['Card 4242424242424242 always succeeds', 'Card 4000000000000002 always succeeds'],
    ['The outage on 2026-11-03 was caused by DNS', 'The outage on 2026-11-10 was caused by DNS'],
    ['/v1/users is frozen', '/v2/users is frozen'],
    ['The 5xx alert fires after 3 minutes', 'The 4xx alert fires after 3 minutes'],
    ['服务器1用的是Postgres', '服务器2用的是Postgres'],
    ['工单 12 是登录慢', '工单 13 是登录慢'],
    ['账号 1001 用于自动测试', '账号 1002 用于自动测试'],
    ['端口 22 已关闭外网访问', '端口 23 已关闭外网访问'],
  ])('"%s" stays beside "%s"', (before, said) => {
    expect(outcome(before, said)).toBe('add');
    expect(outcome(said, before)).toBe('add');
  });

  it.each([
    ['The compression level is 3', 'The compression level is 9'],
    ['Use compression level 3', 'Use compression level 9'],
    ['Use port number 3000', 'Use port number 4000'],
    ['Python 3.11 is required', 'Python 3.12 is required'],
    ['Node 18 is used in CI', 'Node 20 is used in CI'],
    ['The dev server runs on port 3000', 'The dev server runs on port 4000'],
    ['The deploy target is server 1', 'The deploy target is server 2'],
    ['端口是 3000', '端口是 4000'],
  ])('but "%s" gives way to "%s", whose number is a value', (before, said) => {
    expect(outcome(before, said)).toBe('supersede');
  });
});

describe('a place and a language', () => {
  it('are two facts, and a newer language is one', () => {
    expect(outcome('Docs are in docs/', 'Docs are in English')).toBe('add');
    expect(outcome('Release notes are in German', 'Release notes are in CHANGELOG.md')).toBe('add');
    expect(outcome('Release notes are in German', 'Release notes are in English')).toBe('supersede');
  });
});

describe('two prohibitions', () => {
  it.each([
    ['Never commit to main on Friday', 'Never commit to main on Saturday'],
    ['Never use npm', 'Never use yarn'],
    ['Avoid Redux for forms', 'Avoid MobX for forms'],
    ['周五不要发版', '周六不要发版'],
  ])('"%s" and "%s" hold together', (before, said) => {
    expect(outcome(before, said)).toBe('add');
  });

  it('of a number are an old and a new one', () => {
    expect(outcome('Do not write functions longer than 40 lines', 'Do not write functions longer than 60 lines')).toBe('supersede');
  });
});

describe('thirty services', () => {
  it('keep thirty ports, however alike the sentences are (case A54)', () => {
    const active: Memory[] = [];
    for (let round = 0; round < 5; round += 1) {
      for (let i = 0; i < 30; i += 1) {
        const service = ['billing', 'auth', 'search', 'mail', 'orders', 'stock', 'media', 'geo', 'chat', 'audit'][i % 10] ?? '';
        const name = `${service}-${['api', 'worker', 'gateway'][Math.floor(i / 10)]}`;
        for (const text of [`The ${name} service listens on port ${4000 + i}`, `${name} service port is ${4000 + i}`]) {
          const decision = consolidate({ text, scope: { level: 'repository' }, untrusted: false, provenance: { saidAt: SAMPLE_TIME + round } }, active.map((memory) => ({ memory })), SAMPLE_TIME + DAY);
          if (decision.outcome === 'add') active.push(stored(text));
          else expect(active.find((memory) => memory.id === decision.targetId)?.text).toContain(String(4000 + i));
        }
      }
    }
    expect(new Set(active.map((memory) => /\d{4}/.exec(memory.text)?.[0])).size).toBe(30);
    expect(active).toHaveLength(30);
  });
});
