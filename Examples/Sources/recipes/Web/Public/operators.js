// Keeps the case of a person, which is also the query of the address, and asks the library at each change what becomes of it.
// The library runs in the server, or, on a page that defines `answerOperators`, in the page.
const answerTo = window.answerOperators ?? (async (name, query) => {
  const response = await fetch(`/operators/${name}${query === undefined ? "" : `?${query}`}`);
  return { isRight: response.ok, text: await response.text() };
});
const element = id => document.getElementById(id);
const picture = element("picture");
const strides = 200, mostEvents = 40;

let table = [];  // The groups of operators, as the library lists them.
let row;  // The operator.
let lines = [];  // For each input its events, which are { time, mark }.
let settings = {};
let answer;  // What the library has made of the case.
let selected;  // The event to which the controls and the keys belong.
let asked = 0;

const names = "ABCD";
const isEnd = event => event.mark === "|" || event.mark === "#";
const endOf = line => line.find(isEnd);
const lineOf = event => lines.findIndex(line => line.includes(event));

// MARK: The address. Each character of a line is a stride. See OperatorLine.swift.

function parse(text) {
  const events = [];
  let time = 0, isGroup = false;
  for (const character of text) {
    if (character === "(") isGroup = true;
    else if (character === ")") isGroup = false;
    else if (character !== "-") events.push({ time, mark: { "~": "|", "*": "#" }[character] ?? character });
    if (!isGroup) time += 1;
  }
  return events;
}

function format(events) {
  let text = "", time = 0;
  while (time <= (events.at(-1)?.time ?? -1)) {
    const marks = events.filter(event => event.time === time)
      .map(({ mark }) => ({ "|": "~", "#": "*" })[mark] ?? mark).join("");
    text += marks.length > 1 ? `(${marks})` : marks || "-";
    time += 1;
  }
  return text || "-";
}

function query() {
  const inputs = lines.map((line, index) => `${names[index].toLowerCase()}=${format(line)}`);
  const values = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return [`op=${row.id}`, ...inputs, ...values].join("&");
}

async function readAddress() {
  const rows = table.flatMap(group => group.operators);
  let wanted = new URLSearchParams(location.search);
  let found = rows.find(other => other.id === wanted.get("op"));
  if (found && wanted.has("code")) {
    wanted = await caseOfPicture(found, wanted);
    found = rows.find(other => other.id === wanted.get("op"));
  }
  begin(found ?? rows.find(other => other.id === "debounce"), wanted);
  if (!found && wanted.has("op")) element("problem").textContent = `There is no operator “${wanted.get("op")}”.`;
  else ask();
}

// The case of a picture, whose link has the publisher's code. If the operator here cannot be that, its first case, and the page
// says so.
async function caseOfPicture(operator, wanted) {
  const first = new URLSearchParams({ op: operator.id });
  const { isRight, text } = await answerTo("settings", `${operator.id}\n${wanted.get("code")}`);
  element("other-case").hidden = isRight;
  if (!isRight) return first;
  wanted.delete("code");
  for (const [name, value] of Object.entries(JSON.parse(text))) wanted.set(name, value);
  const query = [...wanted].filter(([name]) => name !== "embed").map(([name, value]) => `${name}=${value}`).join("&");
  const canRun = (await answerTo("run", query)).isRight;
  element("other-case").hidden = canRun;
  return canRun ? wanted : first;
}

function begin(operator, wanted) {
  row = operator;
  lines = row.inputs.map((text, index) => parse(wanted.get(names[index].toLowerCase()) ?? text));
  settings = Object.fromEntries(row.parameters.map(({ name, initial }) => [name, wanted.get(name) ?? initial]));
  answer = undefined;
  selected = undefined;
  showControls();
  showList();
  document.dispatchEvent(new CustomEvent("operator", { detail: operatorID() }));
}

function pick(operator) {
  element("other-case").hidden = true;
  begin(operator, new URLSearchParams());
  history.pushState(null, "", `?${query()}`);
  fold();
  draw();
  ask();
}

window.addEventListener("popstate", readAddress);

// MARK: The library

function changed() {
  history.replaceState(null, "", `?${query()}`);
  draw();
  ask();
}

