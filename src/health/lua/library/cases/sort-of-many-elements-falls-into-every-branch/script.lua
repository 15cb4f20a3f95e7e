local function check(n, f)
  local t = {}
  for i = 1, n do t[i] = f(i) end
  local calls = 0
  table.sort(t, function(a, b) calls = calls + 1 return a < b end)
  local sum = 0
  for i = 1, n do sum = (sum * 31 + t[i]) % 1000003 end
  print(n, calls, sum)
end
for _, n in ipairs({1, 2, 11, 12, 13, 49, 50, 51, 100, 500, 1000}) do
  check(n, function(i) return i end)
  check(n, function(i) return -i end)
  check(n, function(i) return i % 2 end)
  check(n, function(i) return (i * 7919) % 1009 end)
  check(n, function(i) return i < n / 2 and i or n - i end)
  check(n, function(i) return i % 10 == 0 and 0 or i end)
  check(n, function() return 5 end)
end
local lies = {}
for i = 1, 300 do lies[i] = (i * 7919) % 1009 end
local calls = 0
table.sort(lies, function(a, b) calls = calls + 1 return calls % 3 == 0 end)
print(calls, lies[1], lies[150], lies[300])
