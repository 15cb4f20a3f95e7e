package main

import (
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// enums holds, by package path, the values of each string type whose comment carries the +enum marker. They are read
// from the source, because reflection cannot list the constants of a type.
type enums struct {
	values   map[string]map[string][]string
	importer types.Importer
}

func newEnums() enums {
	return enums{map[string]map[string][]string{}, importer.ForCompiler(token.NewFileSet(), "source", nil)}
}

func (e enums) of(t reflect.Type) []string {
	path := t.PkgPath()
	if path == "" {
		return nil
	}
	if _, read := e.values[path]; !read {
		e.values[path] = e.readPackage(path)
	}
	return e.values[path][t.Name()]
}

func (e enums) readPackage(path string) map[string][]string {
	pkg, err := e.importer.Import(path)
	if err != nil {
		panic(err)
	}
	marked, values := markedTypes(path), map[string][]string{}
	for _, name := range pkg.Scope().Names() {
		value, ok := pkg.Scope().Lookup(name).(*types.Const)
		if !ok || value.Val().Kind() != constant.String {
			continue
		}
		if named, ok := value.Type().(*types.Named); ok && named.Obj().Pkg() == pkg && marked[named.Obj().Name()] {
			of := named.Obj().Name()
			values[of] = append(values[of], constant.StringVal(value.Val()))
		}
	}
	for name := range values {
		slices.Sort(values[name])
		values[name] = slices.Compact(values[name])
	}
	return values
}

func markedTypes(path string) map[string]bool {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		panic(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "*.go"))
	if err != nil {
		panic(err)
	}
	marked := map[string]bool{}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			panic(err)
		}
		ast.Inspect(tree, func(node ast.Node) bool {
			if declaration, ok := node.(*ast.GenDecl); ok && declaration.Tok == token.TYPE {
				for _, spec := range declaration.Specs {
					if named := spec.(*ast.TypeSpec); hasMarker(declaration.Doc) || hasMarker(named.Doc) {
						marked[named.Name.Name] = true
					}
				}
			}
			return true
		})
	}
	return marked
}

func hasMarker(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, line := range doc.List {
		if strings.TrimSpace(strings.TrimPrefix(line.Text, "//")) == "+enum" {
			return true
		}
	}
	return false
}
