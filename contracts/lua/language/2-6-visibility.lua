local x = 10
do
  local x = x
  print(x)
  x = x + 1
  do
    local x = x + 1
    print(x)
  end
  print(x)
end
print(x)
local a = {}
local y = 20
for i = 1, 3 do
  local y = 0
  a[i] = function() y = y + 1 return x + y end
end
print(a[1](), a[1](), a[2](), y)
x = 100
print(a[1](), a[3]())
local function counter()
  local n = 0
  return {up = function() n = n + 1 return n end, down = function() n = n - 1 return n end, get = function() return n end}
end
local one, two = counter(), counter()
one.up() one.up() two.down()
print(one.get(), two.get(), one.down(), two.up())
local function known() return known end
print(known() == known)
local f
do
  local secret = "kept"
  f = function() return secret end
end
print(f(), secret)
repeat local inside = 5 until inside == 5
print(inside)
local function outer(p)
  local function middle(q)
    return function(r) p = p + 1 q = q + 1 return p, q, r end
  end
  return middle(p * 2), function() return p end
end
local inner, get = outer(1)
print(inner(0)) print(inner(0)) print(get())
for i = 1, 2 do local i = i * 5 print(i) end
local g = {}
while #g < 3 do local n = #g g[n + 1] = function() return n end end
print(g[1](), g[2](), g[3]())
local function arguments(v) v = v or "default" local v = v .. "!" return v end
print(arguments(), arguments("given"))
