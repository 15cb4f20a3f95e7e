local function join(t) local r = {} for i = 1, #t do r[i] = tostring(t[i]) end return table.concat(r, " ") end
local words = {"pear", "Apple", "fig", "10", "9", "apple"}
table.sort(words)
print(join(words))
local t = {}
for i = 1, 60 do t[i] = (i * 37) % 17 end
local calls = 0
table.sort(t, function(a, b) calls = calls + 1 return a < b end)
print(join(t), calls)
local pairsOf = {}
for i = 1, 40 do pairsOf[i] = {key = i % 3, id = i} end
table.sort(pairsOf, function(a, b) return a.key < b.key end)
local ids = {}
for i, p in ipairs(pairsOf) do ids[i] = p.id end
print(join(ids))
local wrong = {5, 1, 4, 2, 3, 9, 8, 7, 6, 10, 12, 11, 15, 14, 13}
table.sort(wrong, function() return true end)
print(join(wrong))
local descending = {}
for i = 1, 100 do descending[i] = 101 - i end
table.sort(descending)
print(join(descending))
print(pcall(table.sort, {1, "a"}))
print(pcall(table.sort, {1, {}}))
print(pcall(table.sort, {2, 1}, nil))
print(pcall(table.sort, {2, 1}, function() error("cannot compare") end))
print(pcall(table.sort))
print(select("#", table.sort({})))
local withMeta = {}
for i = 1, 5 do withMeta[i] = setmetatable({v = (i * 3) % 5}, {__lt = function(a, b) return a.v < b.v end}) end
print(pcall(table.sort, withMeta))
local mt = {__lt = function(a, b) return a.v < b.v end}
for i = 1, 5 do withMeta[i] = setmetatable({v = (i * 3) % 5}, mt) end
table.sort(withMeta)
for _, e in ipairs(withMeta) do io = nil print(e.v) end
