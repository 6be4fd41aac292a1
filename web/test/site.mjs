// Reads the documentation site in Chromium. tests/docs/test_website_built.py starts it and judges what it prints: one JSON
// object with the results of a search, the pages that are wider than the screen, and what was written to the console or
// asked of other hosts.
//
// node site.mjs ADDRESS FILE PAGE...: ADDRESS is the site on a server, FILE its home page on disk.

import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

const [address, file, ...pages] = process.argv.slice(2);
const found = { console: [], requests: [], wide: [], search: {} };

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});

async function opened(url, options = {}) {
  const context = await browser.newContext(options);
  const tab = await context.newPage();
  tab.on("console", (message) => found.console.push(`${url}: ${message.type()}: ${message.text()}`));
  tab.on("pageerror", (error) => found.console.push(`${url}: error: ${error.message}`));
  tab.on("request", (request) => {
    if (!request.url().startsWith(address) && !/^(file|data|blob|about):/.test(request.url())) found.requests.push(request.url());
  });
  await tab.goto(url);
  return tab;
}

/** Types a word into the search, and returns the addresses of what it finds. */
async function search(url, word) {
  const tab = await opened(url);
  const field = tab.locator("input[type=text], input[type=search], input:not([type])").first();
  while (!(await field.isVisible())) {
    await tab.keyboard.press("Control+k");
    await field.waitFor({ timeout: 500 }).catch(() => {}); // the page's script may not have started
  }
  await field.fill(word);
  await tab.locator(`a[href*="h=${word}"]`).first().waitFor();
  return tab.locator(`a[href*="h=${word}"]`).evaluateAll((links) => links.map((link) => link.getAttribute("href")));
}

/** Returns what sticks out of the screen, except inside of boxes that scroll. */
const sticksOut = (tab) => tab.evaluate(() => {
  const scrolls = (part) => part && (/auto|scroll|hidden/.test(getComputedStyle(part).overflowX) || scrolls(part.parentElement));
  const right = document.body.clientWidth + 1;
  return [...document.querySelectorAll("body *")]
    .filter((part) => part.getBoundingClientRect().right > right && part.getBoundingClientRect().left < right)
    .filter((part) => part.getBoundingClientRect().width > 0 && !scrolls(part.parentElement === document.body ? null : part.parentElement))
    .map((part) => part.tagName);
});

for (const width of [1280, 390]) {
  const tab = await opened(address, { viewport: { width, height: 900 } });
  for (const page of pages) {
    await tab.goto(`${address}/${page}`);
    for (const colorScheme of ["light", "dark"]) {
      await tab.emulateMedia({ colorScheme });
      for (const part of await sticksOut(tab)) found.wide.push(`${page}: ${part} at ${width} pixels, ${colorScheme}`);
    }
  }
}
found.search.server = await search(`${address}/index.html`, "w_q");
found.search.file = await search(pathToFileURL(file).href, "w_q");
await browser.close();
console.log(JSON.stringify(found));
