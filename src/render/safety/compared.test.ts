import { afterEach, describe, expect, it } from 'vitest';
import { answer, readAnswers, readTable, TABLES, type Table } from './compared.js';

const NUMBERS: Readonly<Record<Table, string>> = {
  numbers: 'H15',
  durations: 'H9',
  'duplicate-keys': 'H11',
  'prototype-keys': 'H12, H13',
  charts: 'H6, H7',
};

const before = shapeOfPrototypes();
afterEach(() => {
  expect(shapeOfPrototypes(), 'nothing may change what all objects have').toEqual(before);
});

function shapeOfPrototypes(): unknown[] {
  return [Object.prototype, Array.prototype, Function.prototype, String.prototype, Map.prototype].map((prototype) => [
    Reflect.ownKeys(prototype),
    Object.isExtensible(prototype),
  ]);
}

describe.each(TABLES)('%s: the verdict of the real tools', (table) => {
  const answers = readAnswers(table);

  it.each(readTable(table).map((one) => [`${NUMBERS[table]}: ${one.name}`, one] as const))('%s', (_, one) => {
    const [ours, real] = [answer(one), answers[one.name]];
    if (one.differs !== undefined) expect(ours).not.toEqual(real);
    else expect(ours).toEqual(real);
  });
});
