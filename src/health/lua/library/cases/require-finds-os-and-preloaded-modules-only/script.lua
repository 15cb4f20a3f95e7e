local os1 = require("os")
print(type(os1.time()), type(os1.date), os1.exit, os1 == require("os"), package.loaded.os == os1)
print(os1.date("!%Y-%m-%dT%H:%M:%SZ", 86400))
print(os1.time({year = 2020, month = 1, day = 1, hour = 0}))
print(pcall(os1.time, nil))
print(pcall(os1.time, 5))
print(require("table") == table, require("_G") == _G)
print(pcall(require, "no.such"))
print(pcall(require))
package.preload.mine = function(name) return {name = name} end
print(require("mine").name, require("mine") == package.loaded.mine)
package.preload.empty = function() end
print(require("empty"), require("empty"))
package.preload.loop = function() return require("loop") end
print(pcall(require, "loop"))
print(type(package.loaders), #package.loaders, package.cpath == "", package.config)
