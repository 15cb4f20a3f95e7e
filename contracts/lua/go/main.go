// Runs Lua programs on gopher-lua: one JSON program a line on stdin, one JSON outcome a line on stdout.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
)

const timeLimit = time.Second

type program struct {
	Source string `json:"source"`
	// All libraries, as Argo CD opens them for its own scripts; else only package, base and table.
	OpenLibs bool `json:"openLibs"`
	// The global obj, made as Argo CD makes it, except that keys come in order.
	Object any `json:"object"`
}

// Texts of Lua are bytes; each byte is one character of the JSON text.
type outcome struct {
	Printed  []string `json:"printed"`
	Returned []string `json:"returned"`
	// "", "syntax", "run" or "time".
	Failure string `json:"failure"`
	Message string `json:"message"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 0, 1<<16), 1<<26)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for in.Scan() {
		var next program
		if err := json.Unmarshal(in.Bytes(), &next); err != nil {
			panic(err)
		}
		if err := encoder.Encode(run(next)); err != nil {
			panic(err)
		}
		if err := out.Flush(); err != nil {
			panic(err)
		}
	}
}

func run(p program) outcome {
	state := lua.NewState(lua.Options{SkipOpenLibs: !p.OpenLibs})
	defer state.Close()
	openAlways(state)
	result := outcome{Printed: []string{}, Returned: []string{}}
	state.SetGlobal("print", state.NewFunction(func(s *lua.LState) int {
		texts := make([]string, s.GetTop())
		for i := range texts {
			texts[i] = s.ToStringMeta(s.Get(i + 1)).String()
		}
		result.Printed = append(result.Printed, fromBytes(strings.Join(texts, "\t")))
		return 0
	}))
	state.SetGlobal("obj", toLua(state, p.Object))
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	state.SetContext(ctx)
	if err := state.DoString(p.Source); err != nil {
		result.Failure, result.Message = describe(err)
		if ctx.Err() != nil {
			result.Failure = "time"
		}
		return result
	}
	for i := 1; i <= state.GetTop(); i++ {
		result.Returned = append(result.Returned, fromBytes(text(state.Get(i))))
	}
	return result
}

func openAlways(state *lua.LState) {
	libraries := []struct {
		name string
		open lua.LGFunction
	}{{lua.LoadLibName, lua.OpenPackage}, {lua.BaseLibName, lua.OpenBase}, {lua.TabLibName, lua.OpenTable}}
	for _, library := range libraries {
		call := lua.P{Fn: state.NewFunction(library.open), Protect: true}
		if err := state.CallByParam(call, lua.LString(library.name)); err != nil {
			panic(err)
		}
	}
}

func toLua(state *lua.LState, value any) lua.LValue {
	switch v := value.(type) {
	case bool:
		return lua.LBool(v)
	case float64:
		return lua.LNumber(v)
	case string:
		return lua.LString(v)
	case []any:
		list := state.CreateTable(len(v), 0)
		for _, item := range v {
			list.Append(toLua(state, item))
		}
		return list
	case map[string]any:
		table := state.CreateTable(0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			table.RawSetString(key, toLua(state, v[key]))
		}
		return table
	}
	return lua.LNil
}

func describe(err error) (failure, message string) {
	var thrown *lua.ApiError
	if !errors.As(err, &thrown) {
		return "syntax", fromBytes(err.Error())
	}
	if thrown.Type == lua.ApiErrorSyntax {
		return "syntax", fromBytes(thrown.Object.String())
	}
	return "run", fromBytes(text(thrown.Object))
}

// Addresses differ from run to run, so what has only an address shows its type.
func text(value lua.LValue) string {
	switch value.Type() {
	case lua.LTNil, lua.LTBool, lua.LTNumber, lua.LTString:
		return value.String()
	default:
		return value.Type().String()
	}
}

func fromBytes(s string) string {
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}
