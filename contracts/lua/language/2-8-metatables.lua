local function name(v) return type(v) == "table" and v.name or tostring(v) end
local mt = {}
for event, sign in pairs({add = "+", sub = "-", mul = "*", div = "/", mod = "%", pow = "^", concat = ".."}) do
  mt["__" .. event] = function(a, b) return name(a) .. sign .. name(b) end
end
mt.__unm = function(a) return "-" .. name(a) end
mt.__eq = function(a, b) return a.value == b.value end
mt.__lt = function(a, b) return a.value < b.value end
mt.__le = function(a, b) return a.value <= b.value end
mt.__call = function(self, ...) return name(self), select("#", ...), ... end
mt.__tostring = function(self) return "<" .. self.name .. ">" end
local a = setmetatable({name = "a", value = 1}, mt)
local b = setmetatable({name = "b", value = 2}, mt)
local c = setmetatable({name = "c", value = 1}, mt)
print(a + b, a - 1, 2 * a, a / b, a % 3, a ^ b, "s" .. a, a .. "s", a .. b, -a)
print(a == c, a == b, a ~= b, a < b, a <= c, a > b, a >= c, rawequal(a, c))
print(a(1, nil, 3))
print(tostring(a), a, b)
-- __index: a table, a function, a chain
local base = {greet = function(self) return "hello " .. self.name end, shared = 1}
local derived = setmetatable({own = 2}, {__index = base})
local last = setmetatable({name = "last"}, {__index = derived})
print(last.own, last.shared, last.missing, last:greet(), rawget(last, "own"))
local made = setmetatable({}, {__index = function(t, k) return k .. "!" end})
print(made.x, made[1], rawget(made, "x"))
-- __newindex: a function, a table
local log = {}
local watched = setmetatable({}, {__newindex = function(t, k, v) log[#log + 1] = k .. "=" .. tostring(v) rawset(t, k, v) end})
watched.a = 1 watched.a = 2 watched.b = 3 watched.b = nil watched.b = 4
print(table.concat(log, " "), watched.a, watched.b)
local store = {}
local front = setmetatable({}, {__newindex = store})
front.x = 1
print(rawget(front, "x"), store.x)
-- __metatable protects
local locked = setmetatable({}, {__metatable = "locked"})
print(getmetatable(locked), pcall(setmetatable, locked, {}) == false)
print(getmetatable({}), getmetatable(a) == mt, setmetatable(a, nil) == a, getmetatable(a))
print(getmetatable("").__index == string, ("x").len == string.len)
-- classes
local Animal = {} Animal.__index = Animal
function Animal.new(sound) return setmetatable({sound = sound}, Animal) end
function Animal:speak() return self.sound end
local Dog = setmetatable({}, {__index = Animal}) Dog.__index = Dog
function Dog.new() return setmetatable(Animal.new("woof"), Dog) end
function Dog:twice() return self:speak() .. self:speak() end
print(Animal.new("hm"):speak(), Dog.new():twice())
-- comparison of different types never calls __eq
print(setmetatable({}, {__eq = function() return true end}) == 1)
-- operands without a method on the left
local only = setmetatable({}, {__add = function(x, y) return "found" end, __concat = function() return "joined" end})
print(1 + only, only + 1, "x" .. only, only .. 1, {} == only)
print(pcall(function() return {} + 1 end) == false, pcall(function() return #nil end) == false)
