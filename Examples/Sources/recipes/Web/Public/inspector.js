// Asks the server which subscriptions are alive, and shows them as a table and as a graph.
const element = id => document.getElementById(id);
const filter = element("filter"), named = element("named"), pause = element("pause"), more = element("more");

// Beyond this, the first pipelines are shown only, until the person asks for all.
const mostRows = 200;

let rows;
let isPaused = false;
let showsAll = false;
let counts = new Map();  // The number of values of each subscription, as of the last answer.

filter.addEventListener("input", show);
named.addEventListener("input", show);
more.addEventListener("click", () => {
  showsAll = !showsAll;
  show();
});
pause.addEventListener("click", () => {
  isPaused = !isPaused;
  pause.setAttribute("aria-pressed", isPaused);
  pause.textContent = isPaused ? "Resume" : "Pause";
});

async function ask() {
  const start = performance.now();
  try {
    if (!isPaused) {
      const answer = await (await fetch("/inspector/living")).json();
      if (!isPaused) {
        rows = answer;
        show();
      }
    }
    element("disconnected").hidden = true;
  } catch {
    element("disconnected").hidden = false;
  }
  // Four times a second. With many subscriptions less often, so that most of the time is the program's.
  setTimeout(ask, Math.max(250, 4 * (performance.now() - start)));
}
ask();

function show() {
  if (!rows) return;
  const pipelines = connected(named.checked ? withoutUnnamed(rows) : rows);
  const wanted = filter.value.trim().toLowerCase();
  const matches = row => [row.name, row.subscriber].some(text => text.toLowerCase().includes(wanted));
  const found = pipelines.filter(pipeline => pipeline.some(matches));
  const shown = showsAll ? found : firstOf(found);
  const count = found.flat().length;
  const none = wanted && pipelines.length ? "No pipeline has this name." : "Nothing is alive.";
  element("count").textContent = count === 0
    ? none
    : `${number(count, "subscription")} in ${number(found.length, "pipeline")}`;
  more.hidden = firstOf(found).length === found.length;
  more.textContent = showsAll ? "Show fewer" : `The first ${shown.length} are shown. Show all`;
  showTable(shown.flat(), matches);
  showGraph(shown, matches);
  counts = new Map(rows.map(row => [row.id, row.values]));
}

const number = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

// The first pipelines that have room, at least one.
function firstOf(pipelines) {
  let count = 0;
  const end = pipelines.findIndex(pipeline => (count += pipeline.length) > mostRows);
  return end < 0 ? pipelines : pipelines.slice(0, Math.max(1, end));
}

// The rows that `inspect` has named. Each flows into the next named ones, or into the last subscriber.
function withoutUnnamed(rows) {
  const byID = new Map(rows.map(row => [row.id, row]));
  const targets = row => row.downstream.map(id => byID.get(id)).filter(target => target);
  const next = row => targets(row).flatMap(target => (target.isNamed ? [target.id] : next(target)));
  const last = row => (targets(row).length ? last(targets(row)[0]) : row.subscriber);
  return rows.filter(row => row.isNamed).map(row => {
    const downstream = [...new Set(next(row))];
    return { ...row, downstream, subscriber: downstream.length ? row.subscriber : last(row) };
  });
}

// Groups rows that flow into each other.
function connected(rows) {
  const group = new Map(rows.map(row => [row.id, [row]]));
  for (const row of rows) {
    for (const id of [...row.downstream, row.startedBy]) {
      const [one, other] = [group.get(row.id), group.get(id)];
      if (!other || one === other) continue;
      const [large, small] = one.length < other.length ? [other, one] : [one, other];
      for (const member of small) {
        large.push(member);
        group.set(member.id, large);
      }
    }
  }
  return [...new Set(group.values())].map(members => members.sort((a, b) => a.id - b.id));
}

const demandOf = row => row.demand?.toLocaleString("en", { notation: row.demand > 9999 ? "compact" : "standard" }) ?? "∞";

// MARK: The table. Its rows stay, so that a person can select text in them.
const lines = new Map();

function showTable(rows, matches) {
  const body = document.querySelector("#living tbody");
  const present = new Set(rows.map(row => row.id));
  for (const [id, line] of lines) {
    if (present.has(id)) continue;
    line.remove();
    lines.delete(id);
  }
  let previous = null;
  for (const row of rows) {
    const cells = [
      row.id, row.name, row.subscriber, row.place ?? "", `${(row.milliseconds / 1000).toFixed(1)} s`, demandOf(row),
      row.values, row.last ?? "", row.thread,
    ];
    let line = lines.get(row.id);
    if (!line) {
      line = document.createElement("tr");
      line.dataset.id = row.id;
      for (const _ of cells) line.insertCell();
      lines.set(row.id, line);
    }
    cells.forEach((text, index) => {
      const cell = line.cells[index];
      if (cell.textContent === `${text}`) return;
      cell.textContent = text;
      cell.title = text;
    });
    line.toggleAttribute("data-apart", !matches(row));
    light(line, row, "backgroundColor");
    const next = previous ? previous.nextSibling : body.firstChild;
    if (next !== line) body.insertBefore(line, next);
    previous = line;
  }
}

// MARK: The graph. Values flow from left to right, and each pipeline has lines of its own. Edges run in the gaps between
// the columns and on free lines, never over a node or a label.
const width = 148, height = 26, columnGap = 68, lineGap = 14, margin = 16, turn = 12;
let drawn = "";
let parts = { demands: new Map(), nodes: new Map(), edges: new Map() };

