import type { Page } from 'playwright-core';
import { startArgosy } from '../contracts/web/argosy-up.js';
import { MISSING, openBrowser } from '../contracts/web/browser.js';
import { signIn } from '../contracts/web/sign-in.js';
import { readFlags } from '../contracts/harness/read-flags.js';
import { serveFleet } from './api/served-fleet.js';
import { APPLICATIONS } from '../src/model/resources/index.js';

/**
 * Measures the page in a real browser that has seen nothing of it: the first paint with the demo; then, with a
 * generated fleet, the first rows, a filter, and how long a change in the cluster takes to be seen. `--quick` is a
 * smoke run; its bars are not judged.
 */
const HELP = 'usage: npm run bench:page [-- --quick] [--apps 5000] [--resources 20]\n';
const BARS: Readonly<Record<string, number>> = {
  'first paint with the demo': 1000,
  'first rows of the fleet': 1000,
  filter: 200,
  'change seen': 1000,
};
const text = { type: 'string' } as const;
const { values: flags } = readFlags({
  options: {
    quick: { type: 'boolean', default: false },
    apps: { ...text, default: '5000' },
    resources: { ...text, default: '20' },
    help: { type: 'boolean', default: false },
  },
});
const ROUNDS = 5;

/** Signed in, with nothing of the page in the cache: the session is a cookie, everything else is fetched again. */
async function openFresh(server: {
  readonly url: string;
  readonly password: string;
}): Promise<{ readonly page: Page; forget(): Promise<void>; close(): Promise<void> }> {
  const browser = await openBrowser();
  await signIn(browser.page, server);
  const session = await browser.context.newCDPSession(browser.page);
  return {
    page: browser.page,
    forget: async () => {
      await session.send('Network.clearBrowserCache');
    },
    close: () => browser.close(),
  };
}

/** Milliseconds from the address to the first thing that is seen, and to the first row. */
async function load(page: Page, url: string): Promise<{ readonly paint: number; readonly rows: number }> {
  await page.goto(`${url}/applications`);
  await page.locator('.app-row .name a').first().waitFor();
  return page.evaluate<{ paint: number; rows: number }>(
    "({ paint: (performance.getEntriesByName('first-contentful-paint')[0] ?? { startTime: performance.now() " +
      '}).startTime, rows: performance.now() })',
  );
}

/** From the press until only what fits is there. */
async function filterOnce(page: Page): Promise<number> {
  const begun = await page.evaluate<number>(
    "(() => { const begun = performance.now(); [...document.querySelectorAll('.count-button')].find((each) " +
      "=> each.textContent.includes('Healthy')).click(); return begun; })()",
  );
  await page.locator('.filters [role=status]').waitFor();
  await page.locator('.app-row').filter({ hasText: 'Degraded' }).first().waitFor({ state: 'detached' });
  return (await page.evaluate<number>('performance.now()')) - begun;
}

async function everyRound(work: (round: number) => Promise<number>): Promise<number> {
  const found: number[] = [];
  for (let round = 0; round < ROUNDS; round++) found.push(await work(round));
  return found.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
}

async function withDemo(): Promise<Record<string, number>> {
  const argosy = await startArgosy([]);
  try {
    const { page, forget, close } = await openFresh(argosy);
    const paint = await everyRound(async () => {
      await forget();
      return (await load(page, argosy.url)).paint;
    });
    await close();
    return { 'first paint with the demo': paint };
  } finally {
    await argosy.close();
  }
}

async function withFleet(apps: number, resources: number): Promise<Record<string, number>> {
  const fleet = await serveFleet(apps, resources);
  try {
    const { page, forget, close } = await openFresh(fleet);
    const rows = await everyRound(async () => {
      await forget();
      return (await load(page, fleet.url)).rows;
    });
    const filter = await everyRound(async () => {
      await load(page, fleet.url);
      return filterOnce(page);
    });
    await load(page, fleet.url);
    const seen = await everyRound(async (round) => {
      const begun = performance.now();
      await fleet.cluster.patch(
        APPLICATIONS,
        { namespace: 'argocd', name: 'app-0000' },
        { type: 'merge', body: { spec: { destination: { namespace: `moved-${round}` } } } },
      );
      await page.locator('.app-row').filter({ hasText: 'app-0000' }).getByText(`moved-${round}`).waitFor();
      return performance.now() - begun;
    });
    await close();
    return { 'first rows of the fleet': rows, filter, 'change seen': seen };
  } finally {
    await fleet.close();
  }
}

async function main(): Promise<number> {
  if (MISSING !== '') throw new Error(MISSING);
  const [apps, resources] = flags.quick ? [200, 5] : [Number(flags.apps), Number(flags.resources)];
  const measured = { ...(await withDemo()), ...(await withFleet(apps, resources)) };
  process.stdout.write(`${apps} applications, ${apps * resources} resources; the middle of ${ROUNDS}\n`);
  for (const [name, milliseconds] of Object.entries(measured))
    process.stdout.write(`${name}: ${milliseconds.toFixed(0)} ms (bar ${BARS[name] ?? 0})\n`);
  return flags.quick || Object.entries(measured).every(([name, milliseconds]) => milliseconds < (BARS[name] ?? 0))
    ? 0
    : 1;
}

if (flags.help) process.stdout.write(HELP);
else process.exitCode = await main();
