import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileLua } from '../compile-lua.js';
import { LuaError } from '../lua-error.js';
import { runLua } from '../run-lua.js';

/** What a script prints; the libraries are open, and it is the 14th of November 2023. */
function printsOf(script: string, budget = {}): string {
  const lines: string[] = [];
  runLua(
    compileLua(script),
    {},
    { openLibs: true, now: () => 1_700_000_000_000, print: (line) => void lines.push(`${line}\n`), budget },
  );
  return lines.join('');
}

const cases = new URL('./cases/', import.meta.url);
const calls = new URL('./calls/', cases);

/** Scripts of ours, and what gopher-lua 1.1.2 prints for them when the libraries are opened as Argo CD opens them. */
describe('scripts print what they print in gopher-lua', () => {
  const names = readdirSync(cases).filter((name) => name !== 'calls');
  it.each(names)('%s', (name) => {
    const read = (file: string): string => readFileSync(new URL(`${name}/${file}`, cases), 'utf8');
    expect(printsOf(read('script.lua'))).toBe(read('prints.txt'));
  });
});

/** Each file is a list of calls and what `print(pcall(...))` shows of them in gopher-lua. */
describe('single calls give what gopher-lua gives', () => {
  for (const file of readdirSync(calls)) {
    it(file.slice(0, -'.json'.length), () => {
      const expected = JSON.parse(readFileSync(new URL(file, calls), 'utf8')) as readonly (readonly [string, string])[];
      const given = expected.map(([call]) => [
        call,
        printsOf(`print(pcall(function() return ${call} end))`).replace(/\n$/, ''),
      ]);
      expect(given).toEqual(expected);
    });
  }
});

describe('no call of a library escapes the budget', () => {
  it.each([
    ['repeats', 'string.rep("x", 1e9)'],
    ['repeats of repeats', 'local s = "x" while true do s = string.rep(s, 1000) end'],
    ['wide formats', 'local t = {} for i = 1, 1e6 do t[i] = string.format("%9999999d", i) end'],
    ['precise formats', 'for i = 1, 1e6 do string.format("%.9999999f", i) end'],
    ['replacements', 'local s = string.rep("x", 1e6) string.gsub(s, ".", s)'],
    ['replacements by captures', 'local s = string.rep("x", 1e6) string.gsub(s, ".*", string.rep("%0", 1000))'],
    ['replacing functions', 'local s = string.rep("x", 1e6) string.gsub(s, ".", function() return s end)'],
    ['backtracking', 'string.find(string.rep("a", 1e5), string.rep("a-", 50) .. "b")'],
    ['more backtracking', 'string.find(string.rep("a", 5000), ".*.*.*.*.*b")'],
    ['matches', 'while true do string.gmatch(string.rep("x", 1e6), "()") end'],
    ['back references', 'string.find(string.rep("a", 20000), "(a*)%1b")'],
    ['balanced pairs', 'string.find(string.rep("(", 1e6), "%b()")'],
    ['long patterns', 'while true do string.find("x", string.rep("[a-z]", 1e5)) end'],
    ['joins', 'local t = {} for i = 1, 1e5 do t[i] = string.rep("x", 100) end while true do table.concat(t) end'],
    ['separators', 'local t = {} for i = 1, 1e5 do t[i] = 1 end table.concat(t, string.rep("x", 1e6))'],
    ['wrong orders', 'local t = {} for i = 1, 1e6 do t[i] = i end table.sort(t, function() return true end)'],
    ['sorting over and over', 'local t = {} for i = 1, 1000 do t[i] = -i end while true do table.sort(t) end'],
    ['unpacked tables', 'unpack({}, 1, 1e12)'],
    ['more unpacked tables', 'local t = {} for i = 1, 1e5 do t[i] = i end while true do unpack(t) end'],
    ['bytes', 'local s = string.rep("x", 1e6) while true do string.byte(s, 1, -1) end'],
    ['huge keys', 'local t = {} for i = 1, 1e4 do t[i * 6000] = 1 end'],
    ['insertions at the front', 'local t = {} for i = 1, 1e7 do table.insert(t, 1, i) end'],
    ['texts of numbers', 'local s = string.rep("1", 1e6) .. "x" while true do tonumber(s) end'],
    ['loaded chunks', 'while true do loadstring("return 1")() end'],
    ['loading readers', 'load(function() return "x" end)'],
    ['dates', 'while true do os.date(string.rep("%c", 1e5)) end'],
    ['cases', 'local s = string.rep("\\195\\169", 1e6) while true do s:upper() end'],
    ['reversals', 'local s = string.rep("x", 1e6) while true do s:reverse() end'],
    ['searches for plain text', 'local s = string.rep("a", 1e6) while true do string.find(s, "b", 1, true) end'],
    [
      'slow searches for plain text',
      'local s, w = string.rep("a", 1e6), string.rep("a", 1e5) .. "b" while true do string.find(s, w, 1, true) end',
    ],
    [
      'selections',
      'local function f(...) return select(2, ...) end local t = {} for i = 1, 1e4 do t[i] = i end while ' +
        'true do f(unpack(t)) end',
    ],
    ['prints', 'local s = string.rep("x", 1e6) while true do print(s) end'],
  ])('%s', (_, script) => expect(() => printsOf(script, { steps: 500_000, memory: 16_000_000 })).toThrow(LuaError));
});
