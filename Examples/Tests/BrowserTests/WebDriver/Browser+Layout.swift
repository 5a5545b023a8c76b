/// What a person would see at once: text that overlaps, is cut off, too narrow or too faint.
extension Browser {

  /// Returns a description of each fault in the layout of the page.
  ///
  /// - Parameter ignored: A CSS selector of elements in which nothing is examined.
  func layoutFaults(ignoring ignored: String = ".none") async throws -> [String] {
    try await execute(Self.examination, ignored)
  }

  /// Texts are compared as the lines that they fill. Each must be within what shows it, apart from all others, opaque,
  /// and as far from its background as WCAG's level AA says.
  private static let examination = #"""
    const ignored = arguments[0];
    const faults = [];
    const named = element => {
      const classes = element.getAttribute("class");
      const name = element.id ? `#${element.id}` : classes ? `.${classes}` : "";
      return `${element.tagName.toLowerCase()}${name} “${element.textContent.trim().slice(0, 24)}”`;
    };
    const style = element => getComputedStyle(element);
    const ancestors = element => {
      const all = [];
      for (let next = element; next; next = next.parentElement) all.push(next);
      return all;
    };
    const isVisible = element => element.checkVisibility({ opacityProperty: false, visibilityProperty: true });

    const isSome = box => box.right - box.left > 0.5 && box.bottom - box.top > 0.5;
    const onPage = ({ left, right, top, bottom }) =>
      ({ left: left + scrollX, right: right + scrollX, top: top + scrollY, bottom: bottom + scrollY });
    const frameOf = element => onPage(element.getBoundingClientRect());

