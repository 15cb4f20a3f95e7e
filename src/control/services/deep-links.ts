import { Fault } from '../../model/faults/index.js';
import { type JsonObject, isArray, isObject, own, textAt } from '../../model/json/index.js';
import { isHarmlessLink } from '../../model/formats/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { TextTemplate } from '../../render/index.js';
import { Expression, type Value, type TemplateHost } from '../notify/index.js';

/** What links are for; each has its own list in argocd-cm. */
export type LinkSubject = 'application' | 'resource' | 'project';

export interface DeepLink {
  readonly title: string;
  readonly url: string;
  readonly description?: string;
  readonly iconClass?: string;
}

/** What the templates and conditions of links see. Nothing in it may be secret: whoever sees the link sees it too. */
export interface LinkData {
  readonly resource?: KubeObject;
  readonly application?: KubeObject;
  readonly cluster?: JsonObject;
  readonly project?: KubeObject;
  readonly managedByURL?: string;
}

/**
 * The links of `<subject>.links` for these objects. One that cannot be made, or that a browser should not follow, is
 * left out and reported.
 */
export function deepLinks(
  settings: ReadonlyMap<string, string>,
  subject: LinkSubject,
  data: LinkData,
  host: TemplateHost,
  report: (problem: string) => void,
): DeepLink[] {
  const key = `${subject}.links`;
  const { resource, application, cluster, project, managedByURL } = data;
  const known: JsonObject = {
    ...(resource === undefined ? {} : { resource }),
    ...(application === undefined ? {} : { application, app: application }),
    ...(cluster === undefined ? {} : { cluster }),
    ...(project === undefined ? {} : { project }),
    ...(managedByURL === undefined || !isHarmlessLink(managedByURL) ? {} : { managedByURL }),
  };
  return entriesOf(settings.get(key) ?? '', key, report).flatMap((entry) => {
    try {
      return linkOf(entry, known, host) ?? [];
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      report(`a link of ${key} cannot be rendered: ${error.message}`);
      return [];
    }
  });
}

function entriesOf(text: string, key: string, report: (problem: string) => void): JsonObject[] {
  try {
    const entries = text.trim() === '' ? [] : readOneYaml(text, { dialect: 'kubernetes', file: key });
    if (isArray(entries)) return entries.filter(isObject);
    throw new Fault('VALUE_INVALID', 'must be a list of links');
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    report(`${key} of argocd-cm ignored: ${error.message}`);
    return [];
  }
}

function linkOf(entry: JsonObject, data: JsonObject, host: TemplateHost): DeepLink | undefined {
  const [title, description, iconClass, condition] = [
    textAt(entry, 'title'),
    textAt(entry, 'description'),
    textAt(entry, 'icon.class'),
    own(entry, 'if'),
  ];
  if (typeof condition === 'string' && !holds(condition, data)) return undefined;
  const url = TextTemplate.parse('deep-link', textAt(entry, 'url')).fill(data, host);
  if (!isHarmlessLink(url))
    throw new Fault('VALUE_INVALID', `"${title}" is neither an http(s) URL nor a path of this server`);
  return { title, url, ...(description === '' ? {} : { description }), ...(iconClass === '' ? {} : { iconClass }) };
}

function holds(condition: string, data: JsonObject): boolean {
  const value = Expression.parse(condition).evaluate(
    new Map<string, Value>(Object.keys(data).map((name) => [name, own(data, name) ?? null])),
  );
  if (typeof value !== 'boolean')
    throw new Fault('VALUE_INVALID', `the condition "${condition}" does not return a boolean`);
  return value;
}
