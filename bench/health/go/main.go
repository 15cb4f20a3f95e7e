// Runs health scripts on gopher-lua with the work that Argo CD does for each check: a new state with its libraries, a
// time limit, the object as tables, compiling and running the script, and the result to JSON and from there to a verdict.
// Takes one JSON request a line, gives one JSON answer a line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"time"

	lua "github.com/yuin/gopher-lua"
	luajson "layeh.com/gopher-json"
)

type request struct {
	// "load" keeps a script and its objects and answers their verdicts; "run" times checks of them.
	Kind     string           `json:"kind"`
	Name     string           `json:"name"`
	Script   string           `json:"script"`
	OpenLibs bool             `json:"openLibs"`
	Objects  []map[string]any `json:"objects"`
	Count    int              `json:"count"`
}

type verdict struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

type answer struct {
	Verdicts []verdict `json:"verdicts,omitempty"`
	Ms       float64   `json:"ms,omitempty"`
}

func main() {
	loaded := map[string]request{}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 0, 1<<16), 1<<26)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var next request
		must(json.Unmarshal(in.Bytes(), &next))
		if next.Kind == "load" {
			loaded[next.Name] = next
			must(out.Encode(answer{Verdicts: judgeAll(next)}))
			continue
		}
		work := loaded[next.Name]
		begin := time.Now()
		for i := range next.Count {
			judge(work.Objects[i%len(work.Objects)], work.Script, work.OpenLibs)
		}
		must(out.Encode(answer{Ms: float64(time.Since(begin).Nanoseconds()) / 1e6}))
	}
}

func judgeAll(work request) []verdict {
	verdicts := make([]verdict, len(work.Objects))
	for i, object := range work.Objects {
		verdicts[i] = judge(object, work.Script, work.OpenLibs)
	}
	return verdicts
}

func judge(object map[string]any, script string, openLibs bool) verdict {
	state := lua.NewState(lua.Options{SkipOpenLibs: !openLibs})
	defer state.Close()
	openLibraries(state)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	state.SetContext(ctx)
	state.SetGlobal("actionParams", state.CreateTable(0, 0))
	state.SetGlobal("obj", toLua(state, object))
	must(state.DoString(script))
	text, err := luajson.Encode(state.Get(-1))
	must(err)
	var result verdict
	must(json.Unmarshal(text, &result))
	return result
}

func openLibraries(state *lua.LState) {
	libraries := []struct {
		name string
		open lua.LGFunction
	}{{lua.LoadLibName, lua.OpenPackage}, {lua.BaseLibName, lua.OpenBase}, {lua.TabLibName, lua.OpenTable}, {lua.OsLibName, openClock}}
	for _, library := range libraries {
		must(state.CallByParam(lua.P{Fn: state.NewFunction(library.open), Protect: true}, lua.LString(library.name)))
	}
	state.PreloadModule(lua.OsLibName, func(s *lua.LState) int {
		s.Push(s.SetFuncs(s.NewTable(), clock))
		return 1
	})
}

// Argo CD's own os library has these two functions; it is opened under the name of the table library.
var clock = map[string]lua.LGFunction{
	"time": func(s *lua.LState) int { s.Push(lua.LNumber(time.Now().Unix())); return 1 },
	"date": func(s *lua.LState) int { s.Push(lua.LString(time.Now().Format(time.RFC822))); return 1 },
}

func openClock(state *lua.LState) int {
	state.Push(state.RegisterModule(lua.TabLibName, clock))
	return 1
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
		for key, item := range v {
			table.RawSetString(key, toLua(state, item))
		}
		return table
	}
	return lua.LNil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
