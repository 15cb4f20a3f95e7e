import { parseDuration, parseMicroTime, parseTime } from '../formats/index.js';
import { writeJson, type Json } from '../json/index.js';
import { WIRE } from './wire.js';
import type { WireWriter } from './wire-writer.js';

type OwnWriter = (value: Json, writer: WireWriter) => void;

/** The types that write their JSON themselves, by the end of their name; the content of the message, from its end. */
export const OWN_WRITERS: Readonly<Record<string, OwnWriter>> = {
  'resource.Quantity': (value, writer) => {
    writeText(writer, 1, String(value));
  },
  'v1.Time': (value, writer) => {
    writeTime(writer, value, parseTime);
  },
  'v1.MicroTime': (value, writer) => {
    writeTime(writer, value, parseMicroTime);
  },
  'v1.Duration': (value, writer) => {
    if (typeof value !== 'string') return;
    writer.varint(parseDuration(value));
    writer.tag(1, WIRE.varint);
  },
  'intstr.IntOrString': (value, writer) => {
    if (typeof value === 'string') {
      writeText(writer, 3, value);
      writer.varint(1);
    } else {
      writer.varint(typeof value === 'number' ? Math.trunc(value) : 0);
      writer.tag(2, WIRE.varint);
      writer.varint(0);
    }
    writer.tag(1, WIRE.varint);
  },
  'runtime.RawExtension': writeRaw,
  'v1.FieldsV1': writeRaw,
  'v1.JSON': writeRaw,
};

function writeText(writer: WireWriter, field: number, text: string): void {
  const before = writer.size;
  writer.text(text);
  writer.lengthSince(before, field);
}

function writeRaw(value: Json, writer: WireWriter): void {
  writeText(writer, 1, writeJson(value));
}

/** Null is the zero time, which has no bytes. */
function writeTime(writer: WireWriter, value: Json, parse: typeof parseTime): void {
  if (typeof value !== 'string' || value === '') return;
  const { seconds, nanoseconds } = parse(value);
  writer.varint(nanoseconds);
  writer.tag(2, WIRE.varint);
  writer.varint(seconds);
  writer.tag(1, WIRE.varint);
}
