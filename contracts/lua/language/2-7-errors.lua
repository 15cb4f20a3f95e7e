print(pcall(error, "level 0", 0))
print(pcall(function() error("with position") end))
print(pcall(function() error("without position", 0) end))
print(pcall(error, nil))
print(pcall(error, 42))
print(pcall(error, true))
local object = {code = 7}
local ok, thrown = pcall(error, object)
print(ok, thrown == object, thrown.code)
print(pcall(function() local t = nil return t.x end) == false)
print(select("#", pcall(function() end)), pcall(function() return 1, nil, 3 end))
print(pcall(function(...) return select("#", ...), ... end, 1, nil))
print(xpcall(function() error("handled", 0) end, function(m) return "<" .. m .. ">" end))
print(xpcall(function() return "fine", 2 end, function(m) return m end))
print(xpcall(function() error({1, 2}) end, function(m) return #m end))
print(pcall(pcall, error, {"nested"}) == true)
print(pcall(function()
  local ok, m = pcall(error, "inner", 0)
  error(m .. " rethrown", 0)
end))
print(assert(1, 2, 3))
print(pcall(assert, false) == false, pcall(assert, nil, "told") == false)
print(select("#", assert(true)))
local steps = {}
local function run(fail)
  steps[#steps + 1] = "begin"
  local ok, m = pcall(function() steps[#steps + 1] = "work" if fail then error("failed", 0) end steps[#steps + 1] = "worked" end)
  steps[#steps + 1] = ok and "good" or m
end
run(false) run(true)
print(table.concat(steps, " "))
local deep = function(n) local function go(k) if k == 0 then error("bottom", 0) end go(k - 1) return nil end go(n) end
print(pcall(deep, 50))
print(type(select(2, pcall(function() return nil + 1 end))))
