import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { chromium, type BrowserContext, type Page } from 'playwright-core';

const PROGRAM = '/usr/bin/chromium';
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Why there is no browser here; empty where there is one. */
export const MISSING = existsSync(PROGRAM) ? '' : 'skipped: chromium (not installed)';

export interface Browser {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the page complained of since the last look. */
  complaints(): string[];
  close(): Promise<void>;
}

export interface BrowserOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** A browser that nobody has used, and one page of it. */
export async function openBrowser({
  colorScheme = 'light',
  viewport = { width: 1440, height: 900 },
}: BrowserOptions = {}): Promise<Browser> {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-chromium-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: PROGRAM,
    args: FLAGS,
    colorScheme,
    viewport,
    acceptDownloads: true,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const heard: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') heard.push(message.text());
  });
  page.on('pageerror', (error) => {
    heard.push(error.message);
  });
  return {
    context,
    page,
    complaints: () => heard.splice(0),
    close: async () => {
      await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What axe finds wrong with the page as it is now. It is put in from outside: the page itself would not load it. */
export async function violations(page: Page): Promise<string[]> {
  // What fades in has not its colours yet.
  await page.evaluate<unknown>(
    'Promise.all(document.getAnimations().filter((each) => each.effect?.getComputedTiming().iterations !== ' +
      'Infinity).map((each) => each.finished.catch(() => undefined)))',
  );
  const found = await page.evaluate<Violation[]>(
    `(() => { ${axe.source}; return window.axe.run(document, { resultTypes: ['violations'] }).then(({ ` +
      'violations }) => violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.slice(0, 3).map(({ ' +
      'html }) => ({ html })) }))); })()',
  );
  return found.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
}
