-- globals, locals, fields
x = 1
local y = 2
print(x, y, z)
do
  local x = 10
  x = x + 1
  print(x)
end
print(x, _G.x, _G["x"])
_G.made = "through _G"
print(made, rawget(_G, "made"))
made = nil
print(made, rawget(_G, "made"))
local t = {x = 1, ["y z"] = 2, [10] = 3, nested = {deep = {deeper = "yes"}}}
print(t.x, t["x"], t["y z"], t[10], t[5 + 5], t.nested.deep.deeper, t["nested"]["deep"].deeper)
local key = "x"
print(t[key], t.key, t["k" .. "ey"])
t.x, t[key .. "2"] = nil, "second"
print(t.x, t.x2)
local a, b, c = 1, 2
print(a, b, c)
local d, e = 1, 2, 3
print(d, e)
local function two() return "p", "q" end
local p, q, r = two()
print(p, q, r)
local s, u, v = 0, two()
print(s, u, v)
local w, o = (two())
print(w, o)
-- what is on the right is evaluated before anything is assigned
local i, list = 1, {}
i, list[i] = i + 1, 20
print(i, list[1], list[2])
local pair = {m = 1, n = 2}
pair.m, pair.n = pair.n, pair.m
print(pair.m, pair.n)
first, second, third = 1, 2, 3
first, second, third = third, first, second
print(first, second, third)
local f = (function(...) return ... end)(1, 2, 3)
print(f)
