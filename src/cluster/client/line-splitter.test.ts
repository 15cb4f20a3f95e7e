import { describe, expect, it } from 'vitest';
import { LineSplitter, LineTooLong } from './line-splitter.js';

const TEXT = '{"a":"Grüße"}\n\n{"b":"日本語"}\n{"c":"😀🏳️‍🌈"}\n';
const LINES = ['{"a":"Grüße"}', '{"b":"日本語"}', '{"c":"😀🏳️‍🌈"}'];

describe('LineSplitter', () => {
  it('gives the same lines for every way to cut the bytes in two', () => {
    const bytes = Buffer.from(TEXT);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const splitter = new LineSplitter(1000);
      expect([...splitter.push(bytes.subarray(0, cut)), ...splitter.push(bytes.subarray(cut))]).toEqual(LINES);
      expect(splitter.isInLine).toBe(false);
    }
  });

  it('gives the same lines byte by byte', () => {
    const splitter = new LineSplitter(1000);
    expect([...Buffer.from(TEXT)].flatMap((byte) => splitter.push(Buffer.of(byte)))).toEqual(LINES);
  });

  it('knows when a stream ends inside a line', () => {
    const splitter = new LineSplitter(1000);
    expect(splitter.push(Buffer.from('whole\nhal'))).toEqual(['whole']);
    expect(splitter.isInLine).toBe(true);
    expect(splitter.push(Buffer.from('f\n'))).toEqual(['half']);
    expect(splitter.isInLine).toBe(false);
  });

  it('rejects a line that is too long, however it is split', () => {
    const splitter = new LineSplitter(10);
    expect(splitter.push(Buffer.from('0123456789\n'))).toEqual(['0123456789']);
    splitter.push(Buffer.from('01234567'));
    expect(() => splitter.push(Buffer.from('89a'))).toThrow(LineTooLong);
  });

  it('takes 10 MB in small pieces without copying the line for each', () => {
    const splitter = new LineSplitter(1 << 24);
    const piece = Buffer.alloc(1 << 14, 'x');
    for (let sent = 0; sent < 640; sent++) expect(splitter.push(piece)).toEqual([]);
    expect(splitter.push(Buffer.from('\n'))[0]).toHaveLength(640 << 14);
  });
});
