print(type(nil), type(true), type(1), type("x"), type({}), type(print), type(function() end))
print(nil == false, 0 == false, "" == nil, not nil, not 0, not "", not false)
if 0 then print("zero is true") end
if "" then print("the empty string is true") end
local a, b = {}, {}
print(a == b, a == a, a ~= b)
local c = a
c.x = 1
print(a.x, rawequal(a, c))
local f = function() end
print(f == f, f == function() end)
-- coercion between strings and numbers
print("10" + 5, "3" * "4", 10 .. 20, "0x10" + 0, " 7 " + 1, "2" ^ 3, -"2", "1e1" * 1)
print("10" == 10, 10 .. "" == "10", "abc" < "abd", "Z" < "a", "" < "a", "a" < "aa", "10" < "9")
print(tostring(10), tostring(-0.5), tostring(1e300), tostring(2^31), tostring(10000000))
print(tonumber("0x1F"), tonumber("  12  "), tonumber("1.5e1"), tonumber("abc"), tonumber(""), tonumber("1 2"))
print(pcall(function() return "a" + 1 end) == false, pcall(function() return {} .. "x" end) == false)
print(123456, -7, 0.5, 1/4, 1e100, 2^40)
-- tables hold everything but nil and NaN as keys
local t = {}
t[1], t["1"], t[true], t[1.5], t[f], t[a] = "number", "string", "boolean", "float", "function", "table"
print(t[1], t["1"], t[true], t[1.5], t[f], t[a], t[1.0], t[2])
print(pcall(function() t[nil] = 1 end) == false, pcall(function() t[0/0] = 1 end) == false, t[nil])
t[1] = nil
print(t[1], next({}), #"", #{}, #{1, 2, 3})
print(2^53 == 2^53 + 1, 0.1 + 0.2 == 0.3, 1/0 > 1e300, -1/0 < -1e300, 0/0 == 0/0, 0 == -0)
