local os = require("os")
local now = os.time()
io.open("/etc/passwd")
os.execute("true")
return { status = "Progressing", message = "at " .. now }