async function ask() {
  const number = ++asked;
  try {
    const { isRight, text } = await answerTo("run", query());
    if (number !== asked) return;
    answer = isRight ? JSON.parse(text) : undefined;
    element("problem").textContent = isRight ? answer.problem ?? "" : text;
    element("disconnected").hidden = true;
  } catch {
    if (number === asked) element("disconnected").hidden = false;
    return;
  }
  draw();
  const spoken = answer?.output.map(event => `${said(event)} at ${event.time}`).join(", ");
  element("spoken").textContent = answer ? `Output: ${spoken || "nothing"}.` : "";
  element("test").textContent = answer?.test ?? "";
  element("copy").disabled = !answer?.test;
  element("columns").textContent = answer?.test && answer.scale > 1
    ? `A stride is ${answer.scale} columns of the test, so that events at the same time have room.` : "";
}

function said(event) {
  return { "|": "finish", "#": "failure", "!": "cancel" }[event.mark] ?? event.text ?? event.mark;
}

// MARK: Changes of the case

const sort = line => line.sort((a, b) => a.time - b.time || isEnd(a) - isEnd(b));

function move(event, time) {
  const line = lines[lineOf(event)];
  const last = Math.max(0, ...line.filter(other => !isEnd(other)).map(other => other.time));
  const [least, most] = isEnd(event) ? [last, strides - 1] : [0, endOf(line)?.time ?? strides - 1];
  const wanted = Math.min(most, Math.max(least, time));
  if (wanted === event.time || Number.isNaN(wanted)) return;
  event.time = wanted;
  sort(line);
  changed();
}

function rename(event, mark) {
  if (isEnd(event) || !mark || !row.letters[lineOf(event)].includes(mark)) return;
  event.mark = mark;
  changed();
}

function remove(event) {
  const line = lines[lineOf(event)];
  const index = line.indexOf(event);
  line.splice(index, 1);
  selected = line[Math.min(index, line.length - 1)];
  changed();
}

// The first name that no line has, or else the first that this line has not.
function add(index, time) {
  const line = lines[index];
  if (line.length >= mostEvents) return;
  const letters = [...row.letters[index]];
  const taken = new Set(lines.flat().map(event => event.mark));
  const own = new Set(line.map(event => event.mark));
  const mark = letters.find(letter => !taken.has(letter)) ?? letters.find(letter => !own.has(letter)) ?? letters[0];
  const event = { time: Math.min(strides - 1, Math.max(0, time)), mark };
  const end = endOf(line);
  if (end && end.time < event.time) end.time = event.time;
  line.push(event);
  sort(line);
  selected = event;
  changed();
}

function setEnd(index, mark) {
  const line = lines[index];
  const end = endOf(line);
  if (end && mark) end.mark = mark;
  else if (end) line.splice(line.indexOf(end), 1);
  else if (mark && line.length < mostEvents) line.push({ time: Math.min(strides - 1, (line.at(-1)?.time ?? 0) + 2), mark });
  if (!lines.flat().includes(selected)) selected = undefined;
  changed();
}

// MARK: The list and the controls

// The publisher of a picture has the operator's name with an ending.
const operatorID = () => row.id.replace(/-picture$/, "");

function showList() {
  const wanted = element("search").value.trim().toLowerCase();
  const found = matching(wanted);
  element("list").replaceChildren(...found.flatMap(group => {
    const links = group.operators.map(other => {
      const link = make("a", { href: `?op=${other.id}`, ...(other.id === operatorID() && { "aria-current": "true" }) }, other.name);
      link.addEventListener("click", event => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        pick(other);
      });
      return link;
    });
    return [make("h3", {}, group.title), ...links];
  }));
  if (!found.length) element("list").append(make("p", { class: "quiet" }, "No operator has this name."));
}

// The operators for a text: those that other libraries call so, and those whose name or chapter contains the text.
function matching(text) {
  const isWord = row => row.words.some(word => word.toLowerCase() === text);
  const contains = (row, group) => [row.name, group.title, ...row.words].some(name => name.toLowerCase().includes(text));
  const listed = table.filter(group => group.isListed);
  const all = listed.map(group => ({ ...group, operators: group.operators.filter(row => contains(row, group)) }));
  const exact = text === "" ? [] : listed.flatMap(group => group.operators.filter(isWord));
  const others = all.map(group => ({ ...group, operators: group.operators.filter(row => !exact.includes(row)) }));
  const first = exact.length ? [{ title: `What others call “${text}”`, operators: exact }] : [];
  return [...first, ...others].filter(group => group.operators.length);
}

element("search").addEventListener("input", showList);
element("search").addEventListener("keydown", event => {
  if (event.key === "Enter") element("list").querySelector("a")?.click();
});

// On a narrow screen the list is folded, so that the picture is near the top.
const narrow = matchMedia("(max-width: 900px)");
const fold = () => { element("choose").open = !narrow.matches; };
narrow.addEventListener("change", fold);
fold();

