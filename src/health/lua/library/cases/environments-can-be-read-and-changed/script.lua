print(getfenv() == _G, getfenv(1) == _G, getfenv(0) == _G, getfenv(print) == _G)
local function f() return x end
x = "global"
print(f())
print(setfenv(f, {x = "own"}) == f, f(), x)
print(getfenv(f).x)
print(pcall(setfenv, print, {}))
print(pcall(setfenv, f))
local function g() setfenv(1, {print = print}) y = 1 return y, x end
print(g())
print(y)
print(_G._G == _G, type(_G.print), _VERSION, _GOPHER_LUA_VERSION)
_G["made by index"] = 1
print(_G["made by index"], rawget(_G, "print") == print)
