import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRoutes, type KnownRoute } from '../api/mutations.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { attack } from './tenants/attacks.js';
import { TenantWorld } from './tenants/tenant-world.js';
import { unknownCuts } from './tenants/weakened.js';

const missing = embeddedMissing();
const ATTACKS = 120;

/** The same attacks as those of `npm run prove -- tenants`, where each decision is also taken out. */
describe.skipIf(missing !== undefined)(`attacks of a tenant${missing === undefined ? '' : ` (${missing})`}`, () => {
  let world: TenantWorld;
  let routes: readonly KnownRoute[] = [];

  beforeAll(async () => {
    world = await TenantWorld.open();
    routes = await readRoutes(world.lab);
  });
  afterAll(async () => {
    await world.close();
  });

  it('read, change, delete and name nothing of another, over every route and by kubectl', async () => {
    const { wrong, counts } = await attack(world, routes, { seed: 7, from: 0, count: ATTACKS });
    expect(wrong).toEqual([]);
    expect(routes.length).toBeGreaterThan(100);
    // Some succeed: an attacker who may do nothing proves nothing.
    expect(counts['api 2xx']).toBeGreaterThan(20);
    expect(counts['kubectl 2xx']).toBeGreaterThan(5);
  });

  it('can be tried on a program without the decisions', () => {
    expect(unknownCuts()).toEqual([]);
  });
});
