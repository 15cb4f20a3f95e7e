print(string.byte("A"), string.byte("ABC", 2), string.byte("ABC", 1, 3), string.byte("ABC", -1), ("x"):byte(5))
print(string.char(72, 105), string.char(), #string.char(0, 255))
print(string.len("abc"), ("\0a"):len(), string.upper("aBc1"), string.lower("AbC1"), string.reverse("abc"), string.rep("ab", 3), string.rep("x", 0), string.rep("x", -1))
print(string.sub("hello", 2, 4), string.sub("hello", 2), string.sub("hello", -3), string.sub("hello", -3, -2), string.sub("hello", 4, 2), string.sub("hello", 10), string.sub("hello", 1, 100), string.sub("hello", -100, 2))
print(("hello"):sub(2, -2), ("x"):rep(3), #("a"):rep(10))
print(string.format("%d %5d|%-5d|%05d %x %X %o %c", 42, 42, 42, 42, 255, 255, 8, 65))
print(string.format("%5.2f %.3f %e %g %g", 3.14159, 2, 12345.678, 0.5, 100))
print(string.format("%s %10s|%-10s|%.2s %%", "abc", "abc", "abc", "abc"))
print(string.format("%s %s %s", 1, "two", 3.5), string.format("%+d % d", 5, 5))
-- find and match
print(string.find("hello world", "wor"), string.find("hello", "l"), string.find("hello", "xyz"), string.find("hello", "l", 4), string.find("a.b", ".", 1, true), string.find("a.b", "%."))
print(string.find("key=val", "(%w+)=(%w+)"))
print(string.match("2024-05-06", "(%d+)-(%d+)-(%d+)"), string.match("hello", "h(.)l"), string.match("hello", "xyz"), string.match("  trim  ", "^%s*(.-)%s*$"))
print(string.match("abc123", "%a+"), string.match("abc123", "%d+"), string.match("abc", "()b()"), string.match("[[x]]", "%[%[(.-)%]%]"))
print(string.match("f(a(b)c)d", "%b()"), string.match("THE (quick) fox", "%((%a+)%)"), string.match("aaa", "a-"), string.match("aaa", "^a-$"), string.match("x = 5", "^(%w+)%s*=%s*(%d+)$"))
print(string.match("a1b2", "[%d]"), string.match("a-b", "[a%-]+"), string.match("]", "[]]"), string.match("abc", "[^a]+"), string.match("x^y", "[x^]+"), string.match("2.5", "%d*%.?%d+"))
print(string.match("abab", "(ab)%1"), string.match("hello", "(l)%1"), string.match("abc", ".-c"), string.match("", ".*"), #string.match("a\0b", "%z"))
-- gmatch
for w in string.gmatch("one two  three", "%a+") do print(w) end
for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do print(k, v) end
local n = 0 for _ in ("abc"):gmatch(".") do n = n + 1 end print(n)
-- gsub
print(string.gsub("hello world", "o", "0"), string.gsub("hello", "l", "L", 1), string.gsub("abc", "%w", "%0%0"), string.gsub("hello world", "(%w+) (%w+)", "%2 %1"))
print(string.gsub("abc", "b", {b = "B"}), string.gsub("abc", ".", {a = 1, b = true and "x", c = false}), string.gsub("abc", "%w", function(c) if c == "b" then return "<b>" end end))
print(string.gsub("$name is $age", "%$(%w+)", {name = "Ann", age = 30}), string.gsub("x", "x", "%%"), string.gsub("abc", "z", "y"), string.gsub("a,b,c", ",", ";", 1))
print((string.gsub("  x  ", "^%s+", "")), (("a.b.c"):gsub("%.", "/")), (("CamelCase"):gsub("%u", function(c) return "_" .. c:lower() end)))
print(pcall(string.find, "a", "(") == false, pcall(string.find, "a", "[a") == false, pcall(string.rep) == false, pcall(string.gsub, "a", "a", nil) == false)
print(("%d items"):format(3), ("x"):upper(), #"abc" .. "d")
