print(_VERSION, _G._G == _G)
print(type(1), type("s"), pcall(type) == false)
print(tostring(nil), tostring(true), tostring("s"), tostring(12))
print(tonumber("10"), tonumber("ff", 16), tonumber("777", 8), tonumber("101", 2), tonumber("zz", 36), tonumber("9", 8), tonumber("1.5"), tonumber(3), tonumber({}), tonumber(nil))
print(tonumber("  0x1A  "), tonumber("1.0e3"), tonumber("e3"), tonumber("-7"), tonumber("- 7"))
local t = {10, 20, 30, x = 1}
print(rawget(t, 1), rawget(t, "x"), rawset(t, "y", 2) == t or true, t.y, rawequal(t, t), rawequal(1, 1), rawequal("a", "a"))
print(select("#"), select("#", nil, nil), select(2, "a", "b", "c"), select(-1, "a", "b", "c"))
print((select(2, "a", "b", "c")), select(4, "a", "b", "c"))
print(pcall(select, 0) == false)
print(unpack({1, 2, 3}), unpack({1, 2, 3}, 2), unpack({1, 2, 3}, 2, 3))
print((unpack({1, 2})), select("#", unpack({}, 1, 3)))
print(next({}), next({5}), type(next), next({x = 1}))
local i, v = next({"a", "b"}, 1)
print(i, v, next({"a"}, 1))
local seen = {}
for k, e in pairs({1, 2, a = "x"}) do seen[#seen + 1] = tostring(k) .. tostring(e) end
table.sort(seen)
print(table.concat(seen, ","))
for k, e in ipairs({"p", "q", nil, "r"}) do print(k, e) end
-- clearing fields while walking is allowed
local clear = {a = 1, b = 2, c = 3, 1, 2}
for k in pairs(clear) do clear[k] = nil end
print(next(clear))
print(loadstring("return 1 + 1")(), loadstring("return ...")(7), loadstring("syntax error here") == nil, type(loadstring("")))
local parts, at = {"return ", "4", " * 2"}, 0
print(load(function() at = at + 1 return parts[at] end)())
print(pcall(load(function() return nil end)))
print(getmetatable({}), setmetatable({}, nil) ~= nil, pcall(setmetatable, 1, {}) == false or true)
print(pcall(ipairs) == false, pcall(pairs, nil) == false, pcall(next, nil) == false, pcall(unpack, 1) == false)
print(assert("value", "message"))
print(type(collectgarbage), type(os) == "table" or os == nil)
