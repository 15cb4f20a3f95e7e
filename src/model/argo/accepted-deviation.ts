import { isArray, isObject } from '../json/index.js';
import type { KubeObject } from '../kubernetes/index.js';

/** What an Application may declare as accepted: it is shown as it is, and counted apart from what is wrong. */
export const DEVIATIONS = ['OutOfSync', 'SharedResourceWarning'] as const;
export type Deviation = (typeof DEVIATIONS)[number];

export const ACCEPT_ANNOTATION = 'argosy.dev/accept';
export const ACCEPT_REASON_ANNOTATION = 'argosy.dev/accept-reason';

export interface Acceptance {
  readonly deviations: readonly Deviation[];
  readonly reason: string;
  /** Why the annotations, or a part of them, count as absent. */
  readonly problems: readonly string[];
}

/** What the annotations of an Application accept. Without a reason nothing is accepted. */
export function readAcceptance({ metadata }: KubeObject): Acceptance {
  const said = (name: string): string | undefined => {
    const value: unknown = metadata.annotations?.[name];
    if (typeof value === 'string') return value.trim();
    return value === undefined ? undefined : '';
  };
  const [listed, reason = ''] = [said(ACCEPT_ANNOTATION), said(ACCEPT_REASON_ANNOTATION)];
  const of = `Application ${metadata.name ?? ''}: annotation`;
  if (listed === undefined)
    return {
      deviations: [],
      reason,
      problems:
        reason === ''
          ? []
          : [
              `${of} ${ACCEPT_REASON_ANNOTATION} is a reason for nothing: name what is accepted in ` +
                ACCEPT_ANNOTATION,
            ],
    };
  const words = [
    ...new Set(
      listed
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== ''),
    ),
  ];
  const unknown = words.filter((word) => !isDeviation(word));
  const problems = [
    ...(words.length === 0
      ? [`${of} ${ACCEPT_ANNOTATION} names nothing, it may name ${DEVIATIONS.join(' and ')}; it counts as absent`]
      : []),
    ...unknown.map(
      (word) =>
        `${of} ${ACCEPT_ANNOTATION} names ${JSON.stringify(word)}, which cannot be accepted: ` +
        `it may name ${DEVIATIONS.join(' and ')}`,
    ),
    ...(reason === ''
      ? [`${of} ${ACCEPT_ANNOTATION} has no reason, so nothing is accepted: give one in ${ACCEPT_REASON_ANNOTATION}`]
      : []),
  ];
  return { deviations: reason === '' ? [] : words.filter(isDeviation), reason, problems };
}

function isDeviation(word: string): word is Deviation {
  return DEVIATIONS.some((each) => each === word);
}

/** The deviations that an Application shows at the moment, accepted or not. */
export function currentDeviations({ status }: KubeObject): Deviation[] {
  if (!isObject(status)) return [];
  const conditions = isArray(status.conditions) ? status.conditions.filter(isObject) : [];
  return DEVIATIONS.filter((deviation) =>
    deviation === 'OutOfSync'
      ? isObject(status.sync) && status.sync.status === 'OutOfSync'
      : conditions.some(({ type }) => type === deviation),
  );
}

/** The deviations that an Application shows and accepts. */
export function acceptedDeviations(application: KubeObject): Deviation[] {
  const { deviations } = readAcceptance(application);
  return currentDeviations(application).filter((deviation) => deviations.includes(deviation));
}
