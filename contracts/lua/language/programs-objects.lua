-- a class library with inheritance, tostring and operators
local function class(parent)
  local c = {}
  c.__index = c
  c.__tostring = function(self) return self.describe and self:describe() or "object" end
  return setmetatable(c, {__index = parent, __call = function(cls, ...) local o = setmetatable({}, cls) if o.init then o:init(...) end return o end})
end
local Stack = class()
function Stack:init(...) self.items, self.size = {...}, select("#", ...) end
function Stack:push(v) self.size = self.size + 1 self.items[self.size] = v return self end
function Stack:pop() local v = self.items[self.size] self.items[self.size] = nil self.size = self.size - 1 return v end
function Stack:describe() return "stack of " .. self.size end
local Counted = class(Stack)
function Counted:init(...) Stack.init(self, ...) self.pushes = 0 end
function Counted:push(v) self.pushes = self.pushes + 1 return Stack.push(self, v) end
local s = Counted(1, 2)
s:push(3):push(4)
print(s:pop(), s:pop(), s.size, s.pushes, tostring(s), getmetatable(s) == Counted)

local Vector = {}
Vector.__index = Vector
local function vector(x, y) return setmetatable({x = x, y = y}, Vector) end
Vector.__add = function(a, b) return vector(a.x + b.x, a.y + b.y) end
Vector.__mul = function(a, b) if type(a) == "number" then return vector(a * b.x, a * b.y) elseif type(b) == "number" then return b * a end return a.x * b.x + a.y * b.y end
Vector.__unm = function(a) return vector(-a.x, -a.y) end
Vector.__eq = function(a, b) return a.x == b.x and a.y == b.y end
Vector.__lt = function(a, b) return a * a < b * b end
Vector.__le = function(a, b) return a * a <= b * b end
Vector.__tostring = function(v) return "(" .. v.x .. ", " .. v.y .. ")" end
Vector.__concat = function(a, b) return tostring(a) .. tostring(b) end
Vector.__call = function(v, name) return v[name] end
local a, b = vector(1, 2), vector(3, 4)
print(tostring(a + b), tostring(2 * a), tostring(a * 2), a * b, tostring(-a), a == vector(1, 2), a < b, a >= b, a .. b, a .. "!", b("y"))

-- events
local Emitter = class()
function Emitter:on(name, f) self.handlers = self.handlers or {} self.handlers[name] = self.handlers[name] or {} table.insert(self.handlers[name], f) end
function Emitter:emit(name, ...) local n = 0 for _, f in ipairs(self.handlers and self.handlers[name] or {}) do n = n + 1 f(...) end return n end
local e, seen = Emitter(), {}
e:on("x", function(v) seen[#seen + 1] = "first " .. v end)
e:on("x", function(v, w) seen[#seen + 1] = "second " .. tostring(w) end)
print(e:emit("x", 1, nil), e:emit("y"), table.concat(seen, ", "))

-- a state machine in a table of functions
local machine = {state = "idle", log = {}}
machine.rules = {idle = {start = "busy"}, busy = {finish = "done", fail = "idle"}, done = {}}
function machine:fire(event)
  local target = self.rules[self.state][event]
  if not target then return nil, "no " .. event .. " in " .. self.state end
  self.log[#self.log + 1] = self.state .. "-" .. event
  self.state = target
  return target
end
print(machine:fire("start"), machine:fire("start"))
print(machine:fire("fail"), machine:fire("start"), machine:fire("finish"), machine:fire("start"))
print(table.concat(machine.log, " "))

-- scheduling with coroutines
local function scheduler()
  local tasks, output = {}, {}
  return {
    spawn = function(name, steps) tasks[#tasks + 1] = coroutine.create(function() for i = 1, steps do output[#output + 1] = name .. i coroutine.yield(i) end return "end" end) end,
    run = function() while #tasks > 0 do local task = table.remove(tasks, 1) local ok = coroutine.resume(task) if ok and coroutine.status(task) ~= "dead" then tasks[#tasks + 1] = task end end return table.concat(output, " ") end,
  }
end
local sched = scheduler()
sched.spawn("a", 3) sched.spawn("b", 1) sched.spawn("c", 2)
print(sched.run())

-- deep copies, equality and merging
local function copy(v, seen) if type(v) ~= "table" then return v end seen = seen or {} if seen[v] then return seen[v] end local c = {} seen[v] = c for k, e in pairs(v) do c[copy(k, seen)] = copy(e, seen) end return c end
local function equal(x, y) if type(x) ~= "table" or type(y) ~= "table" then return x == y end for k, v in pairs(x) do if not equal(v, y[k]) then return false end end for k in pairs(y) do if x[k] == nil then return false end end return true end
local function merge(base, over) for k, v in pairs(over) do if type(v) == "table" and type(base[k]) == "table" then merge(base[k], v) else base[k] = v end end return base end
local original = {a = {1, 2, {x = "y"}}, b = true}
original.self = original
local twin = copy(original)
print(twin ~= original, twin.self == twin, twin.a[3].x)
original.self, twin.self = nil, nil
print(equal(original, twin), equal(original, {a = {1, 2}}), equal(merge({p = {q = 1}}, {p = {r = 2}}), {p = {q = 1, r = 2}}))
