// The search of the bar. It knows all modules, the words of other libraries, and the text of the guides.
const bar = document.querySelector(".site-bar");
const base = bar.dataset.base;
const field = bar.querySelector("input");
const results = document.getElementById("site-results");
let pages;  // Read when a person turns to the field.

const load = async () => { pages ??= (await (await fetch(`${base}/site-search.json`)).json()).map(prepared); };
field.addEventListener("focus", load);

// The name of a symbol without the types around it and without parameters: `prefix` of `prefix(_:)`, `zip` of `Publishers.Zip`.
const nameOf = title => title.replace(/[(<:].*$/, "").replace(/^.*\.(?=.)/, "").trim().toLowerCase();

// The part of a word that its forms share: `migr` of `migration`, `migrate` and `migrating`.
function stemOf(word) {
  const stem = word.replace(/(ations?|ates?|ated|ating|ions?|ings?|ers?|ed|es|s|e)$/, "");
  return stem.length < 4 || stem === word ? word : stemOf(stem);
}

function prepared(page) {
  const stems = new Map();
  for (const [word, count] of Object.entries(page.text)) {
    const stem = stemOf(word);
    stems.set(stem, (stems.get(stem) ?? 0) + count);
  }
  const words = Object.entries(page.words).map(([word, rank]) => [word.toLowerCase(), rank, word]);
  return { ...page, stems, name: nameOf(page.title), words };
}

const modules = ["combine", "combinecore", "combineextras", "combinefoundation", "combinedispatch", "combinenetworking",
  "combinetesting", "combineinspection", "combinejetstream", "combinenio"];
const partsOf = text => text.split(/[\s()[\]:,_.-]+/).filter(part => part);

// The heading of a guide that has a text, and the one that has all words of it in some form.
const headingWith = (page, text) => page.headings.find(heading => heading.text.toLowerCase().includes(text));
const headingLike = (page, text) => {
  const stems = partsOf(text).map(stemOf);
  return page.headings.find(({ text }) => {
    const words = new Set(partsOf(text.toLowerCase()).map(stemOf));
    return stems.length && stems.every(stem => words.has(stem));
  });
};

// How well a page answers; 0 is not at all. Its own name is best, then another library's word for it, then a guide's headings,
// then a guide's text.
function worth(page, text) {
  const { name, words } = page, title = page.title.toLowerCase();
  const parts = partsOf(text), joined = parts.join("");
  const word = words.find(([word]) => word === text || partsOf(word).join("") === joined);
  const form = words.find(([word]) => word.length > 4 && stemOf(word) === stemOf(text));
  // A type, a guide or an operator, and not a member of some structure.
  const isLeading = page.kind === "article" || page.path.split("/").length <= 4 || /\/publisher\/[^/]+$/.test(page.path);
  const isIn = part => title.includes(part) || words.some(([word]) => word.includes(part));
  // How often the text of a guide has the rarest of the words.
  const count = Math.min(...parts.map(part => page.text[part] ?? 0));
  const like = Math.min(...parts.map(part => page.stems.get(stemOf(part)) ?? 0));
  const often = count => 10 * Math.min(5, Math.log2(count));
  let value = 0;
  if ((name === text || name === joined) && isLeading) value = 1000;
  else if (word) value = 900 - 10 * word[1];
  else if (form) value = 800 - 10 * form[1];
  else if (name === text) value = 600;
  else if (name.startsWith(joined)) value = 500;
  else if (words.some(([word]) => word.startsWith(text))) value = 400;
  else if (title.includes(text)) value = 300;
  else if (headingWith(page, text)) value = 250;
  else if (parts.length && parts.every(isIn)) value = 200;
  else if (parts.length && count) value = 140 + often(count);
  else if (headingLike(page, text)) value = 130;
  else if (parts.length && like) value = 70 + often(like);
  if (!value) return 0;
  if (isLeading && !word && !form) value += 50;
  return value - Math.max(0, modules.indexOf(page.module)) - page.title.length / 100;
}

function exactly(text) {
  return pages.map(page => ({ page, value: worth(page, text) })).filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value).slice(0, 30).map(({ page }) => page);
}

// MARK: One wrong letter

// Whether one letter that is wrong, missing, too much or in the place of its neighbor makes one word of the other.
function isTypo(a, b) {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  return restA.slice(1) === restB.slice(1) || restA.slice(1) === restB || restA === restB.slice(1)
    || (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2));
}

let known;  // Each word that a search finds, with its weight.

