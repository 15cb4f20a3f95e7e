import { describe, expect, it } from 'vitest';
import { makeDemoFleet } from './demo-fleet.js';

const ADDRESSES = { repository: 'file:///data/demo/git/platform', notebooks: 'http://127.0.0.1:1/platform/.git' };

describe('the demo', () => {
  it('is the same for the same addresses', () => {
    expect(JSON.stringify(makeDemoFleet(ADDRESSES).applications)).toBe(
      JSON.stringify(makeDemoFleet(ADDRESSES).applications),
    );
  });

  it('has three environments, and says which applications are not to become well', () => {
    const { applications, ill, projects } = makeDemoFleet(ADDRESSES);
    const names = applications.map(({ metadata }) => metadata.name ?? '');
    expect(new Set(names).size).toBe(names.length);
    expect(projects.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(['dev', 'test', 'prod']));
    expect([...ill].filter((name) => !names.includes(name))).toEqual([]);
  });

  it('names no application and no namespace that a story has', () => {
    const { applications } = makeDemoFleet(ADDRESSES);
    expect(
      applications
        .map(({ metadata }) => metadata.name)
        .filter((name) => /^(stage\d|llmops|ml-|cluster-|argocd-|staging-)/.test(name ?? '')),
    ).toEqual([]);
  });
});
