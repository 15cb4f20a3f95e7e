local insert = table.insert
local lib = {put = table.insert, ["odd name"] = table.insert}
local key = "put"
print(pcall(function() table.insert(1) end))
print(pcall(function() insert(1) end))
print(pcall(function() lib.put(1) end))
print(pcall(function() lib["odd name"](1) end))
print(pcall(function() lib[key](1) end))
print(pcall(function() (insert)(1) end))
print(pcall(function() ("x"):rep() end))
print(pcall(function() ("x"):rep({}) end))
print(pcall(function() string.rep() end))
print(pcall(insert, 1))
print(pcall(function() return insert(1) end))
