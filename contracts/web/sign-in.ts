import type { Page } from 'playwright-core';
import type { ArgosyUp } from './argosy-up.js';

/** As a person does; the fleet is what comes then. */
export async function signIn(page: Page, { url, password }: Pick<ArgosyUp, 'url' | 'password'>): Promise<void> {
  await page.goto(`${url}/login`);
  await page.getByLabel('Username').fill('admin');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Fleet' }).waitFor();
}
