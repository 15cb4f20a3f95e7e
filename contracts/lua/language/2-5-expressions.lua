-- arithmetic
print(1 + 2, 3 - 5, 4 * 2.5, 7 / 2, 7 % 3, -7 % 3, 7 % -3, -7 % -3, 5.5 % 2, 2 ^ 10, 2 ^ -1, 4 ^ 0.5)
print(-2 ^ 2, 2 ^ 3 ^ 2, -3 + 5, - -3, 1 - -1, 2 * -3)
print(1 + 2 * 3, (1 + 2) * 3, 10 - 3 - 2, 100 / 10 / 2, 2 * 3 % 4, 1 + 1 .. "")
-- relations
print(1 < 2, 2 <= 2, 3 > 4, 3 >= 3, 1 == 1, 1 ~= 1, "a" < "b", "a" <= "a", "b" > "a", "b" >= "c")
print(pcall(function() return 1 < "2" end) == false, pcall(function() return {} < {} end) == false, pcall(function() return nil < 1 end) == false)
print(1 == "1", "1" == "1", true == 1, nil == nil)
-- logic gives operands
print(10 or 20, 10 or error("no"), nil or "a", nil and 10, false and error("no"), false and nil, false or nil, 10 and 20)
print(nil and nil or "c", 1 and 2 or 3, false == nil, not nil == true, not 1 == 2)
print(1 and nil, nil or false, false or nil, not not nil, not not 0)
-- concatenation
print("a" .. "b" .. "c", 1 .. 2, "n" .. 1.5, 1 .. "", "x" .. -1)
print(pcall(function() return "a" .. nil end) == false, pcall(function() return "a" .. {} end) == false, pcall(function() return "a" .. true end) == false)
-- length
print(#"abc", #"", #{1, 2, 3}, #{n = 1}, -#"ab", #"a" + 1, #("a" .. "b"))
-- precedence
print(1 + 2 < 4, 1 .. 2 == "12", not 1 == nil, -2 ^ 2 == -4, 2 < 3 and 3 < 4, 1 or 2 and nil, (1 or 2) and nil)
print("a" .. 1 + 2, 2 ^ 2 * 3, -1 ^ 2, #"abc" == 3, not false and true, 1 == 1 == true)
-- constructors
local t = {1, 2, x = "x", [10] = "ten", 3, ["y"] = "y", 4; 5}
print(t[1], t[4], t[5], t.x, t[10], t.y)
local function many() return 7, 8, 9 end
local a, b, c = {many()}, {many(), many()}, {(many())}
print(#a, #b, #c, b[1], b[2])
local d = {many(), x = 1, many()}
print(#d, d[2], d.x)
local nested = {{1, {2}}, {a = {b = "c"}}}
print(nested[1][2][1], nested[2].a.b)
-- calls
local object = {n = 5}
function object:add(k) return self.n + k end
function object.plain(k) return k end
print(object:add(1), object.add(object, 2), object.plain(3), object["add"](object, 4))
print(("x"):rep(3), ("%d"):format(7), #("abc"):upper())
-- function definitions
local function varargs(...) local a, b = ... return select("#", ...), a, b end
print(varargs(), varargs(1), varargs(1, 2, 3))
print((varargs(nil, nil)))
local function fact(n) if n == 0 then return 1 end return n * fact(n - 1) end
print(fact(10))
local function loop(n) if n > 0 then return loop(n - 1) end return "tail calls need no stack" end
print(loop(10000))
local function missing(a, b, c) return a, b, c end
print(missing(1), missing(1, 2, 3, 4))
local function mid(...) return 1, ..., 3 end
print(mid(7, 8))
local function pack(...) return {...}, select("#", ...) end
local packed, count = pack(nil, 2, nil)
print(count, packed[2])
