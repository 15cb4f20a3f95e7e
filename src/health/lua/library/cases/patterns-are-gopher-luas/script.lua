print(string.find("abc", "b"), string.find("abc", "(b)(c)"), string.find("abc", "x"))
print(string.find("abc", ""), string.find("abc", "", 10), string.find("", ""))
print(string.find("a.b", ".", 1, true), string.find("a+b", "+", 1, true))
print(string.find("abcabc", "b", 3), string.find("abcabc", "b", -2), string.find("abc", "b", 10))
print(pcall(string.find, "abc", "b", 10, true))
print(string.match("key = value", "^(%w+)%s*=%s*(%w+)$"))
print(string.match("2024-01-31", "(%d+)-(%d+)-(%d+)"))
print(select("#", string.match("abc", "x")), string.match("abc", "()b()"))
print(string.match("THE (quick) fox", "%((%a+)%)"), string.find("f(a(b)c)d", "%b()"))
print(string.match("THE (quick) fox", "%f[%a]%a+"), string.match("f THE", "%f[%a]"))
print(string.match("abcabc", "(abc)%1"), string.match("x", "[^%s]"), string.match("a-b", "[a%-]+"))
print(string.match("]", "[]]"), string.match("a^b", "[b^]"), string.match("-", "[a-]"), string.match("-", "[-a]"))
for _, bad in ipairs({"(", ")", "%", "[", "[a", "[%", "(()", "%1", "%0", "(a%1)", "[]", "a)", "((a)%1)"}) do print(bad, pcall(string.find, "xaaa", bad)) end
print(string.match("aaa", "a-"), string.match("aaab", "a-b"), string.match("aXb", "%u"), string.match("0x1F", "%x+"))
print(#string.match("a\0b", "%z"), #string.match("a\0b", ".*"), string.find("a\0b", "\0"))
print(string.match("$5", "$%d"), string.match("a$", "a$"), string.match("a$", "a%$"), string.match("^a", "%^a"))
print(string.match("**", "**"), string.match("a*", "(a)*"), string.match("++", "+"))
for k, v in string.gmatch("a=1, b=2", "(%w+)=(%w+)") do print(k, v) end
for w in string.gmatch("one two", "%a+") do print(w) end
for p in string.gmatch("abc", "()") do print(p) end
local iterator, state = string.gmatch("x", "x")
print(type(iterator), type(state), pcall(iterator), iterator(state))
print(type(string.gfind), pcall(string.gmatch, "x", "("))