function showControls() {
  element("name").textContent = row.name;
  element("documentation").href = row.page ?? "";
  element("page-link").hidden = !row.page;
  element("parameters").replaceChildren(...row.parameters.map(parameter => {
    const label = make("label", {}, `${parameter.name} `);
    const control = parameter.options
      ? choice(parameter.options.map(({ name, code }) => [name, code]))
      : make("input", { type: "number", min: parameter.least, max: parameter.most });
    control.name = parameter.name;
    control.value = settings[parameter.name];
    control.addEventListener("input", () => {
      if (control.value === "") return;
      settings[parameter.name] = control.value;
      changed();
    });
    label.append(control, ...(parameter.isInterval ? [" strides"] : []));
    return label;
  }));
  element("ends").replaceChildren(...lines.map((line, index) => {
    const label = make("label", {}, `${names[index]} `);
    const control = choice([["|", "finishes"], ["#", "fails"], ["", "goes on"]]);
    control.dataset.end = index;
    control.addEventListener("input", () => setEnd(index, control.value));
    label.append(control);
    const button = make("button", { "data-add": index }, "+");
    button.setAttribute("aria-label", `add a marble to ${names[index]}`);
    button.addEventListener("click", () => {
      const last = lines[index].filter(event => !isEnd(event)).at(-1);
      add(index, last ? last.time + 1 : 0);
    });
    const group = make("span", { class: "play-line" });
    group.append(label, button);
    return group;
  }));
}

function choice(options) {
  const control = make("select", {});
  control.append(...options.map(([value, text]) => make("option", { value }, text)));
  return control;
}

function make(name, attributes, text) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function showSelected() {
  for (const group of picture.querySelectorAll("[data-index]")) {
    group.toggleAttribute("data-selected", eventOf(group) === selected);
  }
  const controls = [element("rename"), element("at"), element("delete")];
  for (const control of controls) control.disabled = !selected;
  element("which").textContent = selected ? `${said(selected)} of ${names[lineOf(selected)]}` : "No marble is selected.";
  element("rename").disabled ||= isEnd(selected);
  element("rename").value = selected && !isEnd(selected) ? selected.mark : "";
  if (document.activeElement !== element("at")) element("at").value = selected?.time ?? "";
}

element("rename").addEventListener("input", () => selected && rename(selected, element("rename").value));
element("at").addEventListener("input", () => selected && move(selected, parseInt(element("at").value, 10)));
element("delete").addEventListener("click", () => selected && remove(selected));
element("reset").addEventListener("click", () => pick(row));
element("copy").addEventListener("click", async () => {
  await navigator.clipboard.writeText(element("test").textContent);
  element("copy").textContent = "Copied";
  setTimeout(() => { element("copy").textContent = "Copy the test"; }, 1500);
});

// MARK: The picture, which looks like those of the documentation

const radius = 11, gap = 24, codeLine = 19, character = 8.2;
// On a phone a stride is narrower, so that the whole picture is there.
let tick = 26, left = 46;
// The colors of Okabe and Ito, which people with any kind of color vision can tell apart.
const fills = [
  ["#56b4e9", "#000"], ["#e69f00", "#000"], ["#009e73", "#000"], ["#f0e442", "#000"],
  ["#cc79a7", "#000"], ["#0072b2", "#fff"], ["#d55e00", "#000"],
];
const x = time => left + (time + 0.5) * tick;
let tops = [];  // For each line, its upper edge and the lower one.

function draw() {
  const output = answer?.output ?? [];
  const all = [...lines.flat(), ...output];
  const room = element("frame").clientWidth;
  const isNarrow = room < 560;
  const columns = Math.max(isNarrow ? 10 : 20, ...all.map(event => Math.ceil(event.time) + 3));
  left = isNarrow ? 28 : 46;
  tick = isNarrow ? Math.min(26, Math.max(20, Math.floor((room - left - 10) / columns))) : 26;
  const lineLength = isNarrow ? Math.max(30, Math.floor((room - 40) / character)) : Infinity;
  const code = (answer?.code ?? row.name).split("\n").flatMap(line => wrapped(line, lineLength));
  const width = Math.max(x(columns) + 10, Math.max(...code.map(line => line.length)) * character + 40);
  const colors = new Map();
  for (const { mark } of all) if (!"|#!".includes(mark) && !colors.has(mark)) colors.set(mark, fills[colors.size % fills.length]);
  const parts = [];
  let y = ruler(parts, columns);
  tops = [];
  lines.forEach((line, index) => {
    const next = drawLine(parts, line, { id: index, name: names[index], top: y, columns, colors });
    tops.push([y, next]);
    y = next;
  });
  y = box(parts, code, y + 6, width) + 8;
  y = drawLine(parts, output, { id: "output", name: "", top: y, columns: Math.max(columns, answer?.end ?? 0), colors });
  for (const text of legend(output)) {
    parts.push(svg("text", { x: left, y: y + 12, class: "picture-legend" }, text));
    y += 18;
  }
  const hadFocus = picture.contains(document.activeElement);
  // What is still wider is drawn smaller, up to the size at which letters can be read.
  const scale = Math.min(1, Math.max(.62, room / width));
  picture.setAttribute("viewBox", `0 0 ${width} ${y + 6}`);
  picture.setAttribute("width", width * scale);
  picture.setAttribute("height", (y + 6) * scale);
  picture.replaceChildren(...parts);
  if (hadFocus && selected) picture.querySelector(`[data-line="${lineOf(selected)}"][data-index="${lines[lineOf(selected)].indexOf(selected)}"]`)?.focus();
  for (const control of element("ends").querySelectorAll("select")) control.value = endOf(lines[control.dataset.end])?.mark ?? "";
  showSelected();
}

