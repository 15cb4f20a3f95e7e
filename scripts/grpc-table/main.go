// Prints, as JSON, the services of Argo CD's API with their HTTP routes, and how every message of them travels: the
// JSON name, number and shape of each field. Needed only to regenerate the table.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"

	gogo "github.com/gogo/protobuf/proto"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/argoproj/argo-cd/v3/pkg/apiclient/account"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/application"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/applicationset"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/certificate"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/cluster"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/gpgkey"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/notification"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/project"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/repocreds"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/repository"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/session"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/settings"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/version"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)

var servers = map[string]reflect.Type{
	"account":        reflect.TypeFor[account.AccountServiceServer](),
	"application":    reflect.TypeFor[application.ApplicationServiceServer](),
	"applicationset": reflect.TypeFor[applicationset.ApplicationSetServiceServer](),
	"certificate":    reflect.TypeFor[certificate.CertificateServiceServer](),
	"cluster":        reflect.TypeFor[cluster.ClusterServiceServer](),
	"gpgkey":         reflect.TypeFor[gpgkey.GPGKeyServiceServer](),
	"notification":   reflect.TypeFor[notification.NotificationServiceServer](),
	"project":        reflect.TypeFor[project.ProjectServiceServer](),
	"repocreds":      reflect.TypeFor[repocreds.RepoCredsServiceServer](),
	"repository":     reflect.TypeFor[repository.RepositoryServiceServer](),
	"session":        reflect.TypeFor[session.SessionServiceServer](),
	"settings":       reflect.TypeFor[settings.SettingsServiceServer](),
	"version":        reflect.TypeFor[version.VersionServiceServer](),
}

type rule struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   string `json:"body,omitempty"`
}

type method struct {
	In            string `json:"in"`
	Out           string `json:"out"`
	ClientStreams bool   `json:"clientStreams,omitempty"`
	ServerStreams bool   `json:"serverStreams,omitempty"`
	Routes        []rule `json:"routes"`
}

// field is how one member of a message travels.
type field struct {
	Number int    `json:"number"`
	Name   string `json:"name"`  // in JSON; empty for a message that JSON merges into this one
	Shape  string `json:"shape"` // a letter for scalars; S, C, L or M followed by what it is of
	Flags  string `json:"flags,omitempty"`
}

type facts struct {
	Services map[string]map[string]method `json:"services"`
	Types    map[string][]field           `json:"types"`
	messages map[string]reflect.Type
}

func main() {
	out := facts{Services: map[string]map[string]method{}, Types: map[string][]field{}, messages: map[string]reflect.Type{}}
	out.visit(reflect.TypeFor[v1alpha1.OverrideIgnoreDiff]())
	out.visit(reflect.TypeFor[v1alpha1.KnownTypeField]())
	for name, server := range servers {
		described := file(name)
		for _, service := range described.GetService() {
			methods := map[string]method{}
			for _, described := range service.GetMethod() {
				methods[described.GetName()] = out.method(server, described)
			}
			out.Services[described.GetPackage()+"."+service.GetName()] = methods
		}
	}
	if len(os.Args) > 1 && os.Args[1] == "record" {
		for _, id := range slices.Sorted(maps.Keys(out.messages)) {
			if err := json.NewEncoder(os.Stdout).Encode(record(out.messages[id])); err != nil {
				panic(err)
			}
		}
		return
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		panic(err)
	}
}

// file is the descriptor that a package registers.
func file(name string) *descriptorpb.FileDescriptorProto {
	zipped := gogo.FileDescriptor(fmt.Sprintf("server/%s/%s.proto", name, name))
	reader, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		panic(err)
	}
	plain, err := io.ReadAll(reader)
	if err != nil {
		panic(err)
	}
	described := &descriptorpb.FileDescriptorProto{}
	if err := proto.Unmarshal(plain, described); err != nil {
		panic(err)
	}
	return described
}

func (f *facts) method(server reflect.Type, described *descriptorpb.MethodDescriptorProto) method {
	goMethod, ok := server.MethodByName(described.GetName())
	if !ok {
		panic(described.GetName())
	}
	out := method{
		ClientStreams: described.GetClientStreaming(),
		ServerStreams: described.GetServerStreaming(),
		Routes:        routes(described),
	}
	in, result := messagesOf(goMethod.Type, out)
	out.In, out.Out = f.visit(in), f.visit(result)
	f.messages[out.In], f.messages[out.Out] = in, result
	return out
}

func messagesOf(signature reflect.Type, of method) (reflect.Type, reflect.Type) {
	switch {
	case of.ClientStreams:
		stream := signature.In(0)
		receive, _ := stream.MethodByName("Recv")
		send, _ := stream.MethodByName("SendAndClose")
		return receive.Type.Out(0).Elem(), send.Type.In(0).Elem()
	case of.ServerStreams:
		send, _ := signature.In(1).MethodByName("Send")
		return signature.In(0).Elem(), send.Type.In(0).Elem()
	default:
		return signature.In(1).Elem(), signature.Out(0).Elem()
	}
}

