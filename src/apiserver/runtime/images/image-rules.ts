import { Fault } from '../../../model/faults/index.js';
import { isArray, isObject, own, writeJson, type Json } from '../../../model/json/index.js';
import { readOneYaml } from '../../../model/yaml/index.js';
import { IMAGE_ANSWERS, type ImageAnswer } from './image-answers.js';
import type { ImageReference } from './image-reference.js';

/** What is true of some images. `*` stands for any text; parts left out match anything. */
export interface ImageRule {
  readonly registry?: string;
  readonly repository?: string;
  readonly tag?: string;
  /** They cannot be had. */
  readonly answer?: ImageAnswer;
  /** Only these tags exist. */
  readonly tags?: readonly string[];
  /** The tags that exist are those of the ImageStream NAMESPACE/NAME. */
  readonly imageStreams?: boolean;
  /** A pull secret is needed: any, or with one of these users and passwords. */
  readonly credentials?: true | ReadonlyMap<string, string>;
}

/** Every well-formed image exists but these. */
export const IMAGE_RULES: readonly ImageRule[] = [
  { tag: 'does-not-exist*', answer: 'notFound' },
  { repository: '*does-not-exist*', answer: 'denied' },
  { registry: 'does-not-exist*', answer: 'noSuchHost' },
  { registry: '*.invalid', answer: 'noSuchHost' },
  { registry: 'image-registry.openshift-image-registry.svc:5000', imageStreams: true },
  { registry: 'image-registry.openshift-image-registry.svc.cluster.local:5000', imageStreams: true },
];

const FIELDS = ['registry', 'repository', 'tag', 'answer', 'tags', 'imageStreams', 'credentials'];

/** Reads a list of rules; throws a Fault that says which one is wrong. */
export function readImageRules(text: string, file: string): ImageRule[] {
  const list = readOneYaml(text, { dialect: 'kubernetes', file, duplicates: 'error' });
  if (!isArray(list)) throw wrong('rules are a list', file);
  return list.map((rule, index) => readRule(rule, `rule ${index + 1}`, file));
}

function wrong(message: string, where: string): Fault {
  return new Fault('VALUE_INVALID', message, { where });
}

function readRule(raw: Json, name: string, file: string): ImageRule {
  if (!isObject(raw)) throw wrong(`${name} is not a map`, file);
  const unknown = Object.keys(raw).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) throw wrong(`${name}: ${unknown} is not known; known are ${FIELDS.join(', ')}`, file);
  const rule: { -readonly [K in keyof ImageRule]: ImageRule[K] } = {};
  for (const field of ['registry', 'repository', 'tag'] as const) {
    const value = own(raw, field);
    if (value !== undefined && typeof value !== 'string')
      throw wrong(`${name}: ${field} is ${writeJson(value)}, not text; quote numbers`, file);
    if (value !== undefined) rule[field] = value;
  }
  if (raw.answer !== undefined) rule.answer = answerOf(raw.answer, name, file);
  if (raw.tags !== undefined) rule.tags = tagsOf(raw.tags, name, file);
  if (raw.imageStreams === true) rule.imageStreams = true;
  if (raw.credentials !== undefined) rule.credentials = credentialsOf(raw.credentials, name, file);
  return rule;
}

function answerOf(value: Json, name: string, file: string): ImageAnswer {
  if (typeof value !== 'string' || !IMAGE_ANSWERS.includes(value))
    throw wrong(`${name}: answer ${writeJson(value)} is not known; known are ${IMAGE_ANSWERS.join(', ')}`, file);
  return value as ImageAnswer;
}

function tagsOf(value: Json, name: string, file: string): string[] {
  if (!isArray(value) || !value.every((tag) => typeof tag === 'string'))
    throw wrong(`${name}: tags are a list of texts; quote numbers`, file);
  return value;
}

function credentialsOf(value: Json, name: string, file: string): true | ReadonlyMap<string, string> {
  if (value === true) return true;
  if (!isObject(value)) throw wrong(`${name}: credentials are true, or a map from user to password`, file);
  return new Map(Object.keys(value).map((user) => [user, String(own(value, user))]));
}

/** Is the rule about this image? */
export function concerns({ registry, repository, tag }: ImageRule, image: ImageReference): boolean {
  return matches(registry, image.registry) && matches(repository, image.repository) && matches(tag, image.tag);
}

/** Shell-like patterns with `*` only; no regular expression is built from data. */
export function matches(pattern: string | undefined, text: string): boolean {
  if (pattern === undefined) return true;
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    if (index === rest.length - 1) return text.length - part.length >= at && text.endsWith(part);
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}
