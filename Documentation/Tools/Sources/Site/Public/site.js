// The search of the bar. It knows all modules, and the words of other libraries.
const bar = document.querySelector(".site-bar");
const base = bar.dataset.base;
const field = bar.querySelector("input");
const results = document.getElementById("site-results");
let pages;  // Read when a person turns to the field.

const load = async () => { pages ??= await (await fetch(`${base}/site-search.json`)).json(); };
field.addEventListener("focus", load);

// The name of a symbol without parameters: `prefix` of `func prefix(_:)`.
const keywords = /^(static )?(func|var|let|struct|class|enum|protocol|typealias|case|macro|subscript) /;
const nameOf = title => title.replace(keywords, "").replace(/[(<:].*$/, "").trim().toLowerCase();

const modules = ["combine", "combinecore", "combineextras", "combinefoundation", "combinedispatch", "combinenetworking",
  "combinetesting", "combineinspection", "combinejetstream", "combinenio"];

// How well a page answers; 0 is not at all. Its own name is best, then another library's word for it.
function worth(page, text) {
  const name = nameOf(page.title), title = page.title.toLowerCase();
  const words = Object.entries(page.words);
  const word = words.find(([word]) => word === text);
  // A type, a guide or an operator, and not a member of some structure.
  const isLeading = page.kind === "article" || page.path.split("/").length <= 4 || /\/publisher\/[^/]+$/.test(page.path);
  const parts = text.split(/\s+/);
  let value = 0;
  if (name === text && isLeading) value = 1000;
  else if (word) value = 900 - 10 * word[1];
  else if (name === text) value = 600;
  else if (name.startsWith(text)) value = 500;
  else if (words.some(([word]) => word.startsWith(text))) value = 400;
  else if (title.includes(text)) value = 300;
  else if (parts.every(part => title.includes(part) || words.some(([word]) => word.includes(part)))) value = 200;
  if (!value) return 0;
  if (isLeading && !word) value += 50;
  return value - modules.indexOf(page.module) - page.title.length / 100;
}

function find(text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted || !pages) return [];
  return pages.map(page => ({ page, value: worth(page, wanted) })).filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value).slice(0, 30).map(({ page }) => page);
}

async function show() {
  await load();
  const found = find(field.value);
  results.replaceChildren(...found.map(page => {
    const line = document.createElement("li");
    const link = document.createElement("a");
    link.href = `${base}${page.path}/`;
    link.textContent = page.title;
    const place = document.createElement("span");
    const said = Object.keys(page.words).filter(word => word.includes(field.value.trim().toLowerCase()));
    const other = said.length ? ` · also called ${said.join(", ")}` : "";
    place.textContent = page.place + other;
    link.append(place);
    line.append(link);
    return line;
  }));
  if (!found.length && field.value.trim()) results.innerHTML = "<li><p>Nothing has this name.</p></li>";
  results.hidden = !field.value.trim();
}

field.addEventListener("input", show);
bar.querySelector("form").addEventListener("submit", event => {
  event.preventDefault();
  results.querySelector("a")?.click();
});
bar.addEventListener("keydown", event => {
  const links = [...results.querySelectorAll("a")];
  const place = links.indexOf(document.activeElement);
  if (event.key === "Escape") results.hidden = true;
  else if (event.key === "ArrowDown") (links[place + 1] ?? links[0])?.focus();
  else if (event.key === "ArrowUp") (links[place - 1] ?? field).focus();
  else return;
  event.preventDefault();
});
document.addEventListener("click", event => { if (!bar.contains(event.target)) results.hidden = true; });
document.addEventListener("keydown", event => {
  if (event.key !== "/" || event.target.closest("input, textarea, [contenteditable]")) return;
  event.preventDefault();
  field.focus();
});

// A picture of an operator whose marbles move, once a person touches it or follows the link below it.
document.addEventListener("click", event => {
  const link = document.querySelector(`a[href^="${base}/play/?op="]`);
  const picture = document.querySelector(".abstract img[src*='marbles-']");
  const isTouched = event.target === picture || link?.contains(event.target);
  if (!link || !picture || !isTouched || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();  // DocC would look for a page of its own.
  const frame = document.createElement("iframe");
  frame.className = "site-play";
  frame.title = "Marbles to move";
  frame.src = `${link.getAttribute("href")}&embed`;
  (picture.closest("picture") ?? picture).replaceWith(frame);
}, true);
