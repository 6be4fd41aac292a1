"use strict";
// Turns each drawing of the page into one to zoom and point at, and makes the files behind its download buttons.
(async () => {
  const unpack = async (id) => {
    const packed = document.getElementById(id).textContent.trim();
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };

  const save = (name, blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };

  // A picture of the drawing, three dots to the point: fine enough for slides and print.
  const picture = (svg) =>
    new Promise((resolve, reject) => {
      const image = new Image();
      image.onload = () => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width * 3, image.height * 3];
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        canvas.toBlob(resolve, "image/png");
      };
      image.onerror = reject;
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
    });

  // On paper the rules of the claims lie open.
  for (const [event, open] of [["beforeprint", true], ["afterprint", false]]) {
    addEventListener(event, () => document.querySelectorAll(".claims details").forEach((rule) => (rule.open = open)));
  }

  if (!("DecompressionStream" in window)) return; // the drawings of the page stay, and the files lie beside it
  const { drawings: figures, light } = JSON.parse(await unpack("figures"));

  // The page's own drawing as a file: on white, whatever the page's colours are now.
  const drawing = (slug) => {
    const copy = document.querySelector(`[data-plot="${slug}"]`).previousElementSibling.cloneNode(true);
    const { width, height } = copy.viewBox.baseVal;
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.setAttribute("style", "stroke-linejoin:round;stroke-linecap:butt");
    return new XMLSerializer().serializeToString(copy).replace(/var\(--(\w+)\)/g, (_, name) => light[name]);
  };
  const files = {
    png: (slug) => picture(drawing(slug)),
    svg: async (slug) => new Blob([drawing(slug)], { type: "image/svg+xml" }),
    csv: async (slug) => new Blob([figures[slug].csv], { type: "text/csv" }),
  };
  for (const button of document.querySelectorAll("button[data-file]")) {
    const { slug, file } = button.dataset;
    button.addEventListener("click", async () => save(`${slug}.${file}`, await files[file](slug)));
  }
  document.documentElement.classList.add("scripted");
  if (!Object.keys(figures).length) return;

  const library = document.createElement("script");
  library.textContent = await unpack("plotly");
  document.head.append(library);

  // "@blue" and "@blue/0.2" are the page's colours, which follow its light or dark scheme.
  const colours = () => {
    const style = getComputedStyle(document.documentElement);
    return (text) =>
      text.replace(/^@(\w+)(?:\/([\d.]+))?$/, (_, name, share) => {
        const colour = style.getPropertyValue(`--${name}`).trim();
        return share ? colour + Math.round(255 * share).toString(16).padStart(2, "0") : colour;
      });
  };
  const painted = (value, paint) => {
    if (typeof value === "string") return paint(value);
    if (Array.isArray(value)) return typeof value.at(-1) === "number" ? value : value.map((item) => painted(item, paint));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, painted(item, paint)]));
  };

  const draw = (slug) => {
    const place = document.querySelector(`[data-plot="${slug}"]`);
    const { data, layout } = painted(figures[slug].plot, colours());
    const paint = colours();
    const drawn = place.previousElementSibling.viewBox.baseVal;
    const width = place.parentElement.clientWidth;
    const narrow = width < 480;
    const axis = { gridcolor: paint("@grid"), linecolor: paint("@ink"), zeroline: false, ticks: "outside", automargin: true };
    for (const key of Object.keys(layout)) if (/^[xy]axis/.test(key)) Object.assign(layout[key], axis);
    Object.assign(layout, {
      width,
      height: Math.max((width * drawn.height) / drawn.width, narrow ? 420 : 0),
      margin: { l: narrow ? 48 : 62, r: 8, t: 28, b: 44 },
      font: { family: getComputedStyle(document.body).fontFamily, size: narrow ? 11 : 13, color: paint("@ink") },
      paper_bgcolor: paint("@paper"),
      plot_bgcolor: paint("@paper"),
      hoverlabel: { bgcolor: paint("@paper"), bordercolor: paint("@faint"), font: { color: paint("@ink") } },
      dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
    });
    const tools = [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]];
    return Plotly.react(place, data, layout, { displaylogo: false, modeBarButtons: tools });
  };

  const seen = new Set();
  const drawings = new IntersectionObserver(
    (entries) => {
      for (const entry of entries.filter((each) => each.isIntersecting)) {
        const place = entry.target.querySelector("[data-plot]");
        drawings.unobserve(entry.target);
        seen.add(place.dataset.plot);
        entry.target.classList.add("drawn");
        draw(place.dataset.plot);
      }
    },
    { rootMargin: "600px" },
  );
  document.querySelectorAll(".drawing").forEach((drawing) => drawings.observe(drawing));
  const again = () => seen.forEach(draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) requestAnimationFrame(again);
    width = innerWidth;
  });
})();
