// Runs a WebAssembly program with the system interface of node:
//
//   node --no-warnings node-wasi.mjs PROGRAM.wasm ARGUMENT …
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [, , file, ...values] = process.argv;
const wasi = new WASI({ version: "preview1", args: [file, ...values], env: process.env, preopens: {} });
const module = await WebAssembly.compile(await readFile(file));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
