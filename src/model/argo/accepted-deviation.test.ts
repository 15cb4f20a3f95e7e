import { describe, expect, it } from 'vitest';
import { acceptedDeviations, readAcceptance, currentDeviations } from './accepted-deviation.js';
import type { KubeObject } from '../kubernetes/object.js';

const application = (annotations: Record<string, string> | undefined, status: object = {}): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'mesh', ...(annotations === undefined ? {} : { annotations }) },
  status: { ...status },
});
const WHY = { 'argosy.dev/accept-reason': 'the operator writes it' };
const BAD = { sync: { status: 'OutOfSync' }, conditions: [{ type: 'SharedResourceWarning', message: 'a' }] };

describe('an accepted deviation', () => {
  it('needs what is accepted and why', () => {
    expect(readAcceptance(application({ 'argosy.dev/accept': 'OutOfSync', ...WHY }))).toEqual({
      deviations: ['OutOfSync'],
      reason: 'the operator writes it',
      problems: [],
    });
    expect(readAcceptance(application(undefined))).toEqual({ deviations: [], reason: '', problems: [] });
  });

  it('may be several, with commas', () => {
    expect(
      readAcceptance(application({ 'argosy.dev/accept': ' SharedResourceWarning, OutOfSync,OutOfSync ', ...WHY }))
        .deviations,
    ).toEqual(['SharedResourceWarning', 'OutOfSync']);
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'without a reason',
      { 'argosy.dev/accept': 'OutOfSync' },
      'Application mesh: annotation argosy.dev/accept has no reason, so nothing is accepted: give one in ' +
        'argosy.dev/accept-reason',
    ],
    [
      'with a reason of blanks',
      { 'argosy.dev/accept': 'OutOfSync', 'argosy.dev/accept-reason': ' ' },
      'Application mesh: annotation argosy.dev/accept has no reason, so nothing is accepted: give one in ' +
        'argosy.dev/accept-reason',
    ],
    [
      'of something else',
      { 'argosy.dev/accept': 'Degraded', ...WHY },
      'Application mesh: annotation argosy.dev/accept names "Degraded", which cannot be accepted: it may ' +
        'name OutOfSync and SharedResourceWarning',
    ],
    [
      'of nothing',
      { 'argosy.dev/accept': ',', ...WHY },
      'Application mesh: annotation argosy.dev/accept names nothing, it may name OutOfSync and ' +
        'SharedResourceWarning; it counts as absent',
    ],
    [
      'that is only a reason',
      WHY,
      'Application mesh: annotation argosy.dev/accept-reason is a reason for nothing: name what is accepted ' +
        'in argosy.dev/accept',
    ],
  ])('%s is refused with a sentence', (_, annotations, sentence) => {
    expect(readAcceptance(application(annotations))).toMatchObject({ deviations: [], problems: [sentence] });
  });

  it('counts where it is shown', () => {
    expect(currentDeviations(application(undefined, BAD))).toEqual(['OutOfSync', 'SharedResourceWarning']);
    expect(acceptedDeviations(application({ 'argosy.dev/accept': 'OutOfSync', ...WHY }, BAD))).toEqual(['OutOfSync']);
    expect(
      acceptedDeviations(application({ 'argosy.dev/accept': 'OutOfSync', ...WHY }, { sync: { status: 'Synced' } })),
    ).toEqual([]);
    expect(acceptedDeviations(application({ 'argosy.dev/accept': 'OutOfSync' }, BAD))).toEqual([]);
  });
});
