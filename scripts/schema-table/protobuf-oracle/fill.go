package main

import (
	"fmt"
	"math"
	"reflect"
	"time"

	core "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Schemas hold schemas; below this depth they stay empty.
const deepest = 8

// filler gives every field a value that no other has; count makes them different, and the same in each run.
type filler struct {
	count int
	short bool // pod specs have one container and nothing else
}

func (f *filler) fill(v reflect.Value, depth int) {
	f.count++
	if f.fillOwn(v.Addr().Interface(), depth) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("ä%d", f.count))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32:
		v.SetInt([]int64{int64(f.count), -int64(f.count), math.MaxInt32, math.MinInt32}[f.count%4])
	case reflect.Int64:
		v.SetInt([]int64{int64(f.count), -int64(f.count), math.MaxInt64, math.MinInt64, 1<<53 - 1}[f.count%5])
	case reflect.Float64:
		v.SetFloat(float64(f.count) + 0.25)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth)
	case reflect.Slice:
		f.fillSlice(v, depth)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key, depth+1)
		f.fill(element, depth+1)
		v.SetMapIndex(key, element)
	case reflect.Struct:
		for i := range v.NumField() {
			if member := v.Type().Field(i); member.IsExported() && member.Name != "TypeMeta" {
				f.fill(v.Field(i), depth+1)
			}
		}
	}
}

// fillSlice makes one element, or two of those that are small.
func (f *filler) fillSlice(v reflect.Value, depth int) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes([]byte{0, 255, byte(f.count)})
		return
	}
	length := 2
	if v.Type().Elem().Kind() == reflect.Struct {
		length = 1
	}
	v.Set(reflect.MakeSlice(v.Type(), length, length))
	for i := range length {
		f.fill(v.Index(i), depth+1)
	}
}

// fillOwn fills the types that write themselves.
func (f *filler) fillOwn(value any, depth int) bool {
	pick := func(texts ...string) string { return texts[f.count%len(texts)] }
	switch value := value.(type) {
	case *core.PodSpec:
		if f.short {
			value.Containers = []core.Container{{Name: "one", Image: "two"}}
		}
		return f.short
	case *resource.Quantity:
		*value = resource.MustParse(pick("1500m", "2Gi", "3", "0.5"))
	case *metav1.Time:
		*value = metav1.NewTime(time.Unix(1700000000+int64(f.count), 0))
	case *metav1.MicroTime:
		*value = metav1.NewMicroTime(time.Unix(1700000000, int64(f.count)*1000))
	case *intstr.IntOrString:
		*value = intstr.Parse(pick(fmt.Sprint(f.count), fmt.Sprintf("%d%%", f.count)))
	case *runtime.RawExtension:
		value.Raw = []byte(fmt.Sprintf(`{"kind":"Boat","n":%d}`, f.count))
	case *metav1.FieldsV1:
		value.Raw = []byte(`{"f:metadata":{"f:name":{}}}`)
	case *apiextensions.JSON:
		value.Raw = []byte(pick(`1`, `"a"`, `{"a":[1,null]}`, `false`))
	case *apiextensions.JSONSchemaProps:
		return depth > deepest
	case *apiextensions.JSONSchemaPropsOrBool:
		value.Allows = f.count%2 == 0
		value.Schema = f.schema(depth)
	case *apiextensions.JSONSchemaPropsOrArray:
		if value.Schema = f.schema(depth); value.Schema == nil {
			value.JSONSchemas = []apiextensions.JSONSchemaProps{{Type: "integer"}, {ID: "two"}}
		}
	case *apiextensions.JSONSchemaPropsOrStringArray:
		if value.Schema = f.schema(depth); value.Schema == nil {
			value.Property = []string{"one", "two"}
		}
	default:
		return false
	}
	return true
}

// schema is a small one, or none at every other call.
func (f *filler) schema(depth int) *apiextensions.JSONSchemaProps {
	if f.count%2 == 0 || depth > deepest {
		return nil
	}
	return &apiextensions.JSONSchemaProps{Type: "string", Enum: []apiextensions.JSON{{Raw: []byte(`"a"`)}}}
}
