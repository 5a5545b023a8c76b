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
for (const button of document.querySelectorAll("#page button")) {
  button.addEventListener("click", () => tell(button));
}
// The form is there for password managers and the Enter key, which clicks its button. The socket carries the fields.
for (const form of document.querySelectorAll("#page form")) {
  form.addEventListener("submit", event => event.preventDefault());
}

socket.addEventListener("message", ({ data }) => {
  const { element, property, value, stage } = JSON.parse(data);
  if (stage) return draw(stage);
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

// A marble enters its stage's strip on the right and drifts to the left, where it is taken out. One that comes right
// after another enters behind it, unless there are too many.
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
  if (overlap > 0) marble.style.right = `-${Math.min(overlap + 2, 160)}px`;
}
