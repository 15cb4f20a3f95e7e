import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readStories, readStory } from './read-story.js';

const stories = readStories(join(import.meta.dirname, '../stories'));

const page = readFileSync(join(import.meta.dirname, '../../docs/world.md'), 'utf8');

/** The rows of the table of problems: the seed, and the names of stories in the last cell. */
const rows = page
  .split('\n')
  .map((line) => /^\| (00[0-4]) \| ([\d, -]+) \| [^|]+ \| ([^|]+) \|$/.exec(line))
  .filter((row) => row !== null)
  .map(([, seed = '', lines = '', told = '']) => ({
    seed,
    lines,
    told,
    names: told.startsWith('waits for ') ? [] : [...told.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  }));

describe('the table of problems', () => {
  it('names every story of a document once, under the document that its file names', () => {
    const told = rows.flatMap(({ seed, names }) => names.map((name) => `${seed} ${name}`));
    const ofDocuments = [...stories.values()].filter(({ seed }) => seed !== '');
    expect(told.sort()).toEqual(ofDocuments.map(({ seed, name }) => `${seed} ${name}`).sort());
  });

  it('says of each problem who tells it, or what that waits for', () => {
    expect(
      rows
        .filter(({ names, told }) => names.length === 0 && !told.startsWith('waits for '))
        .map(({ seed, lines }) => `${seed} ${lines}`),
    ).toEqual([]);
    expect(new Set(rows.map(({ seed }) => seed)).size).toBe(5);
  });
});

it('the example of the page is a story', () => {
  const [, text = ''] = /^```yaml\n# stories\/[^\n]+\n(.*?)^```$/ms.exec(page) ?? [];
  expect(readStory('example', text).symptoms).not.toEqual([]);
});
