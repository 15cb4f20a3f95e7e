import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MISSING, openBrowser, violations, type Browser } from './browser.js';
import { findSandbox } from '../../src/apiserver/runtime/process/sandbox.js';
import { editSettings, openWebLab, startTools, type WebLab } from './web-lab.js';
import { CONFIG_MAPS } from '../../src/model/resources/index.js';

const WEB = join(import.meta.dirname, '../../dist/web');
const sandbox = findSandbox();
const confined = sandbox.kind === 'none' ? ` (skipped: ${sandbox.why.replaceAll(/[()]/g, '')})` : '';
const MAX_BYTES = 350 * 1024;

it('the page stays within its size limit', () => {
  const files = readdirSync(WEB, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  const bytes = files.reduce((sum, file) => sum + gzipSync(file).length, 0);
  console.log(`the page is ${Math.round(bytes / 1024)} kB, compressed`);
  expect(bytes).toBeLessThan(MAX_BYTES);
});

if (MISSING !== '')
  it.skip(MISSING, () => {
    /* the name says why */
  });

// One start for all: every flow finds the fleet as those before it left it.
describe.skipIf(MISSING !== '')('the page', () => {
  let stage: WebLab;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    [stage, browser] = await Promise.all([openWebLab(), openBrowser()]);
    ({ page } = browser);
    page.setDefaultTimeout(60_000);
  });

  afterAll(async () => {
    await browser.close();
    await stage.close();
  });

  afterEach(() => {
    expect(browser.complaints()).toEqual([]);
  });

  const open = async (path: string): Promise<void> => {
    await page.goto(`${stage.url}${path}`);
  };
  const sees = (text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
  const tab = (name: string): Promise<void> => page.getByRole('tab', { name: new RegExp(`^${name}`) }).click();

  it('asks for a login, rejects a wrong password, and accepts the right one', async () => {
    await open('/applications/argocd/shop?view=history');
    await page.getByLabel('Username').fill('admin');
    expect(browser.complaints()).toEqual([]);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toBe('Incorrect username or password.');
    expect(await violations(page)).toEqual([]);
    // The browser itself notes that the request was refused.
    expect(browser.complaints().filter((line) => !line.includes('401'))).toEqual([]);
    await page.getByLabel('Password').fill(stage.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'shop' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/applications/argocd/shop');
  });

  it('shows the fleet live, with a cause for each unhealthy application; counts act as filters', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    const row = (name: string): ReturnType<Page['getByRole']> =>
      page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
    await row('store').getByText('Healthy').waitFor();
    await row('orders')
      .getByText(/orders-setings/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await page
      .getByRole('group', { name: 'Sync' })
      .getByRole('button', { name: /OutOfSync/ })
      .click();
    await row('store').waitFor({ state: 'detached' });
    await row('shop').waitFor();
    await page
      .getByRole('group', { name: 'Sync' })
      .getByRole('button', { name: /OutOfSync/ })
      .click();
    await page.keyboard.press('/');
    await page.keyboard.type('stor');
    await row('shop').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await row('shop').waitFor();
    await page.keyboard.press('v');
    await page.locator('.tile').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('v');
  });

  it('shows the plan, syncs, and shows the result', async () => {
    await open('/applications/argocd/shop');
    await page.getByRole('heading', { name: 'shop' }).waitFor();
    await page.keyboard.press('s');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('region', { name: 'Sync wave 1' }).getByText('Deployment').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Sync', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.app-states').getByText('Synced').waitFor();
    await page.locator('.app-states').getByText('Healthy').waitFor();
    await page
      .getByRole('button', { name: /^Pod web-/ })
      .first()
      .waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('shows a diff: both values, the owner of the field, and the resolution', async () => {
    await editSettings(stage.cluster);
    await page.locator('.app-states').getByText('OutOfSync').waitFor();
    await tab('Diff');
    const difference = page.locator('.diff-row').filter({ hasText: '/data/greeting' });
    await difference.waitFor();
    expect(await difference.innerText()).toMatch(/changed by hand[\s\S]*hello[\s\S]*owned by/);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Full diff' }).click();
    await page.locator('.line.is-removed').getByText('changed by hand').waitFor();
    await page.keyboard.press('Escape');
  });

  it('rolls back to an earlier deployment', async () => {
    await stage.repository.write(
      'shop/extra.yaml',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: second}\ndata: {a: b}\n',
    );
    await stage.repository.commit();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await tab('Waves');
    await page.getByRole('tabpanel').getByText('second').first().waitFor();
    await page.getByRole('button', { name: 'Sync…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sync', exact: true }).click();
    await tab('History');
    await page.getByRole('button', { name: 'Roll back to 0' }).click();
    const dialog = page.getByRole('dialog', { name: 'Roll back shop' });
    await dialog.getByText('Prune').click();
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('current').waitFor();
    await expect
      .poll(() => stage.cluster.get(CONFIG_MAPS, { namespace: 'shop', name: 'second' }), { timeout: 60_000 })
      .toBeUndefined();
    expect(await violations(page)).toEqual([]);
  });

  it('shows manifests and values with file and line, events and logs', async () => {
    await tab('Manifests');
    await page
      .getByRole('tabpanel')
      .locator('.code-name')
      .getByText(/(?:extra|objects)\.yaml:\d+/)
      .waitFor();
    await tab('Events');
    await sees(/OperationStarted|OperationCompleted|ResourceUpdated/);
    expect(await violations(page)).toEqual([]);
    await tab('Logs');
    await sees('a customer says hello');
    expect(await violations(page)).toEqual([]);
    await open('/applications/argocd/store?view=values');
    await page
      .getByRole('row')
      .filter({ hasText: 'replicas' })
      .getByText(/values-prod\.yaml:1/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('shows what a wave waits for', async () => {
    await open('/applications/argocd/pipeline');
    const gate = page.getByRole('region', { name: 'Wave 2' }).locator('.wave-gate');
    await gate.waitFor();
    expect(await gate.innerText()).toBe('after NotebookValidationJob train is Healthy');
    await page.locator('.wave-gate.is-held').waitFor();
    await page.getByRole('region', { name: 'Why' }).getByText(/train/).first().waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('shows a notebook live: cells as they finish, the wave it blocks, and the traceback of a failed one', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('n');
    await page.getByRole('row').filter({ hasText: 'train' }).getByText('Wave 1 gate, blocks the next wave').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'train' }).click();
    await sees('184220 rows');
    await sees('31 columns');
    expect(await violations(page)).toEqual([]);
    await open('/notebooks/evaluation/evaluate');
    await page
      .getByRole('region', { name: 'Traceback of cell 0' })
      .getByText('ValueError: column amount has 12 missing values')
      .waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('leads from a cause to a patch that git applies', async () => {
    await open('/applications/argocd/orders');
    await page.getByText('Change in git: orders/objects.yaml:17').waitFor();
    await page.getByRole('link', { name: 'Root cause and fix' }).first().click();
    const cause = page.getByRole('article', { name: /orders-setings/ });
    await cause.waitFor();
    await cause.getByRole('img').first().waitFor();
    const patch = cause.getByRole('region', { name: 'Patch of orders/objects.yaml' });
    await patch.locator('.is-added').getByText('orders-settings').waitFor();
    expect(await violations(page)).toEqual([]);
    await cause.getByRole('button', { name: 'Copy patch' }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      cause.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toBe(copied);
    execFileSync('git', ['apply', '--index', '-'], { cwd: stage.repository.dir, input: copied });
    await stage.repository.git('commit', '-q', '-m', 'what the page says');
    await open('/applications/argocd/orders');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.locator('.app-states').getByText('Healthy').waitFor();
  });

  it.skipIf(confined !== '')(`opens a terminal in a pod, and can be left by keyboard${confined}`, async () => {
    await startTools(stage.cluster);
    await expect
      .poll(
        async () =>
          ((await (await page.request.get(`${stage.url}/api/v1/settings`)).json()) as { execEnabled?: boolean })
            .execEnabled,
        { timeout: 60_000 },
      )
      .toBe(true);
    await open('/applications/argocd/store');
    await page.getByRole('button', { name: /tools/ }).first().click();
    await tab('Terminal');
    const terminal = page.getByRole('textbox', { name: 'Terminal in tools, container main' });
    await terminal.click();
    // A prompt.
    await expect.poll(() => terminal.innerText(), { timeout: 60_000 }).toMatch(/[#$] /);
    await page.keyboard.type('printf "\\033[31mred\\033[0m %s\\n" "$((40 + 2))"; stty size');
    await page.keyboard.press('Enter');
    await expect.poll(() => terminal.innerText(), { timeout: 60_000 }).toMatch(/red 42\n\d\d+ \d\d+/);
    expect(await terminal.locator('.c1').innerText()).toBe('red');
    await page.keyboard.press('Escape');
    expect(await terminal.isVisible()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Shift+Tab');
    expect(await page.locator(':focus').getAttribute('role')).not.toBe('textbox');
    await terminal.click();
    await page.keyboard.press('Control+c');
    // A shell drops what is typed before it has taken the interrupt.
    await expect.poll(() => terminal.innerText(), { timeout: 60_000 }).toMatch(/\^C\s+\S*[#$]/);
    await page.keyboard.type('exit');
    await page.keyboard.press('Enter');
    await sees('The shell has exited.');
    await page.getByRole('button', { name: 'Start a new shell' }).click();
    await expect.poll(() => terminal.innerText(), { timeout: 60_000 }).toMatch(/[#$] /);
    await page.keyboard.press('Shift+Tab');
    await page.getByRole('button', { name: 'Close' }).click();
  });

  it('evaluates and lints a check in the health lab while typing', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.getByRole('region', { name: 'Result' }).getByText('Progressing').waitFor();
    expect(await violations(page)).toEqual([]);
    await page
      .getByLabel('Object', { exact: true })
      .getByRole('textbox')
      .fill('apiVersion: example.com/v1\nkind: Database\nmetadata: {name: a, generation: 1}\nstatus: {phase: Ready}\n');
    await page.getByRole('region', { name: 'Result' }).getByText('Healthy').waitFor();
    await page.getByLabel('Check in Lua').fill('return { status = "Fine" }');
    await page.getByRole('list', { name: 'Lint findings' }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('shows settings, help, both themes, and the not-found page', async () => {
    await open('/settings');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    for (const name of ['Projects', 'Repositories', 'Clusters', 'Accounts']) {
      await tab(name);
      await page.getByRole('table').or(page.locator('.empty')).first().waitFor();
      expect(await violations(page)).toEqual([]);
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('T');
    await page.keyboard.press('T');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    for (const path of [
      '/applications',
      '/applications?view=tiles',
      ...[
        '',
        '?view=diff',
        '?view=plan',
        '?view=manifests',
        '?view=events',
        '?view=logs',
        '?view=history',
        '?view=conditions',
        '?sync=true',
      ].map((view) => `/applications/argocd/shop${view}`),
      '/applications/argocd/store?view=values',
      '/triage',
      '/notebooks',
      '/notebooks/evaluation/evaluate',
      '/health',
      '/settings',
    ]) {
      await open(path);
      await page.locator('h1').waitFor();
      // Several parts of a page may wait at once.
      await expect.poll(() => page.locator('.waiting').count(), { timeout: 60_000 }).toBe(0);
      expect(await violations(page)).toEqual([]);
    }
    await open('/nowhere');
    await sees('Page not found');
  });

  it('shows nothing after signing out', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    await open('/triage');
    await page.getByLabel('Password').waitFor();
    expect(await page.getByText('orders').count()).toBe(0);
  });
});
