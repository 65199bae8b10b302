/**
 * The editor in Simplified Chinese: every view speaks it, nothing is cut, and Chinese text is found.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryDirectory } from '../support/program.ts';
import { createTemporaryRepository, type TemporaryRepository } from '../support/temporaryRepository.ts';
import { runCairn } from '../support/runCairn.ts';
import { waitUntil } from '../support/waitUntil.ts';
import type { Workbench } from '../support/editorHost/workbench.ts';
import { relate, saveSession } from './sampleSession.ts';
import { PATIENCE, Sidebar, startEditor, type Editor } from './sidebarDriver.ts';

const BUNDLE = JSON.parse(readFileSync(path.join(repositoryDirectory, 'l10n', 'bundle.l10n.zh-cn.json'), 'utf8')) as Record<string, string>;
/** English originals as patterns, with anything where a value stands. What people and their tools call things may stand in both languages. */
const ENGLISH = Object.entries(BUNDLE).filter(([english, chinese]) => english !== chinese && /[a-z]{3}/.test(english)).map(([english]) => new RegExp(`^${english.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\\\{\d\\\}/g, '.{1,200}')}$`));

/** Every text that is seen or heard, leaf by leaf, without what the person wrote. */
async function textsOf(page: FrameLocator): Promise<string[]> {
  return page.locator('body').evaluate((body) => {
    const texts: string[] = [];
    const visit = (root: ParentNode): void => {
      for (const element of root.querySelectorAll('*')) {
        if (element.shadowRoot !== null) visit(element.shadowRoot);
        if (element.closest('.said, .statement, blockquote, [dir=auto], style') !== null) continue;
        for (const child of element.childNodes) if (child.nodeType === Node.TEXT_NODE) texts.push(child.textContent?.trim() ?? '');
        for (const name of ['aria-label', 'title', 'placeholder']) texts.push(element.getAttribute(name) ?? '');
      }
    };
    visit(body);
    return texts.flatMap((text) => text.split(' · ')).filter((text) => text !== '');
  });
}

const untranslated = (texts: readonly string[]): string[] => [...new Set(texts)].filter((text) => ENGLISH.some((pattern) => pattern.test(text)));

/** Labels of buttons, tabs and fields that are wider than their place. */
async function cutLabels(page: FrameLocator): Promise<string[]> {
  return page.locator('body').evaluate((body) => {
    const cut: string[] = [];
    const visit = (root: ParentNode): void => {
      for (const element of root.querySelectorAll<HTMLElement>('*')) {
        if (element.shadowRoot !== null) visit(element.shadowRoot);
        if (element.matches('button, label, dt, h2, footer, .tabs, .foot, .choices, .fields') && element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline') cut.push(`${element.tagName}.${element.className} ${element.textContent?.trim().slice(0, 40) ?? ''}`);
      }
    };
    visit(body);
    return cut;
  });
}

describe('in Chinese', () => {
  let editor: Editor;
  let repository: TemporaryRepository;
  let workbench: Workbench;
  let sidebar: Sidebar;

  beforeAll(async () => {
    repository = createTemporaryRepository({ name: '订单', files: { 'a.md': '一\n二\n' } });
    editor = await startEditor({ locale: 'zh-cn' });
    const place = { home: editor.home, cwd: repository.directory };
    await runCairn(['init', '--no-register'], place);
    const rule = (await runCairn(['add', '发布前先在预发环境跑一遍冒烟测试，周五不发布', '--kind', 'rule', '--tags', '发布', '--json'], place)).json<{ id: string }>();
    await runCairn(['add', '我们决定订单服务用 PostgreSQL，不用 MySQL', '--kind', 'decision', '--json'], place);
    await relate([['订单服务', '使用', 'PostgreSQL', rule.id]], place);
    await saveSession(['From now on always run the smoke tests before a deploy.', '记住：所有接口都要写中文注释。', 'I prefer tabs over spaces in Go code, please remember that.'], place);
    workbench = await editor.open({ target: repository.directory });
    sidebar = new Sidebar(workbench);
    await sidebar.show();
    await sidebar.frame.getByRole('option', { name: '冒烟测试' }).waitFor(PATIENCE);
  }, 300_000);

  afterAll(async () => { await editor.stop(); }, 60_000);

  it('speaks it in every view of the sidebar, and cuts no label', async () => {
    const { keyboard } = workbench.page;
    const texts: string[] = [];
    const cut: string[] = [];
    const look = async (): Promise<void> => {
      texts.push(...(await textsOf(sidebar.frame)));
      cut.push(...(await cutLabels(sidebar.frame)));
    };
    await sidebar.frame.getByRole('button', { name: '筛选条件' }).click();
    await look();
    await sidebar.frame.getByRole('button', { name: '筛选条件' }).click();
    await sidebar.frame.getByRole('textbox', { name: '搜索记忆' }).fill('冒烟测试');
    await waitUntil(async () => (await sidebar.frame.locator('#row-0').innerText()).includes('冒烟测试'), 'the row that was searched for');
    await sidebar.frame.locator('#row-0').click();
    await sidebar.detail.waitFor(PATIENCE);
    const folded = sidebar.frame.locator('cairn-detail .fold > .head[aria-expanded=false]');
    while ((await folded.count()) > 0) await folded.first().click();
    // What the engine refuses is refused in Chinese, by name.
    await sidebar.frame.getByLabel('范围').selectOption('路径');
    await sidebar.frame.getByLabel('路径').fill('../外面');
    await keyboard.press('Tab');
    expect(await sidebar.frame.getByRole('alert').filter({ hasText: '外面' }).innerText()).toBe('path:../外面：没有这样的范围。路径是仓库内的模式，例如 src/**。');
    await look();
    await sidebar.frame.locator('cairn-detail .page').focus();
    await keyboard.press('Escape');
    await keyboard.press('Control+2');
    await sidebar.frame.getByRole('row', { name: '中文注释' }).waitFor(PATIENCE);
    await keyboard.press('x');
    await sidebar.toast('已拒绝').waitFor(PATIENCE);
    await look();
    await keyboard.press('?');
    await look();
    await keyboard.press('Escape');
    await keyboard.press('Control+3');
    await sidebar.frame.getByText('下一个会话将得到').waitFor(PATIENCE);
    await look();
    expect(texts.length).toBeGreaterThan(150);
    expect(untranslated(texts)).toEqual([]);
    expect(cut).toEqual([]);
  }, 300_000);

  it('speaks it in the pages of the editor area', async () => {
    const texts: string[] = [];
    for (const [command, ready] of [['Cairn: Open Insights', '按类型和月份的记忆'], ['Cairn: Open Graph', '订单服务'], ['Cairn: Set Up', '它保留什么']] as const) {
      await workbench.runCommand(command);
      const page = workbench.editorWebview();
      await page.getByText(ready).first().waitFor(PATIENCE);
      texts.push(...(await textsOf(page)));
    }
    expect(untranslated(texts)).toEqual([]);
  }, 300_000);

  it('speaks it in the doctor\'s report', async () => {
    await workbench.runCommand('Cairn: Doctor');
    const text = async (): Promise<string> => (await workbench.page.locator('.editor-instance .view-lines').allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
    await waitUntil(async () => (await text()).includes('# Cairn 诊断'), 'the report', PATIENCE.timeout);
    const titles = [...(await text()).matchAll(/\*\*([^*]+)\*\* · (\S+) · /g)].map((match) => [match[1] ?? '', match[2] ?? '']);
    expect(titles.length).toBeGreaterThan(5);
    expect(titles.flat().filter((words) => !/\p{Script=Han}/u.test(words))).toEqual([]);
  }, 300_000);
});
