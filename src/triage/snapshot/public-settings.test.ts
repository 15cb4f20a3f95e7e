import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { publicSetting } from './public-settings.js';
import { sanitizeObject } from './sanitize-object.js';

describe('what is kept of a secret setting', () => {
  it.each([
    ['DB_HOST', 'ledger', 'ledger'],
    ['db.host', 'ledger.shop.svc', 'ledger.shop.svc'],
    ['dbPort', '5432', '5432'],
    ['DATABASE_URL', 'postgres://cart:pa55@ledger:5432/shop?sslmode=off', 'postgres://ledger:5432'],
    ['JDBC_URL', 'jdbc:mysql://ledger:3306/shop', 'mysql://ledger:3306'],
    ['SERVER_URL', 'sqlserver://ledger:1433;user=sa;password=pa55', 'sqlserver://ledger:1433'],
    ['DB_PASSWORD', 'ledger', undefined],
    ['EXPORT', '5432', undefined],
    ['DB_PORT', 'pa55word', undefined],
    ['DB_HOST', 'with a space', undefined],
    ['DATABASE_URL', 'postgres://cart:12/pa@55@ledger:5432/shop', undefined],
    ['DATABASE_URL', 'not an address', undefined],
  ])('of %s', (key, value, kept) => {
    expect(publicSetting(key, value)).toBe(kept);
  });

  it('all other values of a Secret are dropped', () => {
    const encoded = (text: string): string => Buffer.from(text).toString('base64');
    const secret: KubeObject = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'db', namespace: 'shop' },
      data: { DB_HOST: encoded('ledger'), DB_PASSWORD: encoded('pa55word') },
    };
    const text = JSON.stringify(sanitizeObject(secret));
    expect(text).toContain('"settings":{"DB_HOST":"ledger"}');
    expect(text).not.toContain('pa55word');
    expect(text).not.toContain(encoded('pa55word'));
  });
});
