import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, type Json } from '../../model/json/index.js';
import type { Health } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { readActions, type CatalogueAction } from './catalogue-action.js';
import { compileMessage, type Message } from './message.js';
import { compileRule, isLast, makeHealth, type Rule } from './rule.js';
import { compilePath, EntryError, onlyWords, type Facts, type Reader, type Scope } from './scope.js';
import { numberOf, requiredText } from './compile-test.js';

/** A related object that an entry wants to see, and how its name is found in the object. */
export interface FactDeclaration {
  readonly fact: string;
  readonly group: string;
  readonly kind: string;
  /** The name of the wanted object; undefined where the object does not say one. */
  name(object: KubeObject): string | undefined;
}

/** How an entry of the catalogue judges: by rules, or by a Lua script of ours. */
export type HealthCheck =
  | { readonly by: 'rules'; assess(object: KubeObject, facts: Facts): Health | undefined }
  | { readonly by: 'lua'; readonly script: string; readonly name: string };

export interface CatalogueEntry {
  /** The file, for people who want to read or change it. */
  readonly file: string;
  readonly groups: readonly string[];
  readonly kinds: readonly string[];
  /** The API versions that the rules understand; undefined for all. */
  readonly versions?: readonly string[];
  /** One sentence: which controller writes the status, and what decides. */
  readonly about: string;
  readonly needs: readonly FactDeclaration[];
  readonly health?: HealthCheck;
  readonly actions?: ReadonlyMap<string, CatalogueAction>;
}

const WORDS = ['group', 'kind', 'versions', 'about', 'needs', 'health', 'actions'];
const HEALTH_WORDS = ['observed', 'rules', 'lua'];

/** Reads one document of the catalogue. `luaFile` gives the text of a script that lies beside it. */
export function readEntry(document: Json, file: string, luaFile: (name: string) => string | undefined): CatalogueEntry {
  try {
    if (!isObject(document)) throw new EntryError('', 'must be an object with group, kind and health');
    onlyWords(document, WORDS, '');
    const { versions, needs } = document;
    return {
      file,
      groups: texts(document.group, 'group'),
      kinds: texts(document.kind, 'kind'),
      ...(versions === undefined ? {} : { versions: texts(versions, 'versions') }),
      about: requiredText(document, 'about', ''),
      needs: needs === undefined ? [] : readFactDeclarations(needs),
      ...(document.health === undefined ? {} : { health: readHealthCheck(document.health, file, luaFile) }),
      ...(isObject(document.actions) ? { actions: readActions(document.actions, luaFile) } : {}),
    };
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    throw new Fault(
      'CATALOGUE_INVALID',
      `the catalogue cannot be read: ${error.at === '' ? '' : `${error.at.replace(/^\./, '')}: `}${error.message}`,
      { where: file },
    );
  }
}

function readHealthCheck(health: Json, file: string, luaFile: (name: string) => string | undefined): HealthCheck {
  if (!isObject(health)) throw new EntryError('health', 'must hold rules, or lua');
  onlyWords(health, HEALTH_WORDS, 'health');
  if ((health.rules === undefined) === (health.lua === undefined))
    throw new EntryError('health', 'needs either rules or lua');
  if (health.lua !== undefined) {
    const name = requiredText(health, 'lua', 'health');
    const script = luaFile(name);
    if (script === undefined) throw new EntryError('health.lua', `there is no file ${name} beside ${file}`);
    return { by: 'lua', script, name };
  }
  const { rules } = health;
  if (!isArray(rules) || rules.length === 0) throw new EntryError('health.rules', 'must be a list of rules');
  const compiled = rules.map((rule, index) => compileRule(rule, `health.rules[${index}]`));
  if (!isLast(rules.at(-1)))
    throw new EntryError('health.rules', 'the last rule must have no test, so that every object gets a verdict');
  if (health.observed !== 'ignore') compiled.unshift(observedRule(health.observed));
  return { by: 'rules', assess: (object, facts) => assessByRules(compiled, { object, facts }) };
}

function assessByRules(rules: readonly Rule[], scope: Scope): Health | undefined {
  for (const rule of rules) {
    const health = rule(scope);
    if (health !== undefined) return health;
  }
  return undefined;
}

/** A status from before the newest spec says nothing about it. */
function observedRule(observed: Json | undefined): Rule {
  const path = observed ?? 'status.observedGeneration';
  if (typeof path !== 'string')
    throw new EntryError('health.observed', 'must be the path of the observed generation, or ignore');
  const [seen, wanted]: [Reader, Reader] = [
    compilePath(path, 'health.observed'),
    compilePath('metadata.generation', 'health.observed'),
  ];
  return (scope) => {
    const [from, to] = [numberOf(seen(scope)), numberOf(wanted(scope))];
    if (from === undefined || to === undefined || from >= to) return undefined;
    return makeHealth(
      'Progressing',
      `Waiting for the controller: it has seen generation ${from}, the object is at ${to}`,
    );
  };
}

function readFactDeclarations(needs: Json): FactDeclaration[] {
  if (!isObject(needs))
    throw new EntryError('needs', 'must name the facts, such as { storageClass: { group, kind, name } }');
  return Object.keys(needs).map((fact) => {
    const need = own(needs, fact);
    const at = `needs.${fact}`;
    if (!isObject(need)) throw new EntryError(at, 'must say group, kind and name');
    onlyWords(need, ['group', 'kind', 'name'], at);
    const name: Message = compileMessage(requiredText(need, 'name', at), `${at}.name`);
    return {
      fact,
      group: typeof need.group === 'string' ? need.group : '',
      kind: requiredText(need, 'kind', at),
      name: (object) => name({ object, facts: {} }),
    };
  });
}

function texts(value: Json | undefined, at: string): string[] {
  const list = isArray(value) ? value : [value];
  if (list.length === 0 || !list.every((each): each is string => typeof each === 'string'))
    throw new EntryError(at, 'must be text, or a list of texts');
  return list;
}