function knownWords() {
  if (known) return known;
  known = new Map();
  const add = (word, weight) => { if (word.length > 2) known.set(word, Math.max(weight, known.get(word) ?? 0)); };
  for (const page of pages) {
    add(page.name, /\/publisher\/[^/]+$/.test(page.path) ? 5 : 3);
    for (const [word] of page.words) add(word, 4);
    for (const text of [page.title, ...page.headings.map(heading => heading.text)]) partsOf(text.toLowerCase()).forEach(part => add(part, 2));
    for (const word of Object.keys(page.text)) add(word, 1);
  }
  return known;
}

// The texts that a person may have meant, each with its weight, the most likely ones first.
function corrections(text) {
  const parts = text.split(" ");
  const places = [...parts.map((part, index) => ({ part, put: word => parts.with(index, word).join(" ") })),
    ...(parts.length > 1 ? [{ part: text, put: word => word }] : [])];
  const found = places.filter(({ part }) => part.length > 2).flatMap(({ part, put }) =>
    [...knownWords()].filter(([word]) => word !== part && isTypo(part, word))
      // People seldom mistake the first letter, and more often leave one out than add one.
      .map(([word, weight]) => ({ text: put(word), weight: weight + (word[0] === part[0] ? 2 : 0) + (word.length >= part.length ? .5 : 0) })));
  return found.sort((a, b) => b.weight - a.weight).slice(0, 8);
}

// Returns the pages for a text, and the text that has found them.
function find(text) {
  const wanted = text.trim().toLowerCase().replace(/\s+/g, " ");
  if (!wanted || !pages) return { found: [], wanted };
  const found = exactly(wanted);
  if (found.length) return { found, wanted };
  // A text that is the name of something is more likely than one that some guide has.
  const meant = corrections(wanted).map(({ text, weight }) => ({ found: exactly(text), wanted: text, weight }))
    .filter(({ found }) => found.length)
    .map(each => ({ ...each, value: worth(each.found[0], each.wanted) + 10 * each.weight })).sort((a, b) => b.value - a.value);
  return { found: [...new Set(meant.flatMap(({ found }) => found))].slice(0, 30), wanted: meant[0]?.wanted ?? wanted };
}

// MARK: What is found

function line(page, wanted) {
  const line = document.createElement("li");
  const link = document.createElement("a");
  const heading = page.title.toLowerCase().includes(wanted) || page.words.some(([word]) => word === wanted)
    ? undefined : headingWith(page, wanted) ?? headingLike(page, wanted);
  link.href = `${base}${page.path}/${heading ? `#${heading.anchor}` : ""}`;
  link.textContent = page.title;
  const place = document.createElement("span");
  const said = page.words.filter(([word]) => word.includes(wanted)).map(([, , word]) => word);
  const notes = [page.kind === "article" ? "Guide" : page.place, heading?.text, said.length && `also called ${said.join(", ")}`];
  place.textContent = notes.filter(note => note).join(" · ");
  link.append(place);
  line.append(link);
  return line;
}

async function show() {
  await load();
  const { found, wanted } = find(field.value);
  results.replaceChildren(...found.map(page => line(page, wanted)));
  const isOther = found.length && wanted !== field.value.trim().toLowerCase().replace(/\s+/g, " ");
  const note = document.createElement("li");
  note.append(document.createElement("p"));
  note.firstChild.textContent = isOther ? `Results for “${wanted}”` : "No page has this name or word.";
  if (isOther) results.prepend(note);
  else if (!found.length) results.append(note);
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
// In the capturing phase, and not seen by others, so that / opens this search only. In a frame it is the search of the page.
window.addEventListener("keydown", event => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const search = self === top ? field : parent.document.querySelector(".site-search input");
  search.focus({ preventScroll: true });
  search.select();
}, true);

// What stands below the bar needs to know how high it is.
new ResizeObserver(() => {
  document.documentElement.style.setProperty("--site-bar", `${bar.offsetHeight}px`);
}).observe(bar);

// MARK: The lists of names and pictures

for (const filter of document.querySelectorAll(".site-filter input")) {
  const sections = [...document.querySelectorAll(".site-page .site-group")];
  const items = sections.map(section => [...section.querySelectorAll("li")]);
  const texts = items.map(lines => lines.map(line => line.textContent.toLowerCase()));
  const note = filter.parentElement.querySelector("[role=status]");
  const narrow = () => {
    const parts = filter.value.toLowerCase().split(/\s+/).filter(part => part);
    let count = 0;
    sections.forEach((section, index) => {
      let isEmpty = true;
      items[index].forEach((line, place) => {
        line.hidden = !parts.every(part => texts[index][place].includes(part));
        if (!line.hidden) count += 1;
        isEmpty &&= line.hidden;
      });
      section.hidden = isEmpty;
    });
    note.textContent = parts.length ? (count || "none") : "";
  };
  filter.addEventListener("input", narrow);
  narrow();  // A browser may keep the text on the way back.
}

