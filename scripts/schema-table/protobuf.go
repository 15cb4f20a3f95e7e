package main

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

type protobufMessage interface{ Unmarshal([]byte) error }

var message = reflect.TypeFor[protobufMessage]()

// numbers lists the protobuf field numbers of a type in the order in which fields lists its JSON fields: 0 for a field
// that protobuf does not carry, a negative number for a list that travels in a message of its own, and for a struct that
// JSON merges into this one a list: its number, then what numbers says of it. How a value travels follows from its Go
// type; what tags say of that is not always true.
func numbers(t reflect.Type) []any {
	list := []any{}
	for i := range t.NumField() {
		member := t.Field(i)
		tag := strings.Split(member.Tag.Get("json"), ",")
		if tag[0] == "-" || !member.IsExported() {
			continue
		}
		number := protobufNumber(member.Tag.Get("protobuf"))
		if !member.Anonymous || tag[0] != "" {
			if member.Type.Kind() == reflect.Slice && reflect.PointerTo(member.Type).Implements(message) {
				number = -number
			}
			list = append(list, number)
			continue
		}
		inner := numbers(member.Type)
		if number == 0 {
			list = append(list, inner...)
		} else {
			list = append(list, append([]any{number}, inner...))
		}
	}
	return list
}

// protobufNumber reads "bytes,1,opt,name=..."; types that never travel as protobuf have no tags.
func protobufNumber(tag string) int {
	if tag == "" {
		return 0
	}
	number, err := strconv.Atoi(strings.Split(tag, ",")[1])
	if err != nil {
		panic(fmt.Sprintf("unexpected protobuf tag %q", tag))
	}
	return number
}
