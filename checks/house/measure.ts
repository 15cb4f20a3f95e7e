import { findCycle, importGraph, mutualSiblings } from './import-graph.js';
import { retiredPhrases, retiredWords } from './retired-words.js';
import { anyTypes, doorNames, nestedTernaries } from './syntax.js';
import { isTest, readSourceFiles, type SourceFile } from './source-files.js';

/** One figure: how many there are, and where. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly places: readonly string[];
  /** What must hold; figures without a bar are only for the reader. */
  readonly max?: number;
}

const WIDTH = 120;
const LENGTH = 500;
const NAMES = 79;

export function measureHouse(): Figure[] {
  const code = readSourceFiles('.ts', '.tsx');
  const all = [...code, ...readSourceFiles('.mjs', '.js')];
  const product = code.filter(({ path }) => /^(src|web)\//.test(path) && !isTest(path));
  const graph = importGraph(product);
  const doors = product.filter(({ path }) => /^src\/[^/]+\/([^/]+\/)?index\.ts$/.test(path));
  const docs = readSourceFiles('.md').filter(({ path }) => !path.startsWith('docs/decisions/'));
  const sized = code.filter(({ path }) => !isTest(path));
  return [
    { name: 'files of the product', value: product.length, places: [] },
    { name: 'lines of the product', value: sum(product.map(linesOf)), places: [] },
    { name: 'lines of the median file', value: median(product.map(linesOf)), places: [] },
    zero(`lines over ${WIDTH} columns`, all.flatMap(wideLines)),
    zero('nested ternaries', code.flatMap(nestedTernaries)),
    zero('mutual sibling pairs', mutualSiblings(graph)),
    zero('import cycles', findCycle(graph)),
    { ...widest(doors), max: NAMES },
    zero(
      `files over ${LENGTH} lines`,
      sized.filter((file) => linesOf(file) > LENGTH).map(({ path }) => path),
    ),
    zero('retired words', [...code.flatMap(retiredWords), ...docs.flatMap(retiredPhrases)]),
    zero('any', product.flatMap(anyTypes)),
  ];
}

const zero = (name: string, places: readonly string[]): Figure => ({ name, value: places.length, places, max: 0 });
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const linesOf = ({ text }: SourceFile): number => text.split('\n').length - 1;

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function wideLines({ path, text }: SourceFile): string[] {
  return text.split('\n').flatMap((line, index) => (line.length > WIDTH ? [`${path}:${index + 1}`] : []));
}

function widest(doors: readonly SourceFile[]): Figure {
  const counted = doors.map((door) => ({ path: door.path, names: doorNames(door).length }));
  counted.sort((a, b) => b.names - a.names);
  return {
    name: `names of the widest of ${doors.length} doors`,
    value: counted[0]?.names ?? 0,
    places: counted.slice(0, 5).map(({ path, names }) => `${path} ${names}`),
  };
}
