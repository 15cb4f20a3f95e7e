// Prints, as JSON, what the OpenAPI documents do not say about the built-in Kubernetes types: the Go type of each field,
// whether it is a pointer, when it is left out of the output, and its protobuf number. Needed only to regenerate the schema table.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	admission "k8s.io/api/admission/v1"
	apidiscovery "k8s.io/api/apidiscovery/v2"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// shape is a type as the JSON decoder sees it.
type shape struct {
	Kind    string   `json:"kind"`              // struct, slice, map, bytes, any, custom or a Go scalar kind
	Go      string   `json:"go"`                // as decode errors print it, without leading pointers
	Pointer bool     `json:"pointer,omitempty"` // an explicit zero value survives
	Ref     string   `json:"ref,omitempty"`     // OpenAPI name of a struct or of a type that reads JSON itself
	Of      *shape   `json:"of,omitempty"`
	Enum    []string `json:"enum,omitempty"`
}

type field struct {
	Name string `json:"name"`
	Omit string `json:"omit,omitempty"` // "empty" or "zero"
	shape
}

type kind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	Ref     string `json:"ref"`
}

type facts struct {
	Types    map[string][]field `json:"types"`
	Protobuf map[string][]any   `json:"protobuf"` // field numbers, in the order of the fields of Types
	Kinds    []kind             `json:"kinds"`
	enums    enums
}

var (
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
	bytesType   = reflect.TypeFor[[]byte]()
)

func main() {
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		scheme.AddToScheme, apiextensions.AddToScheme, apiregistration.AddToScheme, apidiscovery.AddToScheme, admission.AddToScheme,
		metav1.AddMetaToScheme,
	} {
		if err := add(known); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	out := facts{Types: map[string][]field{}, Protobuf: map[string][]any{}, enums: newEnums()}
	for gvk, t := range known.AllKnownTypes() {
		out.Kinds = append(out.Kinds, kind{gvk.Group, gvk.Version, gvk.Kind, name(t)})
		out.visit(t)
	}
	sort.Slice(out.Kinds, func(i, j int) bool { return fmt.Sprint(out.Kinds[i]) < fmt.Sprint(out.Kinds[j]) })
	encoder := json.NewEncoder(os.Stdout)
	if err := encoder.Encode(out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// name is the OpenAPI name of a Go type: the host of the package path reversed, then the rest with dots.
func name(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	host := strings.Split(parts[0], ".")
	for i, j := 0, len(host)-1; i < j; i, j = i+1, j-1 {
		host[i], host[j] = host[j], host[i]
	}
	return strings.Join(append(append(host, parts[1:]...), t.Name()), ".")
}

func (f *facts) visit(t reflect.Type) {
	id := name(t)
	if _, seen := f.Types[id]; seen {
		return
	}
	f.Types[id] = nil
	f.Types[id] = f.fields(t)
	f.Protobuf[id] = numbers(t)
}

func (f *facts) fields(t reflect.Type) []field {
	list := []field{}
	for i := range t.NumField() {
		member := t.Field(i)
		tag := strings.Split(member.Tag.Get("json"), ",")
		if tag[0] == "-" || !member.IsExported() {
			continue
		}
		if member.Anonymous && tag[0] == "" {
			list = append(list, f.fields(member.Type)...)
			continue
		}
		omit := ""
		for _, option := range tag[1:] {
			if strings.HasPrefix(option, "omit") && omit != "zero" {
				omit = strings.TrimPrefix(option, "omit")
			}
		}
		list = append(list, field{Name: tag[0], Omit: omit, shape: f.shape(member.Type)})
	}
	return list
}

func (f *facts) shape(t reflect.Type) shape {
	pointer := t.Kind() == reflect.Pointer
	if pointer {
		t = t.Elem()
	}
	s := shape{Go: t.String(), Pointer: pointer}
	switch {
	case t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler):
		s.Kind, s.Ref = "custom", name(t)
	case t == bytesType:
		s.Kind = "bytes"
	case t.Kind() == reflect.Struct:
		s.Kind, s.Ref = "struct", name(t)
		f.visit(t)
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Map:
		of := f.shape(t.Elem())
		s.Kind, s.Of = t.Kind().String(), &of
	default:
		s.Kind = t.Kind().String()
		s.Enum = f.enums.of(t)
	}
	return s
}
