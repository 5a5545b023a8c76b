// Draws the discs that the server describes, each time it does. A tap on a disc presses the disc's button.
const canvas = document.getElementById("canvas"), width = 600, height = 360;
let discs = [];

function paint(context) {
  const color = name => getComputedStyle(document.documentElement).getPropertyValue(name);
  // As many pixels as the screen has, so that circles are sharp.
  const scale = canvas.clientWidth * devicePixelRatio / width;
  [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
  context.scale(scale, scale);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = "bold 20px system-ui, sans-serif";
  for (const { name, x, y, radius, opacity, isFollowed } of discs) {
    context.globalAlpha = opacity;
    context.beginPath();
    context.arc(x, y, radius - 1, 0, 2 * Math.PI);
    context.fillStyle = getComputedStyle(document.getElementById(`follow-${name}`)).getPropertyValue("--disc");
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = "#1d2330";
    context.stroke();
    context.fillStyle = "#1d2330";
    context.fillText(name[0], x, y + 1);
    if (!isFollowed) continue;
    context.globalAlpha = 1;
    context.beginPath();
    context.arc(x, y, radius + 5, 0, 2 * Math.PI);
    context.lineWidth = 4;
    context.strokeStyle = color("--accent");
    context.stroke();
  }
}

const redraw = () => paint(canvas.getContext("2d"));
new MutationObserver(() => {
  discs = JSON.parse(canvas.dataset.state);
  redraw();
}).observe(canvas, { attributeFilter: ["data-state"] });
new ResizeObserver(redraw).observe(canvas);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

canvas.addEventListener("click", ({ offsetX, offsetY }) => {
  const scale = width / canvas.clientWidth, slack = 10;
  const away = ({ x, y, radius }) => Math.hypot(x - offsetX * scale, y - offsetY * scale) - radius;
  const [nearest] = [...discs].sort((one, other) => away(one) - away(other));
  if (nearest && away(nearest) < slack) document.getElementById(`follow-${nearest.name}`).click();
});
