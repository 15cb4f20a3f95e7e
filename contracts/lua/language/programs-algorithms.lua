local function sieve(limit)
  local composite, primes = {}, {}
  for i = 2, limit do
    if not composite[i] then
      primes[#primes + 1] = i
      for j = i * i, limit, i do composite[j] = true end
    end
  end
  return primes
end
print(table.concat(sieve(60), " "))

local function queens(n)
  local count, columns = 0, {}
  local function safe(row, column)
    for r = 1, row - 1 do
      local c = columns[r]
      if c == column or math.abs(c - column) == row - r then return false end
    end
    return true
  end
  local function place(row)
    if row > n then count = count + 1 return end
    for column = 1, n do
      if safe(row, column) then columns[row] = column place(row + 1) columns[row] = nil end
    end
  end
  place(1)
  return count
end
print(queens(4), queens(6))

local function gcd(a, b) while b ~= 0 do local rest = a % b a = b b = rest end return a end
print(gcd(48, 18), gcd(17, 5), gcd(100, 75))

local function hanoi(n, from, to, over, moves)
  if n == 0 then return moves end
  hanoi(n - 1, from, over, to, moves)
  moves[#moves + 1] = from .. to
  return hanoi(n - 1, over, to, from, moves)
end
print(table.concat(hanoi(3, "a", "c", "b", {}), " "))

local function quicksort(list, low, high)
  low, high = low or 1, high or #list
  if low < high then
    local pivot, store = list[high], low
    for i = low, high - 1 do
      if list[i] < pivot then
        local kept = list[i] list[i] = list[store] list[store] = kept
        store = store + 1
      end
    end
    list[high] = list[store] list[store] = pivot
    quicksort(list, low, store - 1)
    quicksort(list, store + 1, high)
  end
  return list
end
print(table.concat(quicksort({5, 3, 9, 1, 5, 8, 2, 7}), " "))

local function matrix(rows, columns, make) local m = {} for i = 1, rows do m[i] = {} for j = 1, columns do m[i][j] = make(i, j) end end return m end
local function multiply(a, b) return matrix(#a, #b[1], function(i, j) local sum = 0 for k = 1, #b do sum = sum + a[i][k] * b[k][j] end return sum end) end
local product = multiply(matrix(2, 3, function(i, j) return i + j end), matrix(3, 2, function(i, j) return i * j end))
print(product[1][1], product[1][2], product[2][1], product[2][2])

local function ackermann(m, n) if m == 0 then return n + 1 elseif n == 0 then return ackermann(m - 1, 1) else return ackermann(m - 1, ackermann(m, n - 1)) end end
print(ackermann(2, 3))

local list = nil
for i = 1, 5 do list = {value = i, next = list} end
local node, values = list, {}
while node do values[#values + 1] = node.value node = node.next end
print(table.concat(values, "->"))

local graph = {a = {"b", "c"}, b = {"d"}, c = {"d"}, d = {}}
local function path(from, to, seen)
  seen = seen or {}
  if from == to then return from end
  seen[from] = true
  for _, neighbour in ipairs(graph[from]) do
    if not seen[neighbour] then
      local rest = path(neighbour, to, seen)
      if rest then return from .. ">" .. rest end
    end
  end
  return nil
end
print(path("a", "d"), path("d", "a"))

local memo = setmetatable({}, {__index = function(t, n) local v = n < 3 and 1 or t[n - 1] + t[n - 2] t[n] = v return v end})
print(memo[30])
local function compose(...) local fs = {...} return function(x) for i = #fs, 1, -1 do x = fs[i](x) end return x end end
local function curry(f) return function(a) return function(b) return f(a, b) end end end
print(compose(function(x) return x + 1 end, function(x) return x * 2 end)(5), curry(math.max)(3)(9))
local function map(list, f) local out = {} for i, v in ipairs(list) do out[i] = f(v) end return out end
local function filter(list, keep) local out = {} for _, v in ipairs(list) do if keep(v) then out[#out + 1] = v end end return out end
local function fold(list, f, start) local total = start for _, v in ipairs(list) do total = f(total, v) end return total end
print(fold(map(filter({1, 2, 3, 4, 5, 6}, function(v) return v % 2 == 0 end), function(v) return v * v end), function(a, b) return a + b end, 0))
