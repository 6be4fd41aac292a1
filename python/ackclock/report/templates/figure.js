"use strict";
// Figures: legend buttons show and hide series, and tooltips show the values of points.
(() => {
  const tip = document.body.appendChild(document.createElement("div"));
  tip.className = "tip";
  tip.hidden = true;
  const ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  ring.setAttribute("class", "ring");
  ring.setAttribute("r", 55);

  for (const button of document.querySelectorAll(".legend button")) {
    button.addEventListener("click", () => {
      const figure = button.closest("figure");
      const shown = button.getAttribute("aria-pressed") === "false";
      const group = CSS.escape(button.dataset.shows);
      figure.querySelectorAll(`[data-shows="${group}"]`).forEach((each) => each.setAttribute("aria-pressed", shown));
      figure.querySelectorAll(`[data-group="${group}"]`).forEach((each) => each.classList.toggle("gone", !shown));
    });
  }

  // An axis of a drawing: its ends, and the value at a share of its length.
  const axis = (text) => {
    const [low, high, log] = text.split(" ");
    const [from, to] = [Number(low), Number(high)];
    return { log: log !== undefined, at: (share) => (log ? from * (to / from) ** share : from + share * (to - from)), range: to - from };
  };

  // Formats a value with as many digits as the drawing can show.
  const shown = (value, { log, range }, length) => {
    if (log) return Number(value.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3 });
    const decimals = Math.max(0, Math.floor(-Math.log10(range / length)));
    return value.toLocaleString("en", { minimumFractionDigits: 0, maximumFractionDigits: Math.min(decimals, 12) });
  };

  // The points of a path: "M" starts at a position, "l" continues with relative steps.
  const points = (path) => {
    if (path.read) return path.read;
    path.read = [];
    for (const [, kind, text] of path.getAttribute("d").matchAll(/([Mlh])([^Mlh]*)/g)) {
      const numbers = (text.match(/-?\d+/g) || []).map(Number);
      let [x, y] = kind === "M" ? [0, 0] : path.read.at(-1);
      for (let i = 0; i + 1 < numbers.length; i += 2) path.read.push([(x += numbers[i]), (y += numbers[i + 1])]);
    }
    return path.read;
  };

  // The upper end of the error bar at x; null if there is no bar.
  const bar = (group, x, y) => {
    const path = group.querySelector(".bar");
    if (!path) return null;
    path.ends ??= new Map(Array.from(path.getAttribute("d").matchAll(/M(-?\d+) (-?\d+)/g), ([, at, top]) => [at, Number(top)]));
    return path.ends.has(String(x)) ? path.ends.get(String(x)) : null;
  };

  const nearest = (plot, x, y, reach) => {
    let found = null;
    for (const path of plot.querySelectorAll("g:not(.gone) > .line")) {
      for (const [a, b] of points(path)) {
        const distance = Math.hypot(a - x, b - y);
        if (distance < reach) [reach, found] = [distance, { path, x: a, y: b }];
      }
    }
    return found;
  };

  const words = (plot, event) => {
    const { x: left, y: top } = new DOMPoint(event.clientX, event.clientY).matrixTransform(plot.parentElement.getScreenCTM().inverse());
    const [width, height] = [plot.width.baseVal.value, plot.height.baseVal.value];
    const [along, up] = [axis(plot.dataset.x), axis(plot.dataset.y)];
    if (event.target.dataset.value) return [event.target.dataset.value, ""];
    const found = nearest(plot, left, top, 350);
    if (!found) return null;
    ring.setAttribute("cx", found.x);
    ring.setAttribute("cy", found.y);
    plot.append(ring);
    const group = found.path.parentElement;
    const value = up.at(1 - found.y / height);
    const end = bar(group, found.x);
    const error = end === null ? "" : ` ± ${shown(up.at(1 - end / height) - value, up, height)}`;
    const place = shown(along.at(found.x / width), along, width);
    return [group.dataset.name, `${place}: ${shown(value, up, height)}${error}`];
  };

  const leave = () => {
    tip.hidden = true;
    ring.remove();
  };
  const enter = (event) => {
    const plot = event.currentTarget.querySelector(".plot");
    const said = plot && words(plot, event);
    if (!said) return leave();
    const name = document.createElement("strong");
    name.textContent = said[0];
    tip.replaceChildren(name, ...(said[1] ? [document.createElement("br"), said[1]] : []));
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - width - 4))}px`;
    tip.style.top = `${event.clientY - height - 12 < 0 ? event.clientY + 16 : event.clientY - height - 12}px`;
  };
  for (const drawing of document.querySelectorAll("figure .panel > svg")) {
    drawing.addEventListener("pointermove", enter);
    drawing.addEventListener("pointerdown", enter);
    drawing.addEventListener("pointerleave", leave);
  }
  addEventListener("scroll", leave, { passive: true });
})();
