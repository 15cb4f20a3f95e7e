print(loadstring("return 1 + 1")())
print(loadstring("return ...")(1, 2))
print(loadstring("x = "))
print(loadstring("return 1", "name")())
print(pcall(loadstring("error('inside')", "chunk")))
print(pcall(loadstring))
local parts = {"return ", "'joined'", nil}
local i = 0
print(load(function() i = i + 1 return parts[i] end)())
print(load(function() return {} end))
print(pcall(load, "return 1"))
fromChunk = nil
loadstring("fromChunk = 5")()
print(fromChunk)