// A line of code in parts of a length, where it has spaces. What follows is indented.
function wrapped(line, most) {
  const start = line.search(/\S/), indent = " ".repeat(start + 4);
  const parts = [];
  let rest = line;
  while (rest.length > most) {
    const end = rest.lastIndexOf(" ", most);
    if (end <= rest.search(/\S/)) break;
    parts.push(rest.slice(0, end));
    rest = indent + rest.slice(end + 1);
  }
  return [...parts, rest];
}

function ruler(parts, columns) {
  for (let time = 0; time < columns; time += 5) {
    parts.push(svg("text", { x: x(time), y: 12, "text-anchor": "middle", class: "picture-ruler" }, time));
  }
  return 16;
}

function drawLine(parts, events, { id, name, top, columns, colors }) {
  const y = top + radius + 6;
  const last = events.at(-1);
  const isOpen = !last || !"|#!".includes(last.mark);
  const to = isOpen ? x(columns) - tick / 2 : x(last.time);
  const deepest = Math.max(1, ...events.map(event => events.filter(other => other.time === event.time && !"|#!".includes(other.mark)).length));
  const bottom = y + radius + 12 + (deepest - 1) * gap;
  if (id !== "output") {
    parts.push(svg("rect", { x: left, y: top, width: x(columns) - left, height: bottom - top, class: "picture-track", "data-track": id }));
  }
  parts.push(svg("text", { x: 14, y: y + 5, class: "picture-name" }, name));
  parts.push(svg("path", { d: `M${left} ${y}H${to}${isOpen ? `M${to - 7} ${y - 5}l7 5l-7 5` : ""}`, class: "picture-axis" }));
  events.forEach((event, index) => {
    const before = events.slice(0, index).filter(other => other.time === event.time);
    const isMark = "|#!".includes(event.mark);
    // A completion stands beside a value of the same time, which would be hidden.
    const place = x(event.time) + (isMark && before.length ? radius + 5 : 0);
    parts.push(marble(event, id, index, place, isMark ? y : y + before.length * gap, colors.get(event.mark)));
  });
  return bottom;
}

function marble(event, line, index, x, y, fill) {
  const isInput = line !== "output";
  const group = svg("g", {
    class: "picture-event", "data-line": line, "data-time": event.time, "data-mark": event.mark,
    ...(isInput && {
      "data-index": index, tabindex: 0, role: "slider", "aria-label": `${said(event)} of ${names[line]}`,
      "aria-valuemin": 0, "aria-valuemax": strides - 1, "aria-valuenow": event.time,
    }),
  });
  group.append(svg("title", {}, `${said(event)} at ${event.time}`));
  // A finger needs more room than the marks have.
  group.append(svg("circle", { cx: x, cy: y, r: radius + 2, class: "picture-handle" }));
  if (event.mark === "|") group.append(svg("path", { d: `M${x} ${y - radius - 2}v${2 * radius + 4}`, class: "picture-end" }));
  else if (event.mark === "#") group.append(svg("path", { d: `M${x - 8} ${y - 8}l16 16m0 -16l-16 16`, class: "picture-end" }));
  else if (event.mark === "!") group.append(svg("path", { d: `M${x} ${y - radius}v${2 * radius}`, class: "picture-cancel" }));
  else {
    const text = shown(event);
    const size = text.length > 2 ? 10 : text.length > 1 ? 11 : 13;
    group.append(svg("circle", { cx: x, cy: y, r: radius, fill: fill[0], class: "picture-body" }));
    group.append(svg("text", { x, y: y + 4.5, "font-size": size, "text-anchor": "middle", fill: fill[1] }, text));
  }
  return group;
}

