print(type(package.loaded), type(package.preload), package.loaded._G == _G, package.loaded.table == table)
package.preload.shapes = function(name) print("loading", name) return {area = function(w, h) return w * h end} end
local shapes = require("shapes")
print(shapes.area(3, 4), require("shapes") == shapes, package.loaded.shapes == shapes)
package.preload.quiet = function() end
print(require("quiet"), package.loaded.quiet)
print(require("table") == table)
package.loaded.given = "anything"
print(require("given"))
print(pcall(require, "no.such.module") == false)
