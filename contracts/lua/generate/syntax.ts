import type { Dice } from './dice.js';
import { tryBlock } from './prelude.js';

const SNIPPETS = [
  'local a, b = 1, "x" return a .. b', 'for i = 1, 10, 2 do if i == 5 then break end end', 'for k, v in pairs({a = 1, 2; 3}) do local t = {k, [v] = k, n = v} end', 'local function f(a, ...) return select("#", ...), a end return f(1, 2)', 'function t.a.b:c(x) return self, x end',
  'while x < 10 do x = x + 1 end repeat local y = x until y > 5', 'do local x <close> = 1 end', 'goto done do local x = 1 end ::done::', 'if a then return 1 elseif b then return 2 else return 3 end', 'return function(...) local a, b = ... return {...}, a, b end', 'a.b["c"].d, e = 1, f(x){y}"z"',
  'return -x ^ 2 + #t * not y == nil', 'local s = [[long]] .. [==[ ]] ]==] .. "esc\\n\\065" .. \'q\'', 'return 0x1F + 1e3 + .5 + 3. + 0X1p', 'x = a and b or c and not d', 'f "s" f {1} f [[x]] f (1)', 'obj:method(1):other{2}:third"3"', 'return (f()), (a.b), ((1))', '-- comment\nreturn 1 --[[ block ]] + --[==[ more ]==] 2', 'local t = {f(), (f()), f = f, ["x y"] = 1, [1] = 2, {}, {{}}}',
  'return a < b and c >= d or e ~= f and g <= h', 'local function fact(n) if n <= 1 then return 1 end return n * fact(n - 1) end', 'return 1 .. 2 .. 3', ';;;', 'local x;local y;x = 1;y = 2', 'return ...', 'break', 'while true do break end', 'for i = 1, 3 do goto continue ::continue:: end', 'return 2^-3^2, - - 1, not not true', "return 'a\\'b', \"c\\\"d\", '\\\n'",
];
const TOKENS = ['end', 'do', 'then', 'if', 'local', 'function', 'return', 'nil', 'not', 'and', 'or', 'in', 'for', 'while', 'repeat', 'until', 'break', 'goto', 'else', 'elseif', 'true', '(', ')', '{', '}', '[', ']', '=', '==', '~=', '..', '...', '.', ':', '::', ',', ';', '+', '-', '#', '^', '1', '0x', '1e', '1..2', '"s"', '"open', '[[', ']]', '[=[', 'x', '_', '--', '--[[', '\\', '@', '!', '~', '&', '$', '\n', '?', '1x', '3.', '.5', '0b1', '>>', '//'];

/** Texts that are nearly Lua: both must take or refuse each, with the same message. None is run. */
export function syntax(dice: Dice): string[] {
  return tryBlock(dice.times(25, 40, () => `show(loadstring([====[\n${mutate(dice, dice.pick(SNIPPETS))}]====]))`));
}

function mutate(dice: Dice, snippet: string): string {
  const tokens = snippet.match(/\s+|[A-Za-z_]\w*|\d[\w.]*|\.{1,3}|[=~<>]=|::|"[^"]*"|'[^']*'|./gs) ?? [];
  for (let changes = dice.between(0, 2); changes > 0; changes--) {
    const at = dice.between(0, tokens.length - 1);
    dice.one([
      () => tokens.splice(at, 1), () => tokens.splice(at, 0, ' ', dice.pick(TOKENS), ' '), () => tokens.splice(at, 1, ' ', dice.pick(TOKENS), ' '), () => tokens.splice(at, 1, tokens[dice.between(0, tokens.length - 1)] ?? ''), () => tokens.splice(at, tokens.length),
    ]);
    if (tokens.length === 0) return '';
  }
  return tokens.join('');
}
