import type { GoValue } from '../template/value/go-value.js';
import type { Check } from './check.js';
import { checkCount, isNumber } from './limits.js';
import { localNumber, type ValidationError } from './validation-error.js';
import { sameValue } from './same-value.js';

export function checkItems(check: Check, items: readonly GoValue[]): void {
  const { schema } = check;
  checkCount(check, 'Items', items.length);
  if (schema.uniqueItems) checkUnique(check, items);
  const count = Math.min(schema.firstItems.length, items.length);
  for (const [index, one] of schema.firstItems.slice(0, count).entries())
    check.addAll(check.part(one, items[index] ?? null, String(index)));
  const rest = items.slice(count);
  if (schema.otherItems === false && rest.length > 0)
    check.add(`last ${localNumber(rest.length)} additionalItem(s) not allowed`);
  if (typeof schema.otherItems === 'object') {
    // The library counts these from zero again.
    for (const [index, item] of rest.entries()) check.addAll(check.part(schema.otherItems, item, String(index)));
  }
  checkContains(check, items);
}

function checkUnique(check: Check, items: readonly GoValue[]): void {
  const seen = new Map<string, number[]>();
  for (const [index, item] of items.entries()) {
    // Numbers that are equal may be written differently, so only other scalars are told apart by their text.
    const key =
      typeof item === 'string' || typeof item === 'boolean' || item === null ? `${typeof item} ${String(item)}` : '';
    const others = seen.get(key) ?? [];
    const same = others.find((other) => sameValue(item, items[other] ?? null));
    if (same !== undefined) return check.add(`items at ${localNumber(same)} and ${localNumber(index)} are equal`);
    others.push(index);
    seen.set(key, others);
    check.budget.steps += others.length;
  }
}

function checkContains(check: Check, items: readonly GoValue[]): void {
  const { contains, draft, limits } = check.schema;
  if (contains === undefined) return;
  const problems: ValidationError[] = [];
  const matched: number[] = [];
  for (const [index, item] of items.entries()) {
    const problem = check.part(contains, item, String(index));
    if (problem !== undefined) problems.push(problem);
    else {
      matched.push(index);
      if (draft >= 2020) check.left.items.delete(index);
    }
  }
  const [least, most] = [limits.get('minContains'), limits.get('maxContains')];
  const places = `but matched ${localNumber(matched.length)} items at ${matched.join(' ')}`;
  if (isNumber(least)) {
    if (matched.length < least)
      check.add(
        `min ${localNumber(Number(least))} items required to match contains schema, ` +
          (matched.length === 0 ? 'but none matched' : places),
        problems,
      );
  } else if (matched.length === 0) check.add('no items match contains schema', problems);
  if (isNumber(most) && matched.length > most)
    check.add(`max ${localNumber(Number(most))} items required to match contains schema, ${places}`);
}
