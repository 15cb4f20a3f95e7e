local function dump(t) local r = {} for i = 1, #t do r[#r + 1] = tostring(t[i]) end return "{" .. table.concat(r, ",") .. "}" end
print(table.concat({}), table.concat({1}), type(table.concat({1})), type(table.concat({1, 2})))
print(table.concat({1, 2, 3}, ", "), table.concat({1, 2, 3}, "-", 2), table.concat({1, 2, 3}, "-", 2, 2))
print(table.concat({1, 2, 3}, "-", 5), table.concat({1, 2, 3}, "-", 0), table.concat({1, 2, 3}, "-", 0, 2))
print(pcall(table.concat, {1, {}, 3}))
print(pcall(table.concat, {1, nil, 3}))
print(pcall(table.concat, {1}, 5))
print(pcall(table.concat))
local t = {}
table.insert(t, "a") table.insert(t, 1, "b") table.insert(t, 5, "e")
print(dump(t), #t)
table.insert(t, nil)
table.insert(t, 2, nil)
print(dump(t), #t)
table.insert(t, 0, "zero") table.insert(t, -1, "minus")
print(t[0], t[-1])
print(pcall(table.insert, t))
print(pcall(table.insert, t, "x", 1))
print(pcall(table.insert, nil, 1))
t = {1, 2, 3, 4, 5}
print(table.remove(t), table.remove(t, 1), table.remove(t, 2), dump(t))
print(table.remove(t, 9), table.remove(t, 0), dump(t))
print(table.remove({}), select("#", table.remove({})))
t = {1, 2, nil, 4}
print(#t, table.getn(t), table.maxn(t))
t[4] = nil
print(#t)
table.insert(t, "x")
print(dump(t))
