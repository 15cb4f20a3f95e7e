import { describe, expect, it } from 'vitest';
import { json } from '../http/index.js';
import { route, type ReadServices } from './route.js';

describe('a route', () => {
  it('does not compile without the object that it ends on', () => {
    // @ts-expect-error access is missing
    const made = route('GET', '/api/v1/everything', { summary: '', tag: '', handle: () => json({}) });
    expect(made.access).toBeUndefined();
  });

  it('does not compile where it writes around the authoriser', () => {
    const write = (services: ReadServices): unknown => [
      // @ts-expect-error only the authoriser creates
      services.cluster.create,
      // @ts-expect-error only the authoriser changes
      services.applications.change,
    ];
    expect(write).toBeInstanceOf(Function);
  });
});
