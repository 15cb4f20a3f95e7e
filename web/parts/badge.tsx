import type { ReactNode } from 'react';

/** What a state is shown as: one of six tones, and a shape that says the same without colour. */
export type Tone = 'good' | 'busy' | 'bad' | 'warn' | 'hold' | 'none';

interface BadgeStyle {
  readonly tone: Tone;
  /** Drawn on a field of 12 by 12. */
  readonly shape: ReactNode;
}

const filled = (d: string): ReactNode => <path d={d} fill="currentColor" />;
const stroked = (d: string, dash?: string): ReactNode => (
  <path
    d={d}
    fill="none"
    stroke="currentColor"
    strokeWidth="1.6"
    strokeLinecap="round"
    strokeLinejoin="round"
    strokeDasharray={dash}
  />
);
const ring = 'M6 10.8A4.8 4.8 0 1 0 6 1.2a4.8 4.8 0 0 0 0 9.6z';

const check: BadgeStyle = {
  tone: 'good',
  shape: (
    <>
      {filled(ring)}
      <path
        d="M3.8 6.2l1.6 1.6L8.4 4.6"
        fill="none"
        stroke="var(--surface)"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
};
const half: BadgeStyle = {
  tone: 'busy',
  shape: (
    <>
      {stroked(ring)}
      {filled('M6 3v6a3 3 0 0 0 0-6z')}
    </>
  ),
};
const diamond: BadgeStyle = {
  tone: 'bad',
  shape: (
    <>
      {filled('M6 .4L11.6 6 6 11.6.4 6z')}
      <path d="M6 3.4v3M6 8.4v.1" stroke="var(--surface)" strokeWidth="1.5" strokeLinecap="round" />
    </>
  ),
};
const pause: BadgeStyle = { tone: 'hold', shape: stroked('M4 2.5v7M8 2.5v7') };
const hollow: BadgeStyle = { tone: 'warn', shape: stroked(ring, '2.2 2.4') };
const question: BadgeStyle = {
  tone: 'none',
  shape: stroked('M4.2 4.4a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.8.7-.8 1.2M6 9.3v.1'),
};
const triangle: BadgeStyle = { tone: 'warn', shape: filled('M6 1L11.4 10.5H.6z') };
const dot: BadgeStyle = { tone: 'none', shape: filled('M6 8.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z') };

const STYLES: Readonly<Record<string, BadgeStyle>> = {
  Healthy: check,
  Progressing: half,
  Degraded: diamond,
  Suspended: pause,
  Missing: hollow,
  Unknown: question,
  Synced: check,
  OutOfSync: triangle,
  Running: half,
  Succeeded: check,
  Failed: diamond,
  Error: diamond,
  Terminating: hollow,
  ValidationRunning: half,
  Building: half,
  BuildComplete: half,
  Initializing: half,
  Skipped: dot,
  Pending: hollow,
  P0: diamond,
  P1: triangle,
  P2: hollow,
  P3: dot,
  Successful: check,
  True: check,
  False: diamond,
  Warning: triangle,
  Normal: dot,
};

function styleOf(state: string): BadgeStyle {
  return Object.hasOwn(STYLES, state) ? (STYLES[state] ?? question) : question;
}

export function toneOf(state: string): Tone {
  return styleOf(state).tone;
}

/** The shape alone. With a `label` it stands for itself, otherwise words beside it say the same. */
export function Shape({ state, label }: { readonly state: string; readonly label?: string }): ReactNode {
  const { tone, shape } = styleOf(state);
  return (
    <svg
      className={`shape tone-${tone}`}
      width="12"
      height="12"
      viewBox="0 0 12 12"
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
      aria-hidden={label === undefined ? true : undefined}
      focusable="false"
    >
      {shape}
    </svg>
  );
}

export function Badge({
  state,
  children,
  isQuiet,
}: {
  readonly state: string;
  readonly children?: ReactNode;
  readonly isQuiet?: boolean;
}): ReactNode {
  return (
    <span className={`badge tone-${toneOf(state)}${isQuiet === true ? ' is-quiet' : ''}`}>
      <Shape state={state} />
      {children ?? state}
    </span>
  );
}
