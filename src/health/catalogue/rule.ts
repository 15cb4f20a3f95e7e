import { HEALTH_STATUSES, isHealthStatus, type Health, type HealthStatus } from '../../model/argo/index.js';
import { isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { compileMessage, textOf, type Message } from './message.js';
import { EntryError, type Scope } from './scope.js';
import { compileTest, TEST_WORDS } from './compile-test.js';

/** A verdict, or undefined where the rule does not apply and the next one is asked. */
export type Rule = (scope: Scope) => Health | undefined;

const RULE_WORDS: ReadonlySet<string> = new Set([...TEST_WORDS, 'then', 'map', 'message']);

/** `{ <test>, then: Status, message: text }`, or `{ field or condition, map: { value: Status }, message: text }`. */
export function compileRule(rule: Json, at: string): Rule {
  if (!isObject(rule))
    throw new EntryError(at, 'must be a rule, such as { condition: Ready, is: "True", then: Healthy }');
  const stranger = Object.keys(rule).find((word) => !RULE_WORDS.has(word));
  if (stranger !== undefined)
    throw new EntryError(at, `${JSON.stringify(stranger)} is no word of a rule: docs/catalogue.md lists them`);
  if ((rule.then === undefined) === (rule.map === undefined)) throw new EntryError(at, 'needs either then or map');
  return rule.map === undefined ? thenRule(rule, at) : mapRule(rule, at);
}

/** A rule without a test, which always answers. */
export function isLast(rule: Json | undefined): boolean {
  return isObject(rule) && rule.map === undefined && compileTest(rule, 'rule') === undefined;
}

function thenRule(rule: JsonObject, at: string): Rule {
  const status = statusAt(rule.then, `${at}.then`);
  const test = compileTest(rule, at);
  const message = messageAt(rule, at);
  return (scope) => (test === undefined || test(scope) ? makeHealth(status, message(scope)) : undefined);
}

function mapRule(rule: JsonObject, at: string): Rule {
  if (!isObject(rule.map))
    throw new EntryError(
      `${at}.map`,
      'must say which value means which status, such as { Running: Healthy, Failed: Degraded }',
    );
  if (rule.field === undefined && rule.condition === undefined)
    throw new EntryError(at, 'a map needs a field or a condition');
  const statuses = new Map(
    Object.keys(rule.map).map((value) => [value, statusAt(own(rule.map as JsonObject, value), `${at}.map.${value}`)]),
  );
  const test = compileTest(rule, at);
  const message = messageAt(rule, at);
  return (scope) => {
    if (test !== undefined && !test(scope)) return undefined;
    const status = statuses.get(textOf(scope.value));
    return status === undefined ? undefined : makeHealth(status, message(scope));
  };
}

/** One sentence for the rule, or one for each value of a map. A condition speaks for itself where nothing is said. */
function messageAt(rule: JsonObject, at: string): Message {
  const { message } = rule;
  if (message === undefined)
    return rule.condition === undefined ? () => undefined : compileMessage('{condition.message}', at);
  if (typeof message === 'string') return compileMessage(message, `${at}.message`);
  if (!isObject(message) || rule.map === undefined)
    throw new EntryError(`${at}.message`, 'must be a text, or with a map one text for each value');
  const byValue = new Map(
    Object.keys(message).map((value) => {
      const text = own(message, value);
      if (typeof text !== 'string') throw new EntryError(`${at}.message.${value}`, 'must be a text');
      return [value, compileMessage(text, `${at}.message.${value}`)];
    }),
  );
  return (scope) => byValue.get(textOf(scope.value))?.(scope);
}

function statusAt(value: Json | undefined, at: string): HealthStatus {
  if (!isHealthStatus(value))
    throw new EntryError(at, `${JSON.stringify(value)} is not a health status: choose ${HEALTH_STATUSES.join(', ')}`);
  return value;
}

export function makeHealth(status: HealthStatus, message: string | undefined): Health {
  return message === undefined ? { status } : { status, message };
}
