import type { Container, TerminatedState } from './container-state.js';

/** Whether a container that ended is started again. */
export function isRestarted({ role }: Container, { exitCode }: TerminatedState, restartPolicy: string): boolean {
  if (role === 'sidecar') return true;
  if (role === 'init') return exitCode !== 0 && restartPolicy !== 'Never';
  return restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
}

/** The run that a container has behind it while it waits or is over. */
function endOf({ phase, last }: Container): TerminatedState | undefined {
  if (phase.kind === 'terminated') return phase;
  return phase.kind === 'waiting' ? last : undefined;
}

/** The pod's phase. `over`: nothing will be started any more. */
export function phaseOf(containers: readonly Container[], restartPolicy: string, over: boolean): string {
  const inits = containers.filter(({ role }) => role === 'init');
  const sidecars = containers.filter(({ role }) => role === 'sidecar');
  const apps = containers.filter(({ role }) => role === 'app');
  const failedInit = inits.some((each) => {
    const end = endOf(each);
    return end !== undefined && end.exitCode !== 0 && (over || !isRestarted(each, end, restartPolicy));
  });
  if (failedInit) return 'Failed';
  const initPending = inits.some(
    (each) => each.phase.kind === 'running' || (each.phase.kind === 'waiting' && each.last === undefined),
  );
  const hasStarted = apps.some(({ phase, last }) => phase.kind !== 'waiting' || last !== undefined);
  const sidecarPending = sidecars.some(({ phase, last }) =>
    phase.kind === 'running' ? !phase.started : phase.kind === 'waiting' && last === undefined,
  );
  if (initPending || (sidecarPending && !hasStarted) || inits.some((each) => (endOf(each)?.exitCode ?? 0) !== 0))
    return 'Pending';
  if ([...apps, ...sidecars].some(({ phase, last }) => phase.kind === 'waiting' && last === undefined))
    return over && apps.every((each) => endOf(each)) ? endPhase(apps) : 'Pending';
  if ([...apps, ...sidecars].some(({ phase }) => phase.kind === 'running')) return 'Running';
  const goesOn = apps.some((each) => {
    const end = endOf(each);
    return end !== undefined && isRestarted(each, end, restartPolicy);
  });
  return goesOn && !over ? 'Running' : endPhase(apps);
}

function endPhase(apps: readonly Container[]): string {
  return apps.every((each) => endOf(each)?.exitCode === 0) ? 'Succeeded' : 'Failed';
}
