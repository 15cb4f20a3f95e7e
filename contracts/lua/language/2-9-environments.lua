local function f() return value end
value = "global"
print(f())
setfenv(f, {value = "own"})
print(f(), value)
print(getfenv(f).value, getfenv(print) == _G, getfenv(1) == _G, getfenv() == _G)
local env = setmetatable({}, {__index = _G})
local function g() made = 1 return made end
setfenv(g, env)
print(g(), made, env.made)
local chunk = loadstring("answer = 42 return answer")
local sandbox = {}
setfenv(chunk, sandbox)
print(chunk(), sandbox.answer, answer)
local function nested() local function inner() return where end return inner() end
setfenv(nested, {where = "inherited when made"})
print(nested())
local h = setfenv(function() return a, b end, {a = 1, b = 2})
print(h())
print(pcall(setfenv, print, {}) == false)
local function own() setfenv(1, {print = print, v = "changed from inside"}) print(v) end
own()
value = nil
