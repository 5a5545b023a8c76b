// Loads a Swift program for WebAssembly, and runs its tasks between the events of a page.
//
//   const program = await load("search.wasm.gz", (text) => { … });   // what the program sends with `browser_send`
//   program.call("typed", "Com");                                    // a function of the program, with a text or without
//
// The program is a WASI reactor without files: it has a clock, random numbers, and a console for its output.

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const success = 0;
const notSupported = 52;

export async function load(address, receive = () => {}) {
  const module = await compile(address);
  let exports;
  let timer;
  let wait = null;
  const bytes = (pointer, length) => new Uint8Array(exports.memory.buffer, pointer, length);
  const view = () => new DataView(exports.memory.buffer);
  let line = "";

  const system = {
    clock_time_get(clock, precision, result) {
      const milliseconds = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(result, BigInt(Math.round(milliseconds * 1e6)), true);
      return success;
    },
    clock_res_get(clock, result) {
      view().setBigUint64(result, 1000n, true);
      return success;
    },
    random_get(pointer, length) {
      crypto.getRandomValues(bytes(pointer, length));
      return success;
    },
    fd_write(file, vectors, count, result) {
      let written = 0;
      for (let index = 0; index < count; index++) {
        const vector = view();
        const length = vector.getUint32(vectors + 8 * index + 4, true);
        line += decoder.decode(bytes(vector.getUint32(vectors + 8 * index, true), length));
        written += length;
      }
      const lines = line.split("\n");
      line = lines.pop();
      for (const text of lines) console.log(text);
      view().setUint32(result, written, true);
      return success;
    },
    // A program has nothing but sleeps to wait for. It sleeps only when it has nothing else to do: the page runs it again.
    poll_oneoff(subscriptions, events, count, result) {
      wait = Number(view().getBigUint64(subscriptions + 24, true)) / 1e6;
      view().setBigUint64(events, view().getBigUint64(subscriptions, true), true);
      view().setUint32(events + 8, 0, true);
      view().setUint32(result, 1, true);
      return success;
    },
    args_sizes_get: nothing,
    environ_sizes_get: nothing,
    args_get: () => success,
    environ_get: () => success,
    sched_yield: () => success,
    proc_exit(status) {
      throw new Error(`the program has ended with ${status}`);
    },
  };
  function nothing(count, size) {
    view().setUint32(count, 0, true);
    view().setUint32(size, 0, true);
    return success;
  }

  const imports = { browser: { receive: (pointer, length) => receive(decoder.decode(bytes(pointer, length))) } };
  for (const { module: name, name: member } of WebAssembly.Module.imports(module)) {
    imports[name] ??= {};
    imports[name][member] ??= system[member] ?? (() => notSupported);
  }
  exports = (await WebAssembly.instantiate(module, imports)).exports;
  exports._initialize();

  function run() {
    clearTimeout(timer);
    wait = null;
    exports.browser_run();
    if (wait !== null) timer = setTimeout(run, wait);
  }

  return {
    call(name, text) {
      if (text === undefined) {
        exports[name]();
      } else {
        const data = encoder.encode(text);
        const pointer = exports.browser_allocate(data.length);
        bytes(pointer, data.length).set(data);
        exports[name](pointer, data.length);
      }
      run();
    },
  };
}

/// Compiles a program while it is being loaded. A file that ends in `.gz` is decompressed here, whatever the server does.
async function compile(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  const isPacked = address.endsWith(".gz") && response.headers.get("Content-Encoding") !== "gzip";
  const stream = isPacked ? response.body.pipeThrough(new DecompressionStream("gzip")) : response.body;
  return WebAssembly.compileStreaming(new Response(stream, { headers: { "Content-Type": "application/wasm" } }));
}
