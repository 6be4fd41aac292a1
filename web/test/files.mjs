// Opens pages in Chromium, each with a scenario in it, and looks at what they draw. tests/lab/test_files_in_lab.py starts
// it and judges what it prints: one line of JSON for each page.
//
// node files.mjs PAGE...

import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

/** The longest of these runs takes some seconds; a loaded machine needs more. */
const PATIENCE = 180_000;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND"],
});

for (const page of process.argv.slice(2)) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const tab = await context.newPage();
  const log = [];
  tab.on("console", (message) => log.push(message.text()));
  tab.on("pageerror", (error) => log.push(String(error)));
  await tab.goto(pathToFileURL(page).href);
  const ended = () => Number(document.body.dataset.drawn ?? 0) > 0 || !document.getElementById("error").hidden;
  await tab.waitForFunction(ended, null, { timeout: PATIENCE }).catch((error) => log.push(String(error)));
  const shows = await tab.evaluate(() => {
    const error = document.getElementById("error");
    // plots of which some pixels differ from the first one
    const isDrawn = (canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, Math.max(1, canvas.width), Math.max(1, canvas.height));
      const pixels = new Uint32Array(data.buffer);
      return pixels.some((pixel) => pixel !== pixels[0]);
    };
    return {
      error: error.hidden ? "" : error.textContent,
      numbers: document.querySelector(".numbers")?.textContent ?? "",
      plots: [...document.querySelectorAll("canvas")].filter(isDrawn).length,
    };
  });
  console.log(JSON.stringify({ ...shows, log }));
  await context.close();
}
await browser.close();
