// Tells the server what the user does, and shows what the server says. All that follows from it is decided there.
const socket = new WebSocket(`ws://${location.host}${location.pathname}/socket`);

const tell = (element, value) => {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ element: element.id, value }));
};

for (const input of document.querySelectorAll("#page input")) {
  input.addEventListener("input", () => tell(input, input.type === "checkbox" ? input.checked : input.value));
}
for (const button of document.querySelectorAll("#page button")) {
  button.addEventListener("click", () => tell(button));
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

// A marble enters a stage's row on the right and drifts to the left, where it is taken out.
const signs = { subscribed: "^", finished: "|", failed: "#", cancelled: "!" };
const rows = new Map();

function draw({ name, kind, label }) {
  if (!rows.has(name)) {
    const row = document.createElement("div");
    row.append(Object.assign(document.createElement("span"), { className: "stage", textContent: name }));
    row.append(Object.assign(document.createElement("span"), { className: "strip" }));
    row.dataset.stage = name;
    document.getElementById("stages").append(row);
    rows.set(name, row);
  }
  const marble = document.createElement("span");
  marble.className = `marble ${kind}`;
  marble.textContent = kind === "value" ? label || "•" : signs[kind];
  marble.title = `${kind} ${label ?? ""}`;
  marble.addEventListener("animationend", () => marble.remove());
  rows.get(name).lastChild.append(marble);
}
