import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Change } from './change.js';
import { REPO_NAMESPACE, STRINGS_NAMESPACE, timeNamespace } from './expression/namespaces.js';
import { formatValue, type Value } from './expression/value.js';
import { stateKey, type NotifiedState } from './notified-state.js';
import type { Destination } from './service.js';
import type { Condition, NotifySettings } from './settings.js';

/** A message that is to be written and sent. */
export interface DueMessage {
  readonly trigger: string;
  readonly key: string;
  readonly templates: readonly string[];
  readonly destination: Destination;
}

export interface TriggerEvaluation {
  readonly due: readonly DueMessage[];
  /** Conditions that are no longer true: they trigger again next time. */
  readonly over: readonly string[];
  readonly problems: readonly string[];
  readonly counts: readonly { readonly trigger: string; readonly isTriggered: boolean }[];
}

/** Due notifications for the current state of an application that were not sent yet. */
export function evaluateTriggers(
  settings: NotifySettings,
  destinations: ReadonlyMap<string, readonly Destination[]>,
  application: KubeObject,
  change: Change,
  state: NotifiedState,
  now: Date,
): TriggerEvaluation {
  const variables = new Map<string, Value>([
    ['app', application],
    ['context', { ...settings.context }],
    ['change', { ...change }],
    ['time', timeNamespace(now)],
    ['strings', STRINGS_NAMESPACE],
    ['repo', REPO_NAMESPACE],
  ]);
  const [due, over, problems, counts]: [DueMessage[], string[], string[], { trigger: string; isTriggered: boolean }[]] =
    [[], [], [], []];
  for (const [trigger, to] of destinations) {
    const conditions = settings.triggers.get(trigger);
    if (conditions === undefined) problems.push(`trigger '${trigger}' is not configured`);
    for (const [index, condition] of (conditions ?? []).entries()) {
      const { isTriggered, oncePer } = evaluateCondition(condition, variables, (problem) => {
        problems.push(`trigger '${trigger}': ${problem}`);
      });
      counts.push({ trigger, isTriggered });
      for (const destination of to) {
        const key = stateKey(trigger, index, condition.when.source, oncePer, destination);
        if (isTriggered && !state.has(key)) due.push({ trigger, key, templates: condition.send, destination });
        else if (!isTriggered && state.has(key)) over.push(key);
      }
    }
  }
  return { due, over, problems, counts };
}

/** As in Argo CD a condition without a value does not hold, and one that does not hold has no `oncePer`. */
function evaluateCondition(
  { when, oncePer }: Condition,
  variables: ReadonlyMap<string, Value>,
  report: (problem: string) => void,
): { readonly isTriggered: boolean; readonly oncePer: string } {
  const value = tryEvaluate(() => when.evaluate(variables), when.source, report);
  if (value !== true) return { isTriggered: false, oncePer: '' };
  const once =
    oncePer === undefined ? undefined : tryEvaluate(() => oncePer.evaluate(variables), oncePer.source, report);
  return { isTriggered: true, oncePer: once === undefined ? '' : formatValue(once) };
}

function tryEvaluate(evaluate: () => Value, source: string, report: (problem: string) => void): Value | undefined {
  try {
    return evaluate();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    report(`${source}: ${error.message}`);
    return undefined;
  }
}
