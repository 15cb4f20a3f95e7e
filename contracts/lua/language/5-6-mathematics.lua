print(math.abs(-5), math.abs(5.5), math.ceil(1.2), math.ceil(-1.2), math.floor(1.8), math.floor(-1.2), math.floor(3))
print(math.max(1, 5, 3), math.min(1, 5, 3), math.max(-1), math.min(2.5, 2))
print(math.sqrt(16), math.pow(2, 8), math.fmod(7, 3), math.fmod(-7, 3), math.modf(3.5), math.modf(-3.5))
print(math.frexp(8), math.ldexp(0.5, 4), math.exp(0), math.log(1), math.log10(1000), math.log10(1))
print(math.sin(0), math.cos(0), math.tan(0), math.asin(0), math.acos(1), math.atan(0), math.atan2(0, 1), math.sinh(0), math.cosh(0), math.tanh(0))
print(string.format("%.6f %.6f %.6f", math.pi, math.deg(math.pi), math.rad(180)))
print(string.format("%.6f %.6f %.6f %.6f", math.sin(1), math.cos(1), math.tan(1), math.exp(1)))
print(string.format("%.6f %.6f %.6f", math.atan2(1, 2), math.log(10), math.asin(0.5)))
math.randomseed(42)
for i = 1, 20 do
  local a, b, c = math.random(), math.random(6), math.random(3, 5)
  if a < 0 or a >= 1 or b < 1 or b > 6 or c < 3 or c > 5 or b % 1 ~= 0 or c % 1 ~= 0 then print("out of range", a, b, c) end
end
print(math.random(1, 1), math.huge > 1e300, -math.huge < 0)
print(pcall(math.floor) == false, pcall(math.floor, "x") == false, math.floor("3.7"), pcall(math.max) == false)
print(7 % 2.5, -1 % 5, 5 % -3, 2^0.5 == math.sqrt(2), 10 / 4, 1e3, 0x10)
