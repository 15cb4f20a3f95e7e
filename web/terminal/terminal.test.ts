import { describe, expect, it } from 'vitest';
import { Escapes } from './escapes';
import { textOfKey, type KeyPress } from './keys';
import { Screen } from './screen';

const E = '\u001B';

function terminal(
  columns = 10,
  lines = 4,
): { readonly screen: Screen; readonly replies: string[]; readonly escapes: Escapes } {
  const screen = new Screen(columns, lines);
  const replies: string[] = [];
  return {
    screen,
    replies,
    escapes: new Escapes(screen, (text) => {
      replies.push(text);
    }),
  };
}

/** Texts that programs send, and what is on a screen of ten by four after them. */
const CASES: readonly (readonly [what: string, sent: string, shown: string])[] = [
  ['lines', 'one\r\ntwo', 'one\ntwo'],
  ['a line that is too long', '0123456789ab', '0123456789\nab'],
  ['a line that is just full, and the next', '0123456789\r\nab', '0123456789\nab'],
  ['more lines than there are', 'a\r\nb\r\nc\r\nd\r\ne', 'b\nc\nd\ne'],
  ['what is typed over', 'abc\b\bX', 'aXc'],
  ['a prompt that is drawn anew', `long line\r${E}[K$ `, '$'],
  ['tabs', 'a\tb', 'a       b'],
  ['places', `${E}[2;3Hx${E}[1;1Hy`, 'y\n  x'],
  ['places outside', `${E}[99;99Hx`, '\n\n\n         x'],
  ['moves', `abc${E}[2Dx${E}[By${E}[Az`, 'axcz\n  y'],
  ['what is erased to the end', `abc\r\ndef${E}[1;2H${E}[J`, 'a'],
  ['what is erased to the beginning', `abc\r\ndef${E}[2;2H${E}[1J`, '\n  f'],
  ['a clear screen', `abc\r\ndef${E}[2J${E}[Hx`, 'x'],
  ['characters that are put in and taken out', `abcd${E}[1;2H${E}[2@${E}[1;6H${E}[P`, 'a  bc'],
  ['characters that are wiped', `abcd${E}[1;2H${E}[2X`, 'a  d'],
  ['lines that are put in', `a\r\nb\r\nc${E}[2;1H${E}[L`, 'a\n\nb\nc'],
  ['lines that are taken out', `a\r\nb\r\nc${E}[1;1H${E}[M`, 'b\nc'],
  ['a region that moves alone', `a\r\nb\r\nc\r\nd${E}[2;3r${E}[3;1H\n`, 'a\nc\n\nd'],
  ['a step back at the top', `a\r\nb${E}[1;1H${E}M`, '\na\nb'],
  ['colours and titles, which are no text', `${E}]0;title\u0007${E}[1;31mred${E}[0m ${E}(B${E}[?2004hok`, 'red ok'],
  ['colours out of many', `${E}[38;5;196;48;2;1;2;3mx${E}[my`, 'xy'],
  ['an editor that comes and goes', `before${E}[?1049h${E}[2J${E}[Hediting${E}[?1049l!`, 'before!'],
  ['a place that is remembered', `ab${E}7cd${E}8X`, 'abXd'],
  ['bells and bytes that mean nothing', 'a\u0007\u0000b', 'ab'],
  ['orders that nobody knows', `${E}[5ya${E}=b${E}[>4;1mc`, 'abc'],
];

describe('the terminal screen', () => {
  it.each(CASES)('shows %s', (_, sent, shown) => {
    const { screen, escapes } = terminal();
    escapes.write(sent);
    expect(screen.text).toBe(shown);
  });

  it.each(CASES)('shows %s also when sent character by character', (_, sent, shown) => {
    const { screen, escapes } = terminal();
    for (const letter of sent) escapes.write(letter);
    expect(screen.text).toBe(shown);
  });

  it('keeps a bounded scrollback', () => {
    const { screen, escapes } = terminal(10, 2);
    for (let line = 0; line < 1500; line++) escapes.write(`${line}\r\n`);
    expect([
      screen.scrollback.length,
      screen.scrollback
        .at(-1)
        ?.cells.map(({ text }) => text)
        .join('')
        .trim(),
    ]).toEqual([1000, '1498']);
    escapes.write(`${E}[3J`);
    expect(screen.scrollback).toEqual([]);
  });

  it('answers cursor position and device queries', () => {
    const { escapes, replies } = terminal();
    escapes.write(`${E}[2;3H${E}[6n${E}[c${E}[5n`);
    expect(replies).toEqual([`${E}[2;3R`, `${E}[?1;2c`, `${E}[0n`]);
  });

  it('keeps the cursor and the latest lines when it shrinks', () => {
    const { screen, escapes } = terminal();
    escapes.write('a\r\nb\r\nc\r\nd');
    screen.resize(5, 2);
    expect([screen.text, screen.row, screen.scrollback.length]).toEqual(['c\nd', 1, 2]);
    screen.resize(20, 3);
    escapes.write('!');
    expect(screen.text).toBe('c\nd!');
  });

  it('styles each character', () => {
    const { screen, escapes } = terminal();
    escapes.write(`${E}[1;4;7;91;42mx${E}[22;24;27;39;49my`);
    expect(screen.rows[0]?.cells.slice(0, 2).map(({ style }) => style)).toEqual([
      { colour: 9, background: 2, isBold: true, isUnderlined: true, isInverse: true },
      { colour: undefined, background: undefined, isBold: false, isUnderlined: false, isInverse: false },
    ]);
  });

  it('drops unterminated escape sequences', () => {
    const { screen, escapes } = terminal();
    escapes.write(`${E}]0;${'x'.repeat(5000)}`);
    escapes.write('a');
    for (let turn = 0; turn < 20_000; turn++) escapes.write(String.fromCharCode((turn * 7919) % 256));
    expect(screen.rows).toHaveLength(4);
    expect(screen.rows.every(({ cells }) => cells.length <= 10)).toBe(true);
  });
});

describe('terminal keys', () => {
  const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
    key,
    ctrlKey: false,
    altKey: false,
    metaKey: false,
    shiftKey: false,
    ...more,
  });

  it.each<[string, KeyPress, string | undefined]>([
    ['a letter', press('a'), 'a'],
    ['a capital', press('A', { shiftKey: true }), 'A'],
    ['Enter', press('Enter'), '\r'],
    ['Ctrl-C', press('c', { ctrlKey: true }), '\u0003'],
    ['Ctrl-[', press('[', { ctrlKey: true }), E],
    ['Alt-b', press('b', { altKey: true }), `${E}b`],
    ['an arrow', press('ArrowUp'), `${E}[A`],
    ['an arrow with Ctrl', press('ArrowLeft', { ctrlKey: true }), `${E}[1;5D`],
    ['Backspace', press('Backspace'), '\u007F'],
    ['Tab', press('Tab'), '\t'],
    ['Shift+Tab, which leaves', press('Tab', { shiftKey: true }), undefined],
    ['copy', press('C', { ctrlKey: true, shiftKey: true }), undefined],
    ["the system's key", press('c', { metaKey: true }), undefined],
    ['Shift alone', press('Shift', { shiftKey: true }), undefined],
  ])('%s', (_, pressed, text) => {
    expect(textOfKey(pressed, false)).toBe(text);
  });

  it('arrow keys in application mode', () => {
    expect(textOfKey(press('ArrowUp'), true)).toBe(`${E}OA`);
  });
});
