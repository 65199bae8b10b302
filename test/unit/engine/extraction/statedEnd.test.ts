/** Ends that a statement names for itself, at a time that stands still and in three places of the world. */
import { describe, expect, it } from 'vitest';
import { statedEnd } from '../../../../src/engine/extraction/rules/statedEnd.ts';

/** Minutes ahead of UTC. */
const PLACES = { London: 0, Shanghai: 480, 'Los Angeles': -480 } as const;
/** A Wednesday noon in London, evening in Shanghai, early morning in Los Angeles. */
const SAID_AT = Date.parse('2026-12-02T12:00:00Z');
const endOf = (text: string, saidAt = SAID_AT, offset = 0): string | undefined => {
  const end = statedEnd(text, saidAt, () => offset);
  // The day on the person's wall clock.
  return end?.at === undefined ? end && 'no date' : new Date(end.at + offset * 60_000).toISOString().slice(0, 10);
};

describe('the end that a statement names', () => {
  it.each([
    ['Use port 3001 until Friday', '2026-12-04'],
    ['Use port 3001 until Friday.', '2026-12-04'],
    ['Never deploy to production until 2026-12-31', '2026-12-31'],
    ['main is frozen until December 15th', '2026-12-15'],
    ['main is frozen until 15 December', '2026-12-15'],
    ['The API is frozen until Jan 5', '2027-01-05'],
    ['We keep the old parser until the end of March', '2027-03-31'],
    ['Skip the flaky suite until tomorrow', '2026-12-03'],
    ['Until Monday, all reviews go to Dana', '2026-12-07'],
    ['Pin pnpm 9 until the end of the week', '2026-12-06'],
    ['No feature merges for the rest of the month', '2026-12-31'],
    ['Use the staging key for today', '2026-12-02'],
    ['All reviews go to Dana for the next two weeks', '2026-12-16'],
    ['For the next 3 days, do not touch the migrations', '2026-12-05'],
    ['到周五为止都用 3001 端口', '2026-12-04'],
    ['3001 端口用到周五', '2026-12-04'],
    ['冻结合并直到下周五', '2026-12-11'],
    ['12月15日之前不要合并到 main', '2026-12-15'],
    ['旧解析器保留到三月底', '2027-03-31'],
    ['这周先用 3001 端口', '2026-12-06'],
    ['本月不要升级依赖', '2026-12-31'],
    ['测试密钥用到明天', '2026-12-03'],
  ])('%s', (text, day) => {
    expect(endOf(text)).toBe(day);
  });

  it.each([
    'Use port 3001 for now', 'We stay on Node 22 until the 2.0 release', 'Use the mock server for this sprint', 'For now, skip the e2e suite', '暂时用 3001 端口', '这个迭代先不升级依赖',
  ])('%s: an end, and no date', (text) => {
    expect(endOf(text)).toBe('no date');
  });

  it.each([
    'The certificate is valid until 2027-03-31', 'Node 22 is supported until April 2027', 'The conference runs until Friday', 'Office hours are from Monday until Friday',
    'We used MySQL until March', 'It was broken until December 1st', 'The build failed until we upgraded', 'Retry until it succeeds', 'Poll the queue until a message arrives', 'We always use pnpm',
    'The port is 3001. It was 3000 until Friday', 'Never merge on Fridays', 'March is the name of our scheduler', 'Releases happen by the end of May', '证书有效期到 2027-03-31', '周五不要部署', '我们每周五发布', '以前用 MySQL 到三月', 'Always hold releases until Friday', 'Use Node 20 until 2026-12-24, then Node 24', 'Stay on MySQL until the migration, then use PostgreSQL', 'Each sprint, bugs stay open until Friday', '每次发布都冻结到周五', '三年前我们换成了 PostgreSQL',
    'We may use the cache', 'Nightly builds are kept for 30 days', 'Releases freeze for a week before each launch', '会议从周一到周五', '数据同步到备库', '请求转发到网关',
  ])('%s: no end of its own', (text) => {
    expect(endOf(text)).toBeUndefined();
  });

  it.each(Object.entries(PLACES))('is the end of that day in %s, whatever the day is elsewhere', (_place, offset) => {
    for (const hour of ['00:30', '06:00', '12:00', '18:00', '23:30']) {
      const thursday = Date.parse(`2026-12-03T${hour}:00Z`) - offset * 60_000; // by the person's own clock
      expect(endOf('Use port 3001 until Friday', thursday, offset)).toBe('2026-12-04');
      expect(endOf('Use port 3001 for today', thursday, offset)).toBe('2026-12-03');
      expect(endOf('到周五为止都用 3001 端口', thursday, offset)).toBe('2026-12-04');
      expect(statedEnd('Use port 3001 until Friday', thursday, () => offset)?.at).toBe(Date.parse('2026-12-05T00:00:00Z') - offset * 60_000 - 1);
    }
  });

  it('is in the next year when its day is past in this one, and a Sunday ends its week', () => {
    expect(endOf('main is frozen until March 5', Date.parse('2026-03-10T12:00:00Z'))).toBe('2027-03-05');
    expect(endOf('冻结合并直到下周五', Date.parse('2026-12-06T12:00:00Z'))).toBe('2026-12-11');
    expect(endOf('No merges until the end of the week', Date.parse('2026-12-06T12:00:00Z'))).toBe('2026-12-06');
  });

  it('is shown in the words of the text', () => {
    expect(statedEnd('Use port 3001 until Friday.', SAID_AT, () => 0)?.words).toBe('until Friday');
    expect(statedEnd('到周五为止都用 3001 端口', SAID_AT, () => 0)?.words).toBe('到周五为止');
  });
});