func routes(described *descriptorpb.MethodDescriptorProto) []rule {
	given, ok := proto.GetExtension(described.GetOptions(), annotations.E_Http).(*annotations.HttpRule)
	if !ok || given == nil {
		return []rule{}
	}
	list := []rule{}
	for _, each := range append([]*annotations.HttpRule{given}, given.GetAdditionalBindings()...) {
		list = append(list, rule{Body: each.GetBody()})
		last := &list[len(list)-1]
		switch pattern := each.GetPattern().(type) {
		case *annotations.HttpRule_Get:
			last.Method, last.Path = "GET", pattern.Get
		case *annotations.HttpRule_Put:
			last.Method, last.Path = "PUT", pattern.Put
		case *annotations.HttpRule_Post:
			last.Method, last.Path = "POST", pattern.Post
		case *annotations.HttpRule_Delete:
			last.Method, last.Path = "DELETE", pattern.Delete
		case *annotations.HttpRule_Patch:
			last.Method, last.Path = "PATCH", pattern.Patch
		default:
			panic(fmt.Sprintf("unknown pattern of %s", described.GetName()))
		}
	}
	return list
}

var (
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
	marshaler   = reflect.TypeFor[json.Marshaler]()
	bytesType   = reflect.TypeFor[[]byte]()
	message     = reflect.TypeFor[interface{ Unmarshal([]byte) error }]()
)

// plain are the types that write JSON themselves, and write what their fields say.
var plain = map[string]bool{
	"application.v1alpha1.ApplicationSourcePluginParameter": true,
	"application.v1alpha1.ApplicationDestination":           true,
}

// name is the last part of the package and the name of the type.
func name(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	if n := len(parts); n > 2 && strings.HasPrefix(parts[n-1], "v1") {
		return parts[n-2] + "." + parts[n-1] + "." + t.Name()
	}
	return parts[len(parts)-1] + "." + t.Name()
}

func (f *facts) visit(t reflect.Type) string {
	id := name(t)
	if _, seen := f.Types[id]; !seen {
		f.Types[id] = nil
		f.Types[id] = f.fields(t)
	}
	return id
}

func (f *facts) fields(t reflect.Type) []field {
	list := []field{}
	for _, member := range members(t) {
		tag := strings.Split(member.Tag.Get("json"), ",")
		if tag[0] == "-" || !member.IsExported() {
			continue
		}
		number, required := protobufTag(member.Tag.Get("protobuf"))
		// Kind and version of an object are in its JSON alone.
		if number == 0 {
			continue
		}
		flags := ""
		if required {
			flags += "r"
		}
		if member.Type.Kind() == reflect.Pointer {
			flags += "p"
		}
		if len(tag) > 1 && strings.Contains(strings.Join(tag[1:], ","), "omit") {
			flags += "e"
		}
		jsonName := tag[0]
		if jsonName == "" && !member.Anonymous {
			jsonName = member.Name
		}
		list = append(list, field{number, jsonName, f.shape(member.Type), flags})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Number < list[j].Number })
	return list
}

// members are the fields of a message, those of which it has at most one among them.
func members(t reflect.Type) []reflect.StructField {
	list := []reflect.StructField{}
	for i := range t.NumField() {
		list = append(list, t.Field(i))
	}
	if choice, ok := reflect.New(t).Interface().(interface{ XXX_OneofWrappers() []any }); ok {
		for _, wrapper := range choice.XXX_OneofWrappers() {
			list = append(list, reflect.TypeOf(wrapper).Elem().Field(0))
		}
	}
	return list
}

func protobufTag(tag string) (int, bool) {
	if tag == "" || tag == "-" {
		return 0, false
	}
	parts := strings.Split(tag, ",")
	number, err := strconv.Atoi(parts[1])
	if err != nil {
		panic(tag)
	}
	return number, len(parts) > 2 && parts[2] == "req"
}

var letters = map[reflect.Kind]string{
	reflect.String: "s", reflect.Int32: "i", reflect.Int64: "l", reflect.Int: "l", reflect.Uint32: "u", reflect.Uint64: "u",
	reflect.Bool: "b", reflect.Float64: "d", reflect.Float32: "f",
}

func (f *facts) shape(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	pointer := reflect.PointerTo(t)
	switch {
	case pointer.Implements(unmarshaler) || pointer.Implements(marshaler):
		if plain[name(t)] {
			return "S" + f.visit(t)
		}
		return "C" + name(t)
	case t == bytesType:
		return "y"
	case t.Kind() == reflect.Struct:
		return "S" + f.visit(t)
	case t.Kind() == reflect.Slice && pointer.Implements(message):
		return "I" + f.shape(t.Elem())
	case t.Kind() == reflect.Slice:
		return "L" + f.shape(t.Elem())
	case t.Kind() == reflect.Map:
		return "M" + f.shape(t.Key())[:1] + f.shape(t.Elem())
	}
	letter, ok := letters[t.Kind()]
	if !ok {
		panic(fmt.Sprintf("no shape for %s", t))
	}
	return letter
}
