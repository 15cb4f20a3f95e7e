// Renders templates with Go's text/template: one JSON task a line on stdin, one JSON answer a line on stdout.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
)

const timeLimit = 5 * time.Second

type source struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

type task struct {
	Templates []source       `json:"templates"`
	Values    map[string]any `json:"values"`
	Name      string         `json:"name"`
	// "invalid", "zero" or "error".
	MissingKey string `json:"missingKey"`
	// Without the functions of sprig.
	IsPlain bool `json:"isPlain"`
	// With values under .Native that no values file can hold.
	HasNatives bool `json:"hasNatives"`
}

// Output and error are bytes; each byte is one character of the JSON text.
type answer struct {
	Output string `json:"output"`
	// "", "parse", "exec", "panic" or "time".
	Failure string `json:"failure"`
	Message string `json:"message"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 0, 1<<16), 1<<28)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for in.Scan() {
		var next task
		if err := json.Unmarshal(in.Bytes(), &next); err != nil {
			panic(err)
		}
		result := withTimeLimit(next)
		if err := encoder.Encode(result); err != nil {
			panic(err)
		}
		if err := out.Flush(); err != nil {
			panic(err)
		}
		if result.Failure == "time" {
			// What runs on cannot be stopped; the next task gets a new process.
			return
		}
	}
}

func withTimeLimit(next task) answer {
	done := make(chan answer, 1)
	go func() { done <- render(next) }()
	select {
	case result := <-done:
		return result
	case <-time.After(timeLimit):
		return answer{Failure: "time"}
	}
}

// The decoder leaves room behind the elements of a list, which the builtin slice would show.
func clip(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, child := range value {
			value[key] = clip(child)
		}
	case []any:
		for i, child := range value {
			value[i] = clip(child)
		}
		return slices.Clip(value)
	}
	return value
}

func render(next task) (result answer) {
	defer func() {
		if thrown := recover(); thrown != nil {
			result = answer{Failure: "panic", Message: bytes(fmt.Sprint(thrown))}
			if os.Getenv("TRACE") != "" {
				debug.PrintStack()
			}
		}
	}()
	root := template.New("gotpl").Option("missingkey=" + next.MissingKey)
	engine := engine{missingKey: next.MissingKey, included: map[string]int{}}
	if !next.IsPlain {
		root.Funcs(sprig.TxtFuncMap())
	}
	root.Funcs(engine.functions(root))
	for _, source := range next.Templates {
		if _, err := root.New(source.Name).Parse(source.Text); err != nil {
			return answer{Failure: "parse", Message: bytes(err.Error())}
		}
	}
	var out strings.Builder
	if err := root.ExecuteTemplate(&out, next.Name, data(next)); err != nil {
		return answer{Failure: "exec", Message: bytes(err.Error())}
	}
	return answer{Output: bytes(out.String())}
}

// Values of types that no values file can hold, as Helm gives them with .Capabilities, .Files and .Values.
func data(next task) any {
	clip(next.Values)
	if next.HasNatives {
		next.Values["Native"] = native()
	}
	return next.Values
}

type version struct {
	Version, Major string
	number         int
}

func (v *version) String() string { return v.Version }

func (v version) Greater(major int) bool { return v.number > major }

type names []string

func (n names) Has(name string) bool { return slices.Contains(n, name) }

type table map[string]any

func (t table) Lookup(path string) (any, error) {
	if value, ok := t[path]; ok {
		return value, nil
	}
	return nil, fmt.Errorf("%q is not there", path)
}

func (t table) Names(more ...string) []string {
	found := []string{}
	for name := range t {
		found = append(found, name)
	}
	slices.Sort(found)
	return append(found, more...)
}

type files map[string][]byte

func (f files) Get(name string) string { return string(f[name]) }

type capabilities struct {
	Version version
	Names   names
	Any     any
	Nothing any
	Count   int64
	hidden  bool
}

func native() *record {
	return &record{
		Capabilities: &capabilities{Version: version{"v1.34", "1", 1}, Names: names{"v1", "apps/v1"}, Any: map[string]any{"a": "b"}, Count: 7},
		Table:        table{"a": 1.5, "b": map[string]any{"c": "d"}, "Names": "hidden by the method"},
		Files:        files{"a.txt": []byte("héllo"), "empty": {}},
		Labels:       map[string]string{"x": "y"},
		NoLabels:     nil,
		Bytes:        []byte{1, 2, 255},
		Small:        3,
	}
}

type record struct {
	Capabilities     *capabilities
	Table            table
	Files            files
	Labels, NoLabels map[string]string
	Bytes            []byte
	Small            uint8
}

// The two functions of Helm that reach back into the engine.
type engine struct {
	missingKey string
	included   map[string]int
}

const mostIncludes = 1000

func (e engine) functions(root *template.Template) template.FuncMap {
	return template.FuncMap{
		"include": func(name string, data any) (string, error) { return e.include(root, name, data) },
		"tpl":     func(text string, data any) (string, error) { return e.tpl(root, text, data) },
	}
}

func (e engine) include(root *template.Template, name string, data any) (string, error) {
	if e.included[name] > mostIncludes {
		return "", fmt.Errorf("rendering template has a nested reference name: %s: %w", name, fmt.Errorf("unable to execute template"))
	}
	e.included[name]++
	defer func() { e.included[name]-- }()
	var out strings.Builder
	err := root.ExecuteTemplate(&out, name, data)
	return out.String(), err
}

func (e engine) tpl(root *template.Template, text string, data any) (string, error) {
	copied, err := root.Clone()
	if err != nil {
		return "", err
	}
	copied.Option("missingkey=" + e.missingKey).Funcs(e.functions(copied))
	parsed, err := copied.New(root.Name()).Parse(text)
	if err != nil {
		return "", fmt.Errorf("cannot parse template %q: %w", text, err)
	}
	var out strings.Builder
	if err := parsed.Execute(&out, data); err != nil {
		return "", fmt.Errorf("error during tpl function execution for %q: %w", text, err)
	}
	return strings.ReplaceAll(out.String(), "<no value>", ""), nil
}

func bytes(s string) string {
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}
