-- blocks and control structures
do local hidden = 1 end
print(hidden)
local n = 0
while n < 3 do n = n + 1 if n == 2 then print("two") end end
print(n)
repeat local last = n n = n - 1 until last == 1
print(n)
local function kind(v)
  if v == nil then return "nothing" elseif v == true then return "yes" elseif v == false then return "no" else return "other" end
end
print(kind(), kind(true), kind(false), kind(0))
for i = 1, 3 do local j = i i = i * 10 print(i, j) end
for i = 3, 1, -1 do print("down", i) end
for i = 1, 0 do print("never") end
for i = 1, 2, 0.5 do print("half", i) end
for i = 10, 1 do print("never") end
for i = 1, 10 do if i > 3 then break end print("until", i) end
while true do local done = true if done then break end end
local limit = 3
for i = 1, limit do limit = 100 print("limit is read once", i) end
local function from(list) local at = 0 return function() at = at + 1 return list[at] end end
for word in from({"a", "b", "c"}) do print(word) end
local function step(state, value) if value < state then return value + 1, value * value end end
for v, square in step, 4, 0 do print(v, square) end
for i, v in ipairs({"x", "y", nil, "z"}) do print(i, v) end
local keys = {}
for k in pairs({a = 1, b = 2, 10, 20}) do keys[#keys + 1] = tostring(k) end
table.sort(keys)
print(table.concat(keys, " "))
local fs = {}
for i = 1, 3 do fs[i] = function() i = i + 1 return i end end
print(fs[1](), fs[1](), fs[2](), fs[3]())
-- functions as statements
local function ret(...) return ... end
ret(1)
ret"string call"
ret{1, 2}
print(ret"one", #ret{1, 2, 3}, (ret(1, 2)))
for i = 1, 3 do
  for j = 1, 3 do
    if j == 2 then break end
    print(i, j)
  end
end
local function early(v) if v then return "early" end do return "late" end end
print(early(true), early(false))
print(pcall(function() for i = 1, "x" do end end) == false, pcall(function() for i = "a", 2 do end end) == false)
for i = "1" + 0, 2 do print("converted", i) end
print(loadstring("break") == nil, loadstring("for i = 1 do end") == nil, loadstring("if x") == nil, loadstring("x + 1") == nil)
