// Perfetto's own trace processor, as its page runs it, in node.
//
//   node engine.js FOLDER
//
// FOLDER is that of a release of the page, with engine_bundle.js and trace_processor.wasm.
// Requests of its RPC come on standard input, replies go to standard output.

"use strict";

const fs = require("fs");
const path = require("path");
const vm = require("vm");

const folder = process.argv[2];
const say = (...words) => process.stderr.write(words.join(" ") + "\n");
const partOf = (view) => view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);

function writeAll(view) {
  const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
  for (let done = 0; done < bytes.length; ) {
    done += fs.writeSync(1, bytes, done);
  }
}

// What a worker of a browser has. Types such as Uint8Array must be the context's own.
const worker = vm.createContext({
  console: { log: say, warn: say, error: say },
  setTimeout,
  clearTimeout,
  performance,
  TextDecoder,
  TextEncoder,
  URL,
  crypto: globalThis.crypto,
  importScripts() {},
  WorkerGlobalScope: function () {},
  readFile: (url) => partOf(fs.readFileSync(path.join(folder, path.basename(url)))),
  writeAll,
});

vm.runInContext(
  `var self = globalThis;
   self.location = { href: "http://nowhere/engine_bundle.js" };
   self.XMLHttpRequest = class {
     open(method, url) { this.url = url; }
     send() { this.response = readFile(this.url); this.status = 200; }
   };`,
  worker,
);
vm.runInContext(fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"), worker);
vm.runInContext(
  `var port = { postMessage: writeAll };
   self.onmessage({ data: port });
   function receive(bytes) { port.onmessage({ data: new Uint8Array(bytes) }); }`,
  worker,
);

// The engine begins when this returns.
setTimeout(() => {
  process.stdin.on("data", (bytes) => worker.receive(partOf(bytes)));
  process.stdin.on("end", () => process.exit(0));
}, 0);
