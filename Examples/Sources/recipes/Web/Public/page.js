// Tells the server what the user does, and shows what the server says. All that follows from it is decided there.
const socket = new WebSocket(`ws://${location.host}${location.pathname}/socket`);

const tell = (element, value) => {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ element: element.id, value }));
};

const valueOf = input => (input.type === "checkbox" ? input.checked : input.value);
for (const input of document.querySelectorAll("#page input")) {
  input.addEventListener("input", () => tell(input, valueOf(input)));
  // What the user was quick to type, or the browser remembers from before a reload.
  socket.addEventListener("open", () => valueOf(input) && tell(input, valueOf(input)));
}
for (const button of document.querySelectorAll("#page button:not(#hold)")) {
  button.addEventListener("click", () => tell(button));
}
// The form is there for password managers and the Enter key, which clicks its button. The socket carries the fields.
for (const form of document.querySelectorAll("#page form")) {
  form.addEventListener("submit", event => event.preventDefault());
}

socket.addEventListener("message", ({ data }) => {
  const { element, property, value, stage } = JSON.parse(data);
  if (stage) return isHeld ? keep(stage) : draw(stage);
  const path = property.split(".");
  const last = path.pop();
  path.reduce((object, name) => object[name], document.getElementById(element))[last] = value;
});

socket.addEventListener("close", () => {
  document.getElementById("disconnected").hidden = false;
  for (const control of document.querySelectorAll("#page input, #page button")) control.disabled = true;
});

// A browser may keep a page that the person has left, for the way back. Its pipelines end, and a return starts anew.
window.addEventListener("pagehide", () => socket.close());
window.addEventListener("pageshow", event => event.persisted && location.reload());

// MARK: Pause

const hold = document.getElementById("hold"), mostHeld = 500;
let isHeld = false;
let held = [];  // The events that have come meanwhile. The oldest ones are dropped if there are too many.

function keep(stage) {
  held = [...held, stage].slice(-mostHeld);
  document.getElementById("held").textContent = `${held.length} more`;
}

hold.addEventListener("click", () => {
  isHeld = !isHeld;
  hold.setAttribute("aria-pressed", isHeld);
  hold.textContent = isHeld ? "Resume" : "Pause";
  document.getElementById("stages").toggleAttribute("data-held", isHeld);
  document.getElementById("held").textContent = "";
  held.forEach(draw);
  held = [];
});

// MARK: Marbles

// A marble enters its stage's strip on the right and drifts to the left, where it is taken out. It always has the room that it
// needs: those before it make way to the left.
const signs = { subscribed: "^", finished: "|", failed: "#", cancelled: "!" };

function draw({ name, kind, label }) {
  const strip = document.querySelector(`[data-stage="${name}"] .stages-strip`);
  const previous = strip.lastElementChild;
  const marble = document.createElement("span");
  marble.className = `marble marble-${kind}`;
  marble.textContent = kind === "value" ? label : signs[kind];
  marble.title = `${kind} ${label ?? ""}`;
  marble.addEventListener("animationend", () => marble.remove());
  strip.append(marble);
  const overlap = previous ? previous.getBoundingClientRect().right - marble.getBoundingClientRect().left : 0;
  if (overlap <= 0) return;
  for (const other of strip.children) {
    if (other !== marble) other.style.right = `${(parseFloat(other.style.right) || 0) + overlap + 2}px`;
  }
}

// MARK: The source

// The line of a stage and its events are shown together.
const linesOf = stage => [...document.querySelectorAll(".source-stage")].filter(line => line.dataset.stages.split("|").includes(stage));
const rows = [...document.querySelectorAll("[data-stage]")];

function mark(stages) {
  for (const row of rows) row.toggleAttribute("data-marked", stages.includes(row.dataset.stage));
  const marked = new Set(stages.flatMap(linesOf));
  for (const line of document.querySelectorAll(".source-stage")) line.toggleAttribute("data-marked", marked.has(line));
}

for (const row of rows) {
  for (const name of ["pointerenter", "focusin"]) row.addEventListener(name, () => mark([row.dataset.stage]));
  for (const name of ["pointerleave", "focusout"]) row.addEventListener(name, () => mark([]));
}
for (const line of document.querySelectorAll(".source-stage")) {
  for (const name of ["pointerenter", "focusin"]) line.addEventListener(name, () => mark(line.dataset.stages.split("|")));
  for (const name of ["pointerleave", "focusout"]) line.addEventListener(name, () => mark([]));
}
