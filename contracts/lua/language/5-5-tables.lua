local t = {1, 2, 3}
table.insert(t, 4) table.insert(t, 1, 0) table.insert(t, 3, "mid")
print(table.concat(t, " "))
print(table.remove(t), table.remove(t, 1), table.remove(t, 2), table.concat(t, " "))
print(table.remove({}), #t)
print(table.concat({}), table.concat({1}), table.concat({1, 2, 3}, ", "), table.concat({"a", "b", "c"}, "-", 2), table.concat({"a", "b", "c"}, "-", 2, 2), table.concat({1.5, "x"}, ""))
print(pcall(table.concat, {{}}) == false, pcall(table.concat, {1, {}, 3}, ",") == false)
local s = {5, 2, 8, 1, 9, 3}
table.sort(s)
print(table.concat(s, " "))
table.sort(s, function(a, b) return a > b end)
print(table.concat(s, " "))
local words = {"pear", "Apple", "fig", "banana"}
table.sort(words)
print(table.concat(words, " "))
table.sort(words, function(a, b) return #a < #b or #a == #b and a < b end)
print(table.concat(words, " "))
local people = {{name = "x", age = 3}, {name = "y", age = 1}, {name = "z", age = 2}}
table.sort(people, function(a, b) return a.age < b.age end)
for _, p in ipairs(people) do print(p.name, p.age) end
print(pcall(table.sort, {1, "x", 2}) == false, pcall(table.sort, {{}, {}}) == false)
local big = {}
for i = 1, 200 do big[i] = (i * 7919) % 211 end
table.sort(big)
local sorted = true
for i = 2, #big do if big[i - 1] > big[i] then sorted = false end end
print(sorted, #big)
print(table.maxn({1, 2, 3}), table.maxn({}), table.getn({1, 2}))
local queue = {}
for i = 1, 5 do table.insert(queue, i) end
local out = {}
while #queue > 0 do out[#out + 1] = table.remove(queue, 1) end
print(table.concat(out, ","), #queue)
print(pcall(table.insert, nil, 1) == false, pcall(table.insert, {}) == false, pcall(table.remove, nil) == false, pcall(table.sort, nil) == false)
