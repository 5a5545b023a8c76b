// Asks the server which subscriptions are alive, four times a second, and shows them as a table and as a graph.
const element = id => document.getElementById(id);
const filter = element("filter"), named = element("named"), pause = element("pause");

let rows = [];
let isPaused = false;
let counts = new Map();  // The number of values of each subscription, as of the last answer.

filter.addEventListener("input", show);
named.addEventListener("input", show);
pause.addEventListener("click", () => {
  isPaused = !isPaused;
  pause.setAttribute("aria-pressed", isPaused);
  pause.textContent = isPaused ? "Go on" : "Pause";
});

async function ask() {
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
  setTimeout(ask, 250);
}
ask();

function show() {
  const pipelines = connected(named.checked ? withoutUnnamed(rows) : rows);
  const wanted = filter.value.toLowerCase();
  const matches = row => [row.name, row.subscriber].some(text => text.toLowerCase().includes(wanted));
  const shown = pipelines.filter(pipeline => pipeline.some(matches));
  const count = shown.flat().length;
  element("count").textContent = count === 0
    ? "Nothing is alive."
    : `${count} ${count === 1 ? "subscription" : "subscriptions"} in ${shown.length} ${shown.length === 1 ? "pipeline" : "pipelines"}`;
  showTable(shown.flat(), matches);
  showGraph(shown, matches);
  counts = new Map(rows.map(row => [row.id, row.values]));
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
      one.push(...other);
      for (const member of other) group.set(member.id, one);
    }
  }
  return [...new Set(group.values())].map(members => members.sort((a, b) => a.id - b.id));
}

const demandOf = row => row.demand ?? "∞";

// MARK: The table. Its rows stay, so that a person can select text in them.
function showTable(rows, matches) {
  const body = document.querySelector("#living tbody");
  const present = new Map([...body.rows].map(line => [line.dataset.id, line]));
  for (const row of rows) {
    const cells = [
      row.id, row.name, row.subscriber, row.place ?? "", `${(row.milliseconds / 1000).toFixed(1)} s`, demandOf(row),
      row.values, row.last ?? "", row.thread,
    ];
    let line = present.get(`${row.id}`);
    present.delete(`${row.id}`);
    if (!line) {
      line = document.createElement("tr");
      line.dataset.id = row.id;
      for (const _ of cells) line.insertCell();
    }
    cells.forEach((text, index) => {
      if (line.cells[index].textContent !== `${text}`) line.cells[index].textContent = text;
    });
    line.classList.toggle("aside", !matches(row));
    light(line, row, "backgroundColor");
    body.append(line);
  }
  for (const line of present.values()) line.remove();
}

// MARK: The graph. Values flow from left to right, and each pipeline has lines of its own.
const width = 132, height = 26, columnGap = 44, lineGap = 10;
let drawn = "";

function showGraph(pipelines, matches) {
  const graph = element("graph");
  const shape = JSON.stringify([filter.value, pipelines.map(p => p.map(row => [row.id, row.name, row.downstream]))]);
  if (shape !== drawn) {
    drawn = shape;
    draw(graph, pipelines, matches);
  }
  for (const row of pipelines.flat()) {
    const label = graph.querySelector(`[data-demand="${row.id}"]`);
    if (label && label.textContent !== `${demandOf(row)}`) label.textContent = demandOf(row);
    light(graph.querySelector(`[data-node="${row.id}"] rect`), row, "fill");
    light(graph.querySelector(`[data-edge="${row.id}"]`), row, "stroke");
  }
}

function draw(graph, pipelines, matches) {
  const parts = [];
  let top = 8, right = 0;
  for (const pipeline of pipelines) {
    const column = columns(pipeline);
    const heights = [];
    const place = new Map();
    for (const row of pipeline) {
      const line = heights[column.get(row.id)] ?? 0;
      heights[column.get(row.id)] = line + 1;
      place.set(row.id, { x: 8 + column.get(row.id) * (width + columnGap), y: top + line * (height + lineGap) });
    }
    for (const row of pipeline) {
      const from = place.get(row.id);
      const targets = row.downstream.map(id => place.get(id)).filter(target => target);
      const end = { x: from.x + width + columnGap, y: from.y };
      for (const target of targets.length ? targets : [end]) parts.push(edge(row, from, target));
      if (!targets.length) parts.push(node(undefined, row.subscriber, end, "end"));
      const origin = place.get(row.startedBy);
      if (origin) {
        const [x1, x2] = [origin.x + width / 2, from.x + width / 2];
        parts.push(svg("line", { x1, y1: origin.y + height, x2, y2: from.y, class: "started" }));
      }
      parts.push(node(row.id, row.name, from, `${row.isNamed ? "named" : ""} ${matches(row) ? "" : "aside"}`));
      right = Math.max(right, end.x + width + 8);
    }
    top += Math.max(...heights.filter(lines => lines)) * (height + lineGap) + 14;
  }
  graph.setAttribute("width", right);
  graph.setAttribute("height", pipelines.length ? top : 0);
  graph.replaceChildren(...parts);
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

function node(id, name, { x, y }, kind) {
  const group = svg("g", { class: `node ${kind}`, ...(id && { "data-node": id }) });
  const text = svg("text", { x: x + width / 2, y: y + 17, "text-anchor": "middle" });
  text.textContent = name.length > 18 ? `${name.slice(0, 17)}…` : name;
  const title = svg("title", {});
  title.textContent = name;
  group.append(svg("rect", { x, y, width, height, rx: 7 }), text, title);
  return group;
}

function edge(row, from, to) {
  const group = svg("g", { class: "edge" });
  const [x1, y1, x2, y2] = [from.x + width, from.y + height / 2, to.x, to.y + height / 2];
  const label = svg("text", { x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 4, "text-anchor": "middle", "data-demand": row.id });
  const head = svg("path", { d: `M${x2 - 6} ${y2 - 4}L${x2} ${y2}L${x2 - 6} ${y2 + 4}`, class: "head" });
  group.append(svg("path", { d: `M${x1} ${y1}L${x2} ${y2}`, "data-edge": row.id }), head, label);
  return group;
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
  const accent = getComputedStyle(document.documentElement).getPropertyValue("--accent");
  target.animate([{ [property]: accent }, {}], { duration: 700, easing: "ease-out" });
}
