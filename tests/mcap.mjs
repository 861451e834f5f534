// SPDX-License-Identifier: GPL-3.0-or-later
// mcap.mjs - our logs, read by the reference reader of the format (npm @mcap/core) and decoded from their own schemas
// (@foxglove/rosmsg, rosmsg2-serialization): code that knows nothing of ours.
//
//   node mcap.mjs index FILE          by the index at its end; whole files only
//   node mcap.mjs stream FILE...      from front to end, as far as a cut file goes
//   node mcap.mjs dump FILE TOPIC     every message of a topic, one JSON object a line
//
// index and stream print one JSON object: messages by topic, sums of a field, attachments, metadata.
import { createRequire } from "node:module";
import { openSync, readSync, fstatSync, readFileSync } from "node:fs";
const require = createRequire(new URL("../build/deps/mcap/", import.meta.url));
const { McapIndexedReader, McapStreamReader } = require("@mcap/core");
const { parse } = require("@foxglove/rosmsg");
const { MessageReader } = require("@foxglove/rosmsg2-serialization");
const fzstd = require("fzstd");
const decompressHandlers = { zstd: (b, size) => fzstd.decompress(b, new Uint8Array(Number(size))) };

class File {
  constructor(path) { this.fd = openSync(path); }
  async size() { return BigInt(fstatSync(this.fd).size); }
  async read(offset, length) {
    const b = new Uint8Array(Number(length));
    if (readSync(this.fd, b, 0, b.length, Number(offset)) !== b.length) throw new Error("file ends early");
    return b;
  }
}

class Decoder {
  constructor() { this.readers = new Map(); this.schemas = new Map(); this.channels = new Map(); }
  add(record) {
    if (record.type === "Schema") this.schemas.set(record.id, record);
    if (record.type === "Channel") this.channels.set(record.id, record);
  }
  topic(message) { return this.channels.get(message.channelId).topic; }
  decode(message) {
    const channel = this.channels.get(message.channelId);
    if (!this.readers.has(channel.schemaId)) {
      const schema = this.schemas.get(channel.schemaId);
      if (channel.messageEncoding !== "cdr" || schema.encoding !== "ros2msg") throw new Error(`${channel.topic}: not CDR of ros2msg`);
      this.readers.set(channel.schemaId, new MessageReader(parse(new TextDecoder().decode(schema.data), { ros2: true })));
    }
    return this.readers.get(channel.schemaId).readMessage(message.data);
  }
}

const plain = (_, x) => typeof x === "bigint" ? x.toString() : ArrayBuffer.isView(x) ? Array.from(x) : x;

function* records(path) {
  const reader = new McapStreamReader({ decompressHandlers, validateCrcs: true });
  reader.append(readFileSync(path));
  for (let r; (r = reader.nextRecord()); ) yield r;
  yield { type: "State", done: reader.done() };
}

function count(into, decoder, message) {
  const topic = decoder.topic(message);
  const t = (into.topics[topic] ??= { n: 0, first: String(message.logTime), last: "", wrong: 0 });
  const value = decoder.decode(message);
  t.n++;
  t.last = String(message.logTime);
  // the words of tests/mcap_write.c: each made from the first
  if (value.word && !Array.from(value.word).every((w, i) => w === BigInt.asUintN(64, (value.word[0] + BigInt(i)) * (i ? 0x9e3779b97f4a7c15n : 1n)))) t.wrong++;
}

function stream(path) {
  const out = { file: path, topics: {}, attachments: {}, metadata: {}, whole: false };
  const decoder = new Decoder();
  for (const r of records(path)) {
    decoder.add(r);
    if (r.type === "Message") count(out, decoder, r);
    if (r.type === "Attachment") out.attachments[r.name] = r.data.length;
    if (r.type === "Metadata") out.metadata[r.name] = Object.fromEntries(r.metadata);
    if (r.type === "State") out.whole = r.done;
  }
  return out;
}

async function index(path) {
  const reader = await McapIndexedReader.Initialize({ readable: new File(path), decompressHandlers });
  const out = { file: path, topics: {}, statistics: reader.statistics, attachments: {}, metadata: {} };
  const decoder = new Decoder();
  for (const r of [...reader.schemasById.values(), ...reader.channelsById.values()]) decoder.add(r);
  for await (const m of reader.readMessages({ validateCrcs: true })) count(out, decoder, m);
  for await (const a of reader.readAttachments({ validateCrcs: true })) out.attachments[a.name] = a.data.length;
  for await (const m of reader.readMetadata()) out.metadata[m.name] = Object.fromEntries(m.metadata);
  out.statistics.channelMessageCounts = Object.fromEntries(out.statistics.channelMessageCounts);
  return out;
}

const [, , verb, ...rest] = process.argv;
if (verb === "index") {
  console.log(JSON.stringify(await index(rest[0]), plain));
} else if (verb === "stream") {
  for (const path of rest) console.log(JSON.stringify(stream(path), plain));
} else if (verb === "dump") {
  const decoder = new Decoder();
  for (const r of records(rest[0])) {
    decoder.add(r);
    if (r.type === "Message" && decoder.topic(r) === rest[1]) console.log(JSON.stringify(decoder.decode(r), plain));
  }
} else {
  process.exit(2);
}
