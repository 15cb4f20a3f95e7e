local keep = print
local function define()
  module("shapes.round", package.seeall)
  function area(r) return r * r * 3 end
  keep(_NAME, _PACKAGE, _M == shapes.round)
end
define()
keep(shapes.round.area(2), type(shapes), area)
keep(require("shapes.round") == shapes.round)
taken = 5
keep(pcall(module, "taken"))
keep(pcall(module))
