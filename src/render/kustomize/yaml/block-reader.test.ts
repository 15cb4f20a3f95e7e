import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { equal, isArray, parseJson, type Json } from '../../../model/json/index.js';
import { Fault } from '../../../model/faults/index.js';
import { readNode } from './block-reader.js';
import { nodeJson } from './node-json.js';
import type { YamlNode } from './node.js';
import { writeNode } from './write-node.js';

/** A text, then what go-yaml v2 and v3 make of it: JSON documents, or `!` and the error; one where both agree. */
type Case = readonly [string, string, string?];

function cases(name: string): Case[] {
  return JSON.parse(readFileSync(new URL(`../../../model/yaml/cases/${name}.json`, import.meta.url), 'utf8')) as Case[];
}

/** The value of the first document, or that it cannot be read. */
function first(text: string): Json | Fault {
  try {
    const node = readNode(text);
    return node === undefined ? null : nodeJson(unquirked(node));
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/**
 * Kustomize writes nodes and reads them again, which changes folded texts and what is empty inside brackets. Not so
 * here.
 */
function unquirked(node: YamlNode): YamlNode {
  if (node.style === 'folded') node.style = 'literal';
  if (node.style === 'flow') node.style = 'plain';
  for (const { key, value } of node.entries) [key, value].forEach(unquirked);
  node.items.forEach(unquirked);
  return node;
}

function hasMore(text: string): boolean {
  return /^(?:---|\.\.\.|%)/m.test(text.replace(/^(?:%[^\n]*\n|#[^\n]*\n|\s)*---/, ''));
}

describe('nodes hold what go-yaml v3 reads', () => {
  it.each(['scalars', 'structures'])('%s', (name) => {
    const wrong: unknown[] = [];
    for (const [text, both, v3] of cases(name)) {
      const expected = v3 ?? both;
      const found = first(text);
      if (expected.startsWith('!')) {
        // Only the first document is read, so an error in a later one stays unseen.
        if (!(found instanceof Fault) && !hasMore(text)) wrong.push([text, expected, found]);
        continue;
      }
      const documents = parseJson(expected);
      const value = isArray(documents) ? (documents[0] ?? null) : null;
      if (found instanceof Fault ? true : !equal(found, value)) wrong.push([text, expected, found]);
    }
    expect(wrong).toEqual([]);
  });

  it.each(['scalars', 'structures'])('%s are the same after they were written', (name) => {
    const wrong: unknown[] = [];
    for (const [text] of cases(name)) {
      const value = first(text);
      const node = value instanceof Fault ? undefined : readNode(text);
      if (value instanceof Fault || node === undefined) continue;
      const again = first(writeNode(unquirked(node)));
      if (again instanceof Fault || !equal(again, value)) wrong.push([text, writeNode(node), value, again]);
    }
    expect(wrong).toEqual([]);
  });
});
