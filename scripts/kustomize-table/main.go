// Command kustomize-table prints, as one JSON document, the facts that the Kustomize of these module versions carries inside
// it: how lists merge and which kinds are cluster-scoped (from its Kubernetes OpenAPI document), and which fields hold
// names, labels, images and so on.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
	_ "sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"
)

type field struct {
	// Type of an object or of a map's values (M) or of a list's elements (A); 0 is an object without merging lists.
	T *int     `json:"t,omitempty"`
	M *int     `json:"m,omitempty"`
	A *int     `json:"a,omitempty"`
	S string   `json:"s,omitempty"`
	K []string `json:"k,omitempty"`
}

type table struct {
	Version string                     `json:"version"`
	Kinds   map[string]int             `json:"kinds"`
	Types   []map[string]field         `json:"types"`
	Cluster []string                   `json:"clusterScoped"`
	Spaced  []string                   `json:"namespaced"`
	Specs   map[string]json.RawMessage `json:"fieldSpecs"`
}

type walker struct {
	root  *spec.Schema
	out   table
	index map[string]int
	deep  map[string]bool
}

func main() {
	w := &walker{root: openapi.Schema(), index: map[string]int{}, deep: map[string]bool{}}
	w.out = table{Version: openapi.GetSchemaVersion(), Kinds: map[string]int{}, Types: []map[string]field{{}}}
	names := make([]string, 0, len(w.root.Definitions))
	for name := range w.root.Definitions {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		w.kinds(name)
	}
	w.out.Specs = fieldSpecs()
	bytes, err := json.Marshal(w.out)
	must(err)
	fmt.Println(string(bytes))
}

func (w *walker) kinds(name string) {
	list, _ := w.root.Definitions[name].Extensions["x-kubernetes-group-version-kind"].([]interface{})
	for _, item := range list {
		gvk := item.(map[string]interface{})
		apiVersion := gvk["version"].(string)
		if group, _ := gvk["group"].(string); group != "" {
			apiVersion = group + "/" + apiVersion
		}
		kind := gvk["kind"].(string)
		key := apiVersion + " " + kind
		w.out.Kinds[key] = w.typeOf(name)
		if spaced, found := openapi.IsNamespaceScoped(kyaml.TypeMeta{APIVersion: apiVersion, Kind: kind}); found {
			if spaced {
				w.out.Spaced = append(w.out.Spaced, key)
			} else {
				w.out.Cluster = append(w.out.Cluster, key)
			}
		}
	}
}

// typeOf adds a definition, and those it refers to, on first sight; one below which no list merges is type 0.
func (w *walker) typeOf(name string) int {
	if i, ok := w.index[name]; ok {
		return i
	}
	if !w.merges(name, map[string]bool{}) {
		w.index[name] = 0
		return 0
	}
	i := len(w.out.Types)
	w.index[name] = i
	w.out.Types = append(w.out.Types, map[string]field{})
	for property, schema := range w.root.Definitions[name].Properties {
		if f, ok := w.field(schema); ok {
			w.out.Types[i][property] = f
		}
	}
	return i
}

func (w *walker) field(schema spec.Schema) (field, bool) {
	zero := 0
	if name := refName(schema); name != "" {
		t := w.typeOf(name)
		return field{T: &t}, true
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		t := zero
		if name := refName(*schema.AdditionalProperties.Schema); name != "" {
			t = w.typeOf(name)
		}
		return field{M: &t}, true
	}
	if len(schema.Type) == 1 && schema.Type[0] == "array" {
		t := zero
		if schema.Items != nil && schema.Items.Schema != nil {
			if name := refName(*schema.Items.Schema); name != "" {
				t = w.typeOf(name)
			}
		}
		strategy, keys := (&openapi.ResourceSchema{Schema: &schema}).PatchStrategyAndKeyList()
		return field{A: &t, S: strategy, K: keys}, true
	}
	return field{T: &zero}, len(schema.Type) == 1 && schema.Type[0] == "object"
}

// merges says whether some list below the definition has a patch strategy.
func (w *walker) merges(name string, seen map[string]bool) bool {
	if seen[name] {
		return false
	}
	seen[name] = true
	for _, schema := range w.root.Definitions[name].Properties {
		if _, found := schema.Extensions["x-kubernetes-patch-strategy"]; found {
			return true
		}
		for _, next := range referred(schema) {
			if w.merges(next, seen) {
				return true
			}
		}
	}
	return false
}

func referred(schema spec.Schema) (names []string) {
	add := func(s *spec.Schema) {
		if s != nil && refName(*s) != "" {
			names = append(names, refName(*s))
		}
	}
	add(&schema)
	if schema.AdditionalProperties != nil {
		add(schema.AdditionalProperties.Schema)
	}
	if schema.Items != nil {
		add(schema.Items.Schema)
	}
	return names
}

func refName(schema spec.Schema) string {
	return strings.TrimPrefix(schema.Ref.String(), "#/definitions/")
}

// fieldSpecs reads the built-in field specifications out of the constants that hold them as YAML; their package is
// internal, so they are read from its source.
func fieldSpecs() map[string]json.RawMessage {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kustomize/api").Output()
	must(err)
	dir := filepath.Join(strings.TrimSpace(string(out)), "internal", "konfig", "builtinpluginconsts")
	packages, err := parser.ParseDir(token.NewFileSet(), dir, nil, 0)
	must(err)
	values := map[string]ast.Expr{}
	for _, file := range packages["builtinpluginconsts"].Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
				values[v.Names[0].Name] = v.Values[0]
			}
			return true
		})
	}
	result := map[string]json.RawMessage{}
	for name := range values {
		var part map[string]json.RawMessage
		// One constant is only a piece of others, and no mapping of its own.
		if yaml.Unmarshal([]byte(text(values, values[name])), &part) != nil {
			continue
		}
		for key, value := range part {
			result[key] = value
		}
	}
	return result
}

func text(values map[string]ast.Expr, expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		must(err)
		return s
	case *ast.BinaryExpr:
		return text(values, e.X) + text(values, e.Y)
	case *ast.Ident:
		return text(values, values[e.Name])
	}
	panic(fmt.Sprintf("a constant of an unknown form: %T", expr))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