function showGraph(pipelines, matches) {
  const shape = JSON.stringify([filter.value, pipelines.map(p => p.map(row => [row.id, row.name, row.downstream]))]);
  if (shape !== drawn) {
    drawn = shape;
    draw(element("graph"), pipelines, matches);
  }
  for (const row of pipelines.flat()) {
    const label = parts.demands.get(row.id);
    if (label && label.textContent !== demandOf(row)) label.textContent = demandOf(row);
    light(parts.nodes.get(row.id), row, "fill");
    for (const edge of parts.edges.get(row.id) ?? []) light(edge, row, "stroke");
  }
}

function draw(graph, pipelines, matches) {
  parts = { demands: new Map(), nodes: new Map(), edges: new Map() };
  const drawnParts = [];
  let top = 8, right = 0;
  for (const pipeline of pipelines) {
    const column = columns(pipeline);
    const heights = [];
    // Takes the next free line of a column.
    const take = index => {
      const line = heights[index] ?? 0;
      heights[index] = line + 1;
      return { x: margin + index * (width + columnGap), y: top + line * (height + lineGap) };
    };
    const place = new Map();
    const byColumn = [...pipeline].sort((a, b) => column.get(a.id) - column.get(b.id) || a.id - b.id);
    for (const row of byColumn) place.set(row.id, take(column.get(row.id)));
    for (const row of byColumn) {
      const from = place.get(row.id);
      const start = column.get(row.id);
      const targets = row.downstream.filter(id => place.has(id));
      for (const id of targets) {
        const way = [];
        for (let index = start + 1; index < column.get(id); index += 1) way.push(take(index));
        drawnParts.push(edge(row, from, way, place.get(id)));
      }
      if (!targets.length) {
        const end = take(start + 1);
        drawnParts.push(edge(row, from, [], end), node(undefined, row.subscriber, end, "graph-node-last"));
      }
      drawnParts.push(demand(row, from));
      const origin = place.get(row.startedBy);
      if (origin) drawnParts.push(started(origin, from));
      const kinds = `${row.isNamed ? "graph-node-named" : ""} ${matches(row) ? "" : "graph-node-apart"}`;
      drawnParts.push(node(row.id, row.name, from, kinds));
      right = Math.max(right, from.x + 2 * width + columnGap + 8);
    }
    top += Math.max(...heights.filter(lines => lines)) * (height + lineGap) + 14;
  }
  graph.setAttribute("width", right);
  graph.setAttribute("height", pipelines.length ? top : 0);
  graph.replaceChildren(...drawnParts);
}

// The number of stages that are upstream of each one.
function columns(pipeline) {
  const upstream = new Map(pipeline.map(row => [row.id, []]));
  for (const row of pipeline) for (const id of row.downstream) upstream.get(id)?.push(row.id);
  const column = new Map();
  const find = (id, path) => {
    if (column.has(id) || path.has(id)) return column.get(id) ?? 0;
    path.add(id);
    column.set(id, Math.max(-1, ...upstream.get(id).map(other => find(other, path))) + 1);
    return column.get(id);
  };
  for (const row of pipeline) find(row.id, new Set());
  return column;
}

function node(id, name, { x, y }, kinds) {
  const group = svg("g", { class: `graph-node ${kinds}`, ...(id && { "data-node": id }) });
  const text = svg("text", { x: x + width / 2, y: y + 17, "text-anchor": "middle" });
  text.textContent = name.length > 18 ? `${name.slice(0, 17)}…` : name;
  const title = svg("title", {});
  title.textContent = name;
  const box = svg("rect", { x, y, width, height, rx: 7 });
  if (id) parts.nodes.set(id, box);
  group.append(box, text, title);
  return group;
}

// Goes straight through the gap behind each column up to its last pixels, where it turns to the next line.
function edge(row, from, way, to) {
  const group = svg("g", { class: "graph-edge" });
  let path = `M${from.x + width} ${from.y + height / 2}`;
  for (const next of [...way, to]) path += `H${next.x - turn}V${next.y + height / 2}H${next === to ? next.x : next.x + width}`;
  const line = svg("path", { d: path, "data-edge": row.id });
  parts.edges.set(row.id, [...(parts.edges.get(row.id) ?? []), line]);
  const [x, y] = [to.x, to.y + height / 2];
  group.append(line, svg("path", { d: `M${x - 6} ${y - 4}L${x} ${y}L${x - 6} ${y + 4}` }));
  return group;
}

// The demand stands above the start of the edges, where none turns.
function demand(row, from) {
  const group = svg("g", { class: "graph-edge" });
  const label = svg("text", { x: from.x + width + 4, y: from.y + height / 2 - 4, "data-demand": row.id });
  label.textContent = demandOf(row);
  parts.demands.set(row.id, label);
  group.append(label);
  return group;
}

// From the stage whose value has started another one, beside the columns and between the lines.
function started(origin, to) {
  const [x1, x2] = [origin.x - turn / 2, to.x - turn / 2];
  const path = `M${origin.x} ${origin.y + height - 5}H${x1}V${to.y - lineGap / 2}H${x2}V${to.y + 5}H${to.x}`;
  return svg("path", { d: path, class: "graph-start" });
}

function svg(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// Lights up what has passed a value since the last answer.
function light(target, row, property) {
  if (!target || !counts.has(row.id) || counts.get(row.id) === row.values) return;
  target.dataset.lit = row.values;
  target.animate([{ [property]: "var(--lit)" }, {}], { duration: 700, easing: "ease-out" });
}
