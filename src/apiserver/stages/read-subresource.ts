import { own, type Json, type JsonObject } from '../../model/json/index.js';
import { readYaml } from '../../model/yaml/index.js';
import { DYN, type CelType } from '../cel/index.js';
import { inside, type Place } from './expressions.js';
import { mapOf, onlyFields, textOf } from './stage-fields.js';
import type { PlayedSubresource } from './subresource.js';
import { compileTemplate } from './templates.js';

const FIELDS = ['follows', 'of', 'name', 'patch', 'answer'];
const SELF: ReadonlyMap<string, CelType> = new Map([['self', DYN]]);

/** Reads the subresources of one file, a document each. */
export function readSubresources(text: string, file: string): PlayedSubresource[] {
  return readYaml(text, { dialect: 'kubernetes', file, duplicates: 'error' }).flatMap(({ value }) =>
    value === null ? [] : [readSubresource(value, file)],
  );
}

function readSubresource(raw: Json, file: string): PlayedSubresource {
  const place: Place = { file, stage: '', field: '' };
  const map = mapOf(raw, place);
  onlyFields(map, FIELDS, place);
  textOf(map.follows, inside(place, 'follows'));
  const of = mapOf(map.of, inside(place, 'of'));
  onlyFields(of, ['group', 'kind'], inside(place, 'of'));
  const template = (name: 'patch' | 'answer'): ReturnType<typeof compileTemplate> => {
    const object: JsonObject = mapOf(own(map, name), inside(place, name));
    return compileTemplate(object, SELF, inside(place, name));
  };
  return {
    file,
    of: {
      group: textOf(of.group ?? '', inside(place, 'of.group'), true),
      kind: textOf(of.kind, inside(place, 'of.kind')),
    },
    name: textOf(map.name, inside(place, 'name')),
    patch: template('patch'),
    answer: template('answer'),
  };
}