// A picture is as wide as its page, but not so small that a marble's letter cannot be read.
document.addEventListener("load", ({ target }) => {
  if (target.matches?.("img[src*='marbles-']")) target.style.minWidth = `${Math.round(target.naturalWidth * .6)}px`;
}, true);

// A picture of an operator whose marbles move, once a person touches it or follows the link below it.
document.addEventListener("click", event => {
  const link = document.querySelector(`a[href^="${base}/play/?op="]`);
  const picture = document.querySelector(".abstract img[src*='marbles-']");
  // A link without a case leads to another one than that of the picture, which stays.
  const isTouched = link?.search.includes("&code=") && (event.target === picture || link.contains(event.target));
  if (!link || !picture || !isTouched || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();  // DocC would look for a page of its own.
  const frame = document.createElement("iframe");
  frame.className = "site-play";
  frame.title = "Marbles to move";
  frame.src = `${link.getAttribute("href")}&embed`;
  (picture.closest("picture") ?? picture).replaceWith(frame);
}, true);

// MARK: The page of an operator, beside its playground

const escaped = text => text.replace(/[&<>"]/g, mark => `&#${mark.charCodeAt(0)};`);

// The content of a page's data as HTML. Pictures are left out: the playground has one that moves.
function htmlOf(node, references) {
  const inner = (node.inlineContent ?? node.content ?? []).map(part => htmlOf(part, references)).join("");
  switch (node.type) {
    case "text": return escaped(node.text);
    case "codeVoice": return `<code>${escaped(node.code)}</code>`;
    case "emphasis": return `<em>${inner}</em>`;
    case "strong": return `<strong>${inner}</strong>`;
    case "reference": {
      const target = references[node.identifier];
      if (!target) return "";
      const title = (target.titleInlineContent ?? [{ type: "text", text: target.title }]).map(part => htmlOf(part, references)).join("");
      const address = target.url?.startsWith("/documentation") ? `${base}${target.url}/` : target.url;
      const text = target.kind === "symbol" ? `<code>${title}</code>` : title;
      return address ? `<a href="${escaped(address)}">${text}</a>` : text;
    }
    case "heading": return `<h3>${escaped(node.text)}</h3>`;
    case "paragraph": return inner && `<p>${inner}</p>`;
    case "codeListing": return `<pre tabindex="0"><code>${escaped(node.code.join("\n"))}</code></pre>`;
    case "unorderedList": return `<ul>${node.items.map(item => `<li>${htmlOf(item, references)}</li>`).join("")}</ul>`;
    case "orderedList": return `<ol>${node.items.map(item => `<li>${htmlOf(item, references)}</li>`).join("")}</ol>`;
    case "aside": return `<p><strong>${escaped(node.name ?? "Note")}:</strong></p>${inner}`;
    default: return node.type ? "" : inner;
  }
}

async function showPage(id) {
  const path = (await (await fetch(`${base}/play/pages.json`)).json())[id];
  let beside = document.querySelector(".site-beside");
  if (!path) return beside?.remove();
  const page = await (await fetch(`${base}/data${path}.json`)).json();
  const text = nodes => (nodes ?? []).map(node => htmlOf(node, page.references)).join("");
  // The link to the playground is not needed here.
  const isLink = node => JSON.stringify(node).includes("/play/?op=");
  const parts = page.primaryContentSections.map(section => {
    if (section.kind === "parameters") {
      return `<h3>Parameters</h3>${section.parameters.map(({ name, content }) => `<p><code>${escaped(name)}</code></p>${text(content)}`).join("")}`;
    }
    return section.kind === "content" ? text(section.content.filter(node => !isLink(node))) : "";
  });
  if (!beside) {
    beside = document.createElement("section");
    beside.className = "site-beside";
    beside.setAttribute("aria-label", "The page of this operator");
    document.querySelector("main").append(beside);
  }
  beside.innerHTML = `<h2><a href="${base}${path}/">${escaped(page.metadata.title)}</a></h2><p>${text(page.abstract)}</p>${parts.join("")}`;
}

let shownID;
document.addEventListener("operator", ({ detail: id }) => {
  if (self !== top || id === shownID) return;
  shownID = id;
  showPage(id);
});
