local t = 1700000000
for _, f in ipairs({"%a", "%A", "%b", "%B", "%c", "%d", "%F", "%H", "%I", "%m", "%M", "%p", "%P", "%S", "%w", "%x", "%X", "%y", "%Y", "%z", "%Z", "%j", "%%", "%", "a%Yb", "!%H:%M", "!!%H"}) do
  print(f, os.date(f, t))
end
local d = os.date("*t", t)
print(d.year, d.month, d.day, d.hour, d.min, d.sec, d.wday, d.yday, d.isdst)
print(os.date("!*t", 0).hour, type(os.date()), type(os.date("%Y")))
print(os.time({year = 2024, month = 2, day = 30}), os.time({year = 2024, month = 13, day = 1, hour = 0}))
print(os.time({year = 1970, month = 1, day = 1, hour = 0, min = -1, sec = 61}), os.time({}))
print(os.time({year = "2024", month = "02", day = " 3", hour = "0"}))
print(os.date("%Y-%m-%d", -1), os.date("%Y", 253402300800), os.date("%F", -62167219200))
print(os.difftime(5, 3), pcall(os.difftime, 5))
print(pcall(os.time, 5))
print(pcall(os.date, "%Y", "x"))
print(type(os.time()), type(os.clock()), os.setlocale("C"))
