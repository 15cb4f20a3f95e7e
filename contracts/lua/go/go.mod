// gopher-lua, the engine whose answers our Lua engine must give.
module argosy.dev/lua-contract

go 1.24.0

require github.com/yuin/gopher-lua v1.1.2
