import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { startArgosy } from '../contracts/web/argosy-up.js';
import { MISSING, openBrowser } from '../contracts/web/browser.js';

/** Makes the pictures of docs/web.md anew, from the demo as it is delivered: `npm run pictures`. */
const FOLDER = resolve(import.meta.dirname, '../docs/pictures');
const VIEWPORT = { width: 1360, height: 850 };
/** So long the demo may take to be delivered. */
const WITHIN = 240_000;

async function signIn(page: Page, url: string, password: string): Promise<void> {
  await page.goto(`${url}/login`);
  await page.getByLabel('Name').fill('admin');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Fleet' }).waitFor();
}

/** The application that says most: the first of the fleet, which begins with what is worst. */
async function take(page: Page, url: string, theme: string): Promise<void> {
  const shoot = (name: string): Promise<Buffer> => page.screenshot({ path: join(FOLDER, `${name}-${theme}.png`) });
  await page.goto(`${url}/triage`);
  await page.locator('.graph svg').waitFor();
  await shoot('triage');
  await page.goto(`${url}/applications`);
  await page.locator('.cause').first().waitFor();
  await shoot('fleet');
  await page.goto(`${url}/applications/argocd/${process.argv[2] ?? 'fraud-detection-dev'}`);
  await page.locator('.resource').first().waitFor();
  await page.getByText('Looking for the cause…').waitFor({ state: 'detached' });
  await shoot('application');
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
        await signIn(browser.page, argosy.url, argosy.password);
        // Delivered: what remains is what the demo broke on purpose.
        if (theme === 'light') await browser.page.waitForFunction("(() => { const progressing = document.querySelector('.count-button'); return document.querySelectorAll('.app-row').length > 5 && progressing !== null; })()");
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
