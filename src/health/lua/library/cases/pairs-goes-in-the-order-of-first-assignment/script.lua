local t = {z = 1, 10, a = 2, 20}
t.m = 3
t[3] = 30
t.z = nil
t.z = 4
t[true] = 5
t[1.5] = 6
for k, v in pairs(t) do io = nil print(tostring(k), v) end
for i, v in ipairs({1, 2, nil, 4}) do print(i, v) end
print(next({}), next({5}), next({a = 1}))
print(next({a = 1, b = 2}, "a"))
print(select("#", next({})))
print(pcall(next))
print(pcall(pairs))
print(pcall(ipairs, "x"))
local f, s, c = pairs({})
print(type(f), type(s), c, f == next)
local n = 0
local removing = {a = 1, b = 2, c = 3}
for k in pairs(removing) do removing[k] = nil n = n + 1 end
print(n, next(removing))
