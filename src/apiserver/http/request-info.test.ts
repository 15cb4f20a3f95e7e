import { expect, it } from 'vitest';
import { readWriteOptions } from '../rest/write-options.js';
import { readRequest } from './request-info.js';

const KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

it.each(KEYS)('a query, a namespace and a name of %s are words like any other', (key) => {
  const before = Object.getOwnPropertyNames(Object.prototype);
  const query = new URLSearchParams([
    [key, 'polluted'],
    ['fieldManager', key],
    ['watch', '1'],
  ]);
  expect(readRequest('GET', `/api/v1/namespaces/${key}/configmaps/${key}`, query)).toMatchObject({
    namespace: key,
    name: key,
  });
  expect(readWriteOptions('UpdateOptions', query).fieldManager).toBe(key);
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
