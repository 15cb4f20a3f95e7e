import { expect, it } from 'vitest';
import { failure, FAILURE_REASONS } from './failure.js';

it.each(FAILURE_REASONS)('%s has a suggested action', (reason) => {
  expect(failure(reason, 'm').hint).not.toBe('');
});
