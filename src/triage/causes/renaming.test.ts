import { expect, it } from 'vitest';
import { withName } from './renaming.js';

it.each([
  ['purchase', 'purchases'],
  ['purchase:8080', 'purchases:8080'],
  ['http://purchase.shop.svc:8080/purchase', 'http://purchases.shop.svc:8080/purchases'],
  ['http://purchase-api:8080', undefined],
  ['http://my-purchase:8080', undefined],
  ['http://web.purchase.svc:8080', undefined],
  ['', undefined],
])('%j becomes %j', (text, expected) => {
  expect(withName(text, { wrong: 'purchase', right: 'purchases' })).toBe(expected);
});
