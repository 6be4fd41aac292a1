"use strict";
// The files of the download buttons: a figure's data, and the figure as one drawing on white.
(async () => {
  if (!("DecompressionStream" in window)) return; // the files are also next to the page
  const packed = document.getElementById("figures").textContent.trim();
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const unpacked = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();

  const save = (name, blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };

  const WIDTH = 640;
  const FONT = "system-ui, 'Segoe UI', Roboto, Arial, sans-serif";
  const pen = document.createElement("canvas").getContext("2d");
  const measure = (words, bold) => {
    pen.font = `${bold ? "bold " : ""}13px ${FONT}`;
    return pen.measureText(words).width;
  };
  const plain = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const text = (words, x, y, { bold, anchor = "start" } = {}) =>
    `<text x="${x}" y="${y}" style="font:${bold ? "bold " : ""}13px ${FONT};fill:#1c1e21;text-anchor:${anchor}">${plain(words)}</text>`;

  // Draws words in rows, each word with or without a line sample before it, wrapped at the width of the drawing.
  const rows = (items, top) => {
    let [x, y, drawn] = [12, top, ""];
    for (const { words, sample, bold } of items) {
      const wide = measure(words, bold) + (sample ? 42 : 0) + 16;
      if (x > 12 && x + wide > WIDTH) [x, y] = [12, y + 20];
      if (sample) drawn += `<svg x="${x}" y="${y + 3}" width="34" height="16" viewBox="0 0 300 140" class="${sample.getAttribute("class")}">${sample.innerHTML}</svg>`;
      drawn += text(words, x + (sample ? 42 : 0), y + 16, { bold });
      x += wide;
    }
    return [drawn, y + 24];
  };

  // All elements of the figure, stacked vertically, in the colours of a light page.
  const drawing = (slug, light) => {
    const figure = document.querySelector(`[data-figure="${slug}"]`);
    let [drawn, y] = ["", 8];
    const add = ([more, end]) => {
      drawn += more;
      y = end;
    };
    for (const part of figure.querySelectorAll(".legend, .head, .panel > svg, .along")) {
      if (part.matches(".legend")) {
        const there = Array.from(part.children).filter((button) => button.getAttribute("aria-pressed") === "true");
        add(rows(there.map((button) => ({ words: button.textContent.trim(), sample: button.querySelector("svg") })), y));
      } else if (part.matches(".head")) {
        add(rows(Array.from(part.children, (each) => ({ words: each.textContent, bold: each.matches("strong") })), y));
      } else if (part.matches(".along")) {
        drawn += text(part.textContent, WIDTH / 2, y + 12, { anchor: "middle" });
        y += 26;
      } else {
        const { width, height } = part.viewBox.baseVal;
        const tall = (height * WIDTH) / width;
        drawn += `<svg x="0" y="${y}" width="${WIDTH}" height="${tall}" viewBox="0 0 ${width} ${height}" overflow="visible">${part.innerHTML}</svg>`;
        y += tall + 4;
      }
    }
    const used = new Set(Array.from(drawn.matchAll(/url\(["']?#([\w-]+)/g), ([, name]) => name));
    const markers = Array.from(used, (name) => document.getElementById(name).outerHTML).join("");
    const styles = document.getElementById("figure-style").textContent.split("/* Letters keep")[0].replace(/\.panel /g, "");
    const colours = Object.entries(light).map(([name, colour]) => `.c-${name}{--c:${colour}}`).join("");
    const whole =
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${WIDTH}" height="${Math.ceil(y)}" viewBox="0 0 ${WIDTH} ${Math.ceil(y)}">` +
      `<style>${plain(colours + styles)}</style><defs>${markers}</defs><rect width="100%" height="100%" fill="#ffffff"/>${drawn}</svg>`;
    return whole.replace(/var\(--(\w+)\)/g, (found, name) => light[name] ?? found);
  };

  // An image with three pixels per unit: fine enough for slides and print.
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

  const { light, csv } = await unpacked;
  const files = {
    png: (slug) => picture(drawing(slug, light)),
    svg: (slug) => new Blob([drawing(slug, light)], { type: "image/svg+xml" }),
    csv: (slug) => new Blob([csv[slug]], { type: "text/csv" }),
  };
  for (const button of document.querySelectorAll("button[data-file]")) {
    const { slug, file } = button.dataset;
    button.addEventListener("click", async () => save(`${slug}.${file}`, await files[file](slug)));
  }
  document.documentElement.classList.add("unpacked");
})();
