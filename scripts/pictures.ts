import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { startArgosy, type ArgosyUp } from '../contracts/web/argosy-up.js';
import { MISSING, openBrowser } from '../contracts/web/browser.js';
import { signIn } from '../contracts/web/sign-in.js';

/** Makes the pictures of README.md and docs/web.md anew, from the demo as it is delivered: `npm run pictures`. */
const FOLDER = resolve(import.meta.dirname, '../docs/pictures');
const VIEWPORT = { width: 1360, height: 820 };
/** So long the demo may take until it stands still. */
const WITHIN = 240_000;

interface Picture {
  readonly path: string;
  /** What has to be there before it is taken. */
  readonly ready: (page: Page) => Promise<void>;
  readonly isAlsoDark?: true;
}

const isVisible =
  (selector: string) =>
  (page: Page): Promise<void> =>
    page.locator(selector).first().waitFor();
const saying =
  (text: string | RegExp) =>
  (page: Page): Promise<void> =>
    page.getByText(text).first().waitFor();

const PICTURES: Readonly<Record<string, Picture>> = {
  fleet: { path: '/applications', ready: saying(/^The vault in .* is sealed$/), isAlsoDark: true },
  triage: {
    path: '/triage',
    ready: async (page) => {
      await isVisible('.code .is-removed')(page);
      await page.getByText('NotebookValidationJob').first().waitFor({ state: 'detached' });
    },
    isAlsoDark: true,
  },
  application: { path: '/applications/argocd/fraud-detection', ready: isVisible('.below-item') },
  why: { path: '/applications/argocd/test-platform-grafana', ready: isVisible('.why-title') },
  diff: { path: '/applications/argocd/portal?view=diff', ready: isVisible('.diff-row') },
  sync: { path: '/applications/argocd/fraud-detection?sync=true', ready: isVisible('.plan-wave') },
  values: { path: '/applications/argocd/dev-apps-agents?view=values', ready: isVisible('.table td') },
  notebook: { path: '/notebooks/fraud-detection/train-model', ready: saying('model v1 is saved') },
  health: { path: '/health', ready: saying('by this check') },
};

async function take(page: Page, url: string, theme: 'light' | 'dark'): Promise<void> {
  for (const [name, { path, ready, isAlsoDark }] of Object.entries(PICTURES)) {
    if (theme === 'dark' && isAlsoDark !== true) continue;
    await page.goto(`${url}${path}`);
    await ready(page);
    await page.evaluate('document.fonts.ready');
    await page.screenshot({ path: join(FOLDER, `${name}-${theme}.png`), animations: 'disabled' });
  }
}

/** What is broken on purpose stays; everything else is delivered, and the notebooks have run. */
async function untilIdle({ url }: ArgosyUp, page: Page): Promise<void> {
  await page.goto(`${url}/applications?search=fraud-detection`);
  await page.locator('.app-row').filter({ hasText: 'fraud-detection' }).getByText('Healthy').waitFor();
  // Their rollouts have a deadline.
  await page.goto(`${url}/applications?search=apps-agents&health=Degraded`);
  await page.locator('.app-row').nth(5).waitFor();
}

async function main(): Promise<void> {
  if (MISSING !== '') throw new Error(MISSING);
  mkdirSync(FOLDER, { recursive: true });
  const argosy = await startArgosy([]);
  try {
    for (const theme of ['light', 'dark'] as const) {
      const browser = await openBrowser({ colorScheme: theme, viewport: VIEWPORT });
      browser.page.setDefaultTimeout(WITHIN);
      try {
        await signIn(browser.page, argosy);
        await untilIdle(argosy, browser.page);
        await take(browser.page, argosy.url, theme);
      } finally {
        await browser.close();
      }
    }
  } finally {
    await argosy.close();
  }
}

await main();
