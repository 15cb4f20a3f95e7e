/** A NotebookValidationJob, as far as the page reads it. */
export interface Job {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly notebook?: { readonly path?: string; readonly git?: { readonly url?: string; readonly ref?: string } };
    readonly timeout?: string;
    readonly podConfig?: { readonly containerImage?: string };
  };
  readonly status?: {
    readonly phase?: string;
    readonly message?: string;
    readonly startTime?: string;
    readonly completionTime?: string;
    readonly kernel?: string;
    readonly retryCount?: number;
    readonly validationPodName?: string;
    readonly results?: readonly Cell[];
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    readonly triggers?: readonly {
      readonly kind: string;
      readonly name: string;
      readonly action: string;
      readonly state: string;
      readonly message?: string;
    }[];
    readonly checks?: readonly { readonly name?: string; readonly status?: string; readonly message?: string }[];
  };
}

export interface Cell {
  readonly cellIndex: number;
  readonly cellType?: string;
  readonly status: string;
  readonly executionTime?: string;
  readonly output?: string;
  readonly source?: string;
  readonly errorType?: string;
  readonly errorMessage?: string;
  readonly traceback?: string | readonly string[];
}

const TRACKING = 'argocd.argoproj.io/tracking-id';

/** The application that delivers it, as far as the object itself says. */
export function applicationOf({ metadata: { annotations = {}, labels = {} } }: Job): string {
  const tracking = annotations[TRACKING]?.split(':')[0]?.split('_').at(-1);
  return tracking ?? labels['app.kubernetes.io/instance'] ?? '';
}

/** What it does to the waves of its application; empty if it has no wave. */
export function gateText({ metadata: { annotations = {} }, status }: Job): string {
  const wave = annotations['argocd.argoproj.io/sync-wave'];
  const block = annotations['mlops.dev/block-wave'];
  if (wave === undefined && block === undefined) return '';
  const held = block === undefined ? 'the next wave' : `wave ${block} and later`;
  const own = `Wave ${wave ?? '0'}`;
  if (status?.phase === 'Succeeded') return `${own} gate passed`;
  return status?.phase === 'Failed' ? `${own} gate failed, blocks ${held}` : `${own} gate, blocks ${held}`;
}

/** What a cell is shown as. */
export function cellState({ status }: Cell): string {
  if (status === 'Success' || status === 'Succeeded') return 'Succeeded';
  if (status === 'Failure' || status === 'Failed') return 'Failed';
  return status === 'Running' ? 'Running' : 'Skipped';
}

export function durationOf({ status }: Job, now: number): number | undefined {
  const start = Date.parse(status?.startTime ?? '');
  const end = Date.parse(status?.completionTime ?? '');
  return Number.isNaN(start) ? undefined : ((Number.isNaN(end) ? now : end) - start) / 1000;
}

/** Colours of a terminal mean nothing on a page. */
export function tracebackOf({ traceback }: Cell): string {
  const text = typeof traceback === 'string' ? traceback : (traceback ?? []).join('\n');
  return text.replaceAll(/\u001b\[[0-9;]*m/g, '');
}
