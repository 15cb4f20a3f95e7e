print(math.huge, -math.huge, math.huge == 1/0, math.pi)
print(math.floor(-1.5), math.ceil(-1.5), math.abs(-2), math.sqrt(2), math.floor(1e300))
print(math.fmod(5, 3), math.fmod(-5, 3), math.mod(-5, 3), math.modf(1.5), math.modf(-1.5), math.modf(1/0))
print(math.max(1, 2, 3), math.min(3, 2, 1), math.max("10", 9), math.max(0/0, 1), math.max(1, 0/0))
print(pcall(math.max))
print(pcall(math.max, 1, {}))
print(pcall(math.floor, "x"))
print(math.floor("1.9"), math.pow(2, 10), math.pow(10, -2), math.pow(-8, 1/3), 10^15, 3^40)
print(math.frexp(8), math.frexp(0), math.ldexp(0.5, 4), math.log(8), math.log10(1000))
print(math.sin(1), math.cos(1), math.tan(1), math.asin(1), math.acos(0), math.atan(1), math.atan2(1, -1), math.deg(math.pi), math.rad(180))
print(pcall(math.random, 0))
print(pcall(math.random, 5, 1))
print(pcall(math.random, "x"))
for i = 1, 50 do local r = math.random(3) assert(r >= 1 and r <= 3) end
for i = 1, 50 do local r = math.random(-2, 2) assert(r >= -2 and r <= 2 and r == math.floor(r)) end
for i = 1, 50 do local r = math.random() assert(r >= 0 and r < 1) end
math.randomseed(7) local a = math.random(1000) math.randomseed(7) print(a == math.random(1000))
print(pcall(math.randomseed))