    // MARK: The texts that are shown
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (!walker.currentNode.data.trim() || element.closest(`script, style, title, ${ignored}`)) continue;
      if (!isVisible(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      const boxes = [...range.getClientRects()].map(onPage).filter(isSome);
      if (boxes.length) texts.push({ element, boxes });
    }
    for (const field of document.querySelectorAll("input:not([type=checkbox]), select")) {
      if (!isVisible(field) || field.closest(ignored)) continue;
      texts.push({ element: field, boxes: [frameOf(field)] });
    }

    // MARK: Nothing is cut off
    if (document.documentElement.scrollWidth > innerWidth) {
      faults.push(`the page is ${document.documentElement.scrollWidth} wide, the window ${innerWidth}`);
    }
    const roots = [document.documentElement, document.body];
    const scrolls = element => ["auto", "scroll"].includes(style(element).overflowX);
    const within = (frames, box) => frames.reduce((rest, frame) => ({
      left: Math.max(rest.left, frame.left), right: Math.min(rest.right, frame.right),
      top: Math.max(rest.top, frame.top), bottom: Math.min(rest.bottom, frame.bottom),
    }), box);
    // What is outside of a part that scrolls is not shown now, and is no fault.
    const shown = texts.map(({ element, boxes }) => {
      const frames = ancestors(element).filter(other => scrolls(other) && !roots.includes(other)).map(frameOf);
      return { element, boxes: boxes.map(box => within(frames, box)).filter(isSome), isFramed: frames.length > 0 };
    }).filter(text => text.boxes.length);
    for (const { element, boxes, isFramed } of shown) {
      if (!isFramed && boxes.some(box => box.left < -0.5 || box.right > innerWidth + 0.5)) {
        faults.push(`cut off by the window: ${named(element)}`);
      }
      for (const frame of ancestors(element)) {
        if (roots.includes(frame)) break;
        const look = style(frame);
        if (!["hidden", "clip"].includes(look.overflowX) || look.textOverflow === "ellipsis") continue;
        const limit = frameOf(frame);
        if (boxes.some(box => box.right > limit.right + 1 || box.bottom > limit.bottom + 3)) {
          faults.push(`cut off by ${named(frame)}: ${named(element)}`);
        }
      }
    }

    // MARK: Nothing overlaps
    const hides = element => ["hidden", "clip"].includes(style(element).overflowX);
    const clips = element => ancestors(element).filter(hides).map(frameOf);
    const lines = shown.flatMap(({ element, boxes }) =>
      boxes.map(box => within(clips(element), box)).filter(isSome).map(box => ({ element, ...box })));
    lines.sort((a, b) => a.top - b.top);
    for (let i = 0; i < lines.length; i += 1) {
      for (let j = i + 1; j < lines.length && lines[j].top < lines[i].bottom - 2; j += 1) {
        const [one, other] = [lines[i], lines[j]];
        if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
        const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        // The boxes of lines include their leading. Letters touch where more than a third of a line is common.
        if (width > 2 && height > Math.min(one.bottom - one.top, other.bottom - other.top) / 3) {
          faults.push(`overlap: ${named(one.element)} and ${named(other.element)}`);
        }
      }
    }

    // MARK: Nothing is narrower than it should be
    for (const block of document.querySelectorAll("main, main > section, header")) {
      const box = block.getBoundingClientRect();
      const parent = block.parentElement.getBoundingClientRect();
      const columns = block.tagName === "SECTION" ? style(block.parentElement).gridTemplateColumns.split(" ").length : 1;
      if (isVisible(block) && box.width < parent.width / columns * 0.85) {
        faults.push(`narrow: ${named(block)} is ${Math.round(box.width)} of ${Math.round(parent.width)} pixels`);
      }
    }

    // MARK: Nothing is too faint
    const parse = color => {
      const parts = color.match(/[\d.]+/g)?.map(Number);
      return parts && color !== "none" ? { rgb: parts.slice(0, 3), alpha: parts[3] ?? 1 } : undefined;
    };
    const over = (front, back) => front.rgb.map((part, index) => part * front.alpha + back[index] * (1 - front.alpha));
    const luminance = rgb => {
      const linear = part => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
      const [r, g, b] = rgb.map(part => linear(part / 255));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (a, b) => {
      const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
      return (light + 0.05) / (dark + 0.05);
    };
    const page = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
    const background = element => {
      const layers = [];
      for (const other of ancestors(element)) {
        const color = parse(style(other).backgroundColor);
        if (!color || color.alpha === 0) continue;
        layers.push(color);
        if (color.alpha === 1) break;
      }
      return layers.reverse().reduce((back, layer) => over(layer, back), page);
    };
    // A text in a drawing is on the last shape in front of it that contains its middle.
    const shapeBehind = element => {
      const drawing = element.closest("svg");
      const box = element.getBoundingClientRect();
      const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
      let found;
      for (const shape of drawing.querySelectorAll("rect, circle, ellipse")) {
        if (!(shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
        const area = shape.getBoundingClientRect();
        const color = parse(style(shape).fill);
        if (color?.alpha && x >= area.left && x <= area.right && y >= area.top && y <= area.bottom) found = color;
      }
      return found;
    };
    for (const { element } of shown) {
      const look = style(element);
      const opacity = ancestors(element).reduce((product, other) => product * style(other).opacity, 1);
      if (opacity < 1) faults.push(`faint: ${named(element)} has the opacity ${opacity}`);
      const isDrawn = element.namespaceURI.endsWith("svg");
      let back = background(element);
      const shape = isDrawn ? shapeBehind(element) : undefined;
      if (shape) back = over(shape, back);
      const front = parse(isDrawn ? look.fill : look.color);
      if (!front) continue;
      const size = parseFloat(look.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && look.fontWeight >= 700);
      const ratio = contrast(over(front, back), back);
      if (ratio < (isLarge ? 3 : 4.5)) {
        const colors = `${isDrawn ? look.fill : look.color} on ${back.map(Math.round)}`;
        faults.push(`contrast ${ratio.toFixed(2)}: ${named(element)}, ${colors}`);
      }
      if (isDrawn && parse(look.stroke) && parseFloat(look.strokeWidth) > 1) {
        faults.push(`a blob: ${named(element)} has a stroke of ${look.strokeWidth}`);
      }
      if (size < 9) faults.push(`small: ${named(element)} has ${size} pixels`);
    }
    return [...new Set(faults)].slice(0, 20);
    """#
}
