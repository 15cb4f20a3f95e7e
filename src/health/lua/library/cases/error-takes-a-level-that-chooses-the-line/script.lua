local function fail(level) error("no", level) end
local function outer(level)
  fail(level)
end
for level = 0, 4 do
  print(level, pcall(outer, level))
end
print(pcall(error))
print(pcall(error, nil))
print(select("#", pcall(error, nil)))
print(pcall(error, 42))
print(pcall(error, true))
print(type(select(2, pcall(error, {}))))
print(pcall(error, "text", "level"))
