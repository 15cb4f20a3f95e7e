import { expect, it } from 'vitest';
import { failure, FAILURE_REASONS } from './failure.js';

it.each(FAILURE_REASONS)('%s comes with what a person can do', (reason) => {
  expect(failure(reason, 'm').hint).not.toBe('');
});
