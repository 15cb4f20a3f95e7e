-- names, keywords, strings, numbers, comments
local _, _a, A1, camelCase, end_ = 1, 2, 3, 4, 5
print(_, _a, A1, camelCase, end_)
local And = "names tell upper from lower case"
print(And)
print('single', "double", "a" .. 'b')
print("a\tb\\c\"d\'e")
print("one\
two")
print("\65\066\0679", "\97lo", #"\0\1\2", #"\000")
print("bell\a" == "bell\7", "\b" == "\8", "\f" == "\12", "\v" == "\11", "\r" == "\13", "\n" == "\10")
print([[long]], [==[with ]] inside]==], [[
first newline dropped]])
print([[a\nb]], #[[

]])
print([=[x]]y]=] == "x]]y")
print(3, 3.0, 3.1416, 314.16e-2, 0.31416E1, 0xff, 0x56, 0XA, .5, 5e2, 1e+2, 1e-2)
-- a comment ends with its line
--[[ a block
comment ]] print("after a block comment")
--[==[ with
]] inside
]==] print("after a long block comment")
--- print("not run")
---[[ also only a line
print("runs")
--]]
print(#"äöü", ("ä"):byte(1, -1))
print("semi");  print("colons"); local x = 1; local y = 2
print(x, y)
local t = {"a"; "b", "c";}
print(#t)