// The text on a marble: its value if there is room, and otherwise its letter.
const shown = event => (event.text !== undefined && event.text.length <= 3 ? event.text || " " : event.mark);

function legend(output) {
  const long = output.filter(event => event.text !== undefined && !"|#!".includes(event.mark) && shown(event) !== event.text);
  const meanings = answer?.meanings ? [answer.meanings] : [];
  return [...meanings, ...new Set(long.map(event => `${event.mark} = ${event.text}`))];
}

function box(parts, code, y, width) {
  const height = code.length * codeLine + 18;
  parts.push(svg("rect", { x: 1, y, width: width - 2, height, rx: 8, class: "picture-operator" }));
  const longest = Math.max(...code.map(line => line.length)) * 7.9;
  const start = code.length === 1 ? Math.max(16, (Math.min(width, 600) - longest) / 2) : 16;
  code.forEach((line, index) => {
    parts.push(svg("text", { x: start, y: y + 9 + (index + 0.72) * codeLine, class: "picture-code" }, line));
  });
  return y + height;
}

function svg(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// MARK: Pointers and keys. The picture captures the pointer, because a marble is drawn anew when it moves.

let drag;  // { event, hasMoved } or, on a free place, { line, time, start }.
let lastTap = {};

const eventOf = group => lines[group.dataset.line]?.[group.dataset.index];
function timeAt(pointer) {
  const box = picture.getBoundingClientRect();
  const scale = picture.viewBox.baseVal.width / box.width;
  return Math.round(((pointer.clientX - box.left) * scale - left) / tick - 0.5);
}

picture.addEventListener("pointerdown", pointer => {
  if (pointer.button !== 0) return;
  const group = pointer.target.closest("[data-index]");
  const track = pointer.target.closest("[data-track]");
  if (group) {
    const event = eventOf(group);
    // The hand need not be in the middle of the marble.
    drag = { event, offset: timeAt(pointer) - event.time, hasMoved: false };
    selected = event;
    picture.setPointerCapture(pointer.pointerId);
    group.focus();
    pointer.preventDefault();
    showSelected();
  } else if (track) {
    drag = { line: Number(track.dataset.track), time: timeAt(pointer), start: pointer.clientX };
  }
});

picture.addEventListener("pointermove", pointer => {
  if (!drag?.event) return;
  const time = timeAt(pointer) - drag.offset;
  if (time === drag.event.time && !drag.hasMoved) return;
  drag.hasMoved = true;
  move(drag.event, time);
});

picture.addEventListener("pointerup", pointer => {
  const ended = drag;
  drag = undefined;
  if (!ended) return;
  if (!ended.event) {
    if (Math.abs(pointer.clientX - ended.start) < 5) add(ended.line, ended.time);
  } else if (!ended.hasMoved) {
    const isDouble = lastTap.event === ended.event && pointer.timeStamp - lastTap.time < 400;
    lastTap = { event: ended.event, time: pointer.timeStamp };
    if (isDouble) remove(ended.event);
  }
});
picture.addEventListener("pointercancel", () => { drag = undefined; });

picture.addEventListener("focusin", ({ target }) => {
  const event = target.dataset.index !== undefined ? eventOf(target) : undefined;
  if (!event || event === selected) return;
  selected = event;
  showSelected();
});

picture.addEventListener("keydown", key => {
  const group = key.target.closest("[data-index]");
  if (!group || key.ctrlKey || key.metaKey || key.altKey) return;
  const event = eventOf(group);
  const step = key.shiftKey ? 5 : 1;
  if (key.key === "ArrowLeft") move(event, event.time - step);
  else if (key.key === "ArrowRight") move(event, event.time + step);
  else if (key.key === "Delete" || key.key === "Backspace") remove(event);
  else if (key.key === "Insert") add(lineOf(event), event.time + 1);
  else if (key.key === "Enter" && isEnd(event)) setEnd(lineOf(event), event.mark === "|" ? "#" : "|");
  else if (key.key.length === 1 && row.letters[lineOf(event)].includes(key.key)) rename(event, key.key);
  else return;
  key.preventDefault();
});

// The picture fits its frame, whose width a window, a list that folds or a phone that is turned changes.
new ResizeObserver(() => row && draw()).observe(element("frame"));

async function start() {
  try {
    table = JSON.parse((await answerTo("table")).text);
  } catch {
    element("disconnected").hidden = false;
    return;
  }
  await readAddress();
  draw();
}
start();
