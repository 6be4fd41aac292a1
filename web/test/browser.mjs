// Uses the built page in Chromium as a reader does. tests/lab/test_page_of_lab.py starts it and judges what it prints:
// one JSON object with the result of each check, and everything that the page asked for or wrote to the console.
//
// node browser.mjs PAGE QUESTIONS OUT: QUESTIONS is a JSON file with plans and addresses, OUT a folder for downloads.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { checkLessons } from "./lessons.mjs";
import { addresses, axe, browser, cases, check, closed, drawings, drawnAfter, expect, found, isAccessible, numbers, opened, out, plans, said, served, set, settled, stories } from "./using.mjs";

for (const story of stories) {
  await check(`story ${story.name}`, async () => {
    const tab = await opened(`#story=${story.name}`);
    await drawnAfter(tab, story.beside ? 1 : 0);
    expect((await said(tab)) === "", await said(tab));
    expect((await tab.locator("#words h2").textContent()) === story.title, "the title is missing");
    expect((await tab.locator(".run").count()) === (story.beside ? 2 : 1), "the wrong number of runs");
    if (story.beside) expect((await numbers(tab, 0)) !== (await numbers(tab, 1)), "A and B are equal");
    await closed(tab);
  });
}

await check("every knob", async () => {
  const tab = await opened("#story=vegas_beside_reno");
  await drawnAfter(tab, 0);
  await set(tab, "duration", "400");
  const fields = await tab.evaluate(() => [...document.querySelectorAll("#knobs input[type=range]")].map(({ id, min, max, value }) => ({ id, min, max, value })));
  const base = await numbers(tab);
  const unmoved = [];
  for (const { id, min, max, value } of fields) {
    if (id === "duration") continue;
    await set(tab, id, String(Number(value) + (Number(value) < (Number(min) + Number(max)) / 2 ? 1 : -1) * Math.max(1, (max - min) / 20)));
    expect((await said(tab)) === "", `${id}: ${await said(tab)}`);
    if ((await numbers(tab)) === base) unmoved.push(id);
    await set(tab, id, value);
  }
  expect(unmoved.length === 0, `these changed nothing: ${unmoved}`);
  await closed(tab);
  return fields.map(({ id }) => id);
});

for (const [id, options] of [["g0-law", 0], ["queue", 0], ["g0-source", 0], ["profile", 0]]) {
  await check(`every choice of ${id}`, async () => {
    const tab = await opened("#story=sawtooth");
    await drawnAfter(tab, 0);
    await set(tab, "duration", "200");
    const values = await tab.evaluate((id) => [...document.getElementById(id).options].map(({ value }) => value), id);
    for (const value of values) {
      await set(tab, id, value);
      expect((await said(tab)) === "", `${value}: ${await said(tab)}`);
    }
    await closed(tab);
    return values;
  });
}

await check("parameters and options", async () => {
  const tab = await opened("#story=red_weight");
  await drawnAfter(tab, 1);
  await set(tab, "duration", "150");
  for (const details of await tab.locator("#knobs details:not([hidden])").all()) await details.locator("summary").click();
  await tab.waitForFunction(() => document.querySelectorAll("#knobs details input[type=checkbox]").length > 3);
  const flags = await tab.evaluate(() => [...document.querySelectorAll("#knobs details input[type=checkbox]")].map(({ id, checked }) => ({ id, checked })));
  for (const { id, checked } of flags) {
    await set(tab, id, !checked);
    expect((await said(tab)) === "", `${id}: ${await said(tab)}`);
  }
  await set(tab, "queue-max_p", "0.5");
  await closed(tab);
  return flags.length;
});

await check("a field with nonsense is marked and changes nothing", async () => {
  const tab = await opened("#story=sawtooth");
  await drawnAfter(tab, 0);
  const before = [await drawings(tab), await numbers(tab)];
  await tab.fill("#rate-value", "ten");
  await tab.press("#rate-value", "Enter");
  expect((await tab.getAttribute("#rate-value", "aria-invalid")) === "true", "it is not marked");
  expect((await drawings(tab)) === before[0] && (await numbers(tab)) === before[1], "the run changed");
  await tab.fill("#rate-value", "100000000");
  await tab.press("#rate-value", "Enter");
  expect((await tab.textContent("#rate-value-refused")).includes("must be a number from 0.000001 to 1000000, in Mbit/s"), "the range is not said");
  await closed(tab);
});

await check("A beside B", async () => {
  const tab = await opened("#story=sawtooth");
  await drawnAfter(tab, 0);
  const alone = await numbers(tab);
  await tab.click("#pin");
  await tab.waitForFunction(() => document.querySelectorAll(".run .numbers > div").length > 15);
  await set(tab, "rate", "300");
  const [a, b] = [await numbers(tab, 0), await numbers(tab, 1)];
  expect(a === alone, "A changed");
  expect(b !== alone, "B did not change");
  await tab.click("#pin");
  expect((await tab.locator(".run").count()) === 1 && (await numbers(tab)) === b, "B does not remain alone");
  await closed(tab);
});

await check("share link", async () => {
  const tab = await opened("#story=red_weight");
  await drawnAfter(tab, 1);
  expect(!(await tab.isVisible("#differs")), "the settings of the story differ from it");
  await set(tab, "seed", "7");
  await set(tab, "g0-count", "300");
  await tab.click("#share");
  await tab.waitForFunction(() => location.hash.startsWith("#s="));
  const [hash, expected] = [await tab.evaluate(() => location.hash), await numbers(tab, 1)];
  const alone = await numbers(tab, 0);
  expect(hash.includes("&changed=1") && (await tab.isVisible("#differs")), "the words are about other settings, which is not said");
  const other = await opened(hash);
  await drawnAfter(other, 1);
  expect((await numbers(other, 0)) === alone && (await numbers(other, 1)) === expected, "the runs differ");
  expect((await other.textContent("#words")) === (await tab.textContent("#words")), "the words are lost");
  await closed(tab);
  await closed(other);
  return hash.length;
});

await check("downloads", async () => {
  const tab = await opened("#story=vegas_beside_reno");
  await drawnAfter(tab, 0);
  await set(tab, "seed", "3");
  await set(tab, "buffer", "400");
  const names = {};
  for (const id of ["toml", "python", "table", "figure", "vector"]) {
    await tab.click("#downloads summary");
    const [download] = await Promise.all([tab.waitForEvent("download"), tab.click(`#${id}`)]);
    names[id] = join(out, download.suggestedFilename());
    await download.saveAs(names[id]);
  }
  await closed(tab);
  return names;
});

await check("zoom and packets", async () => {
  const tab = await opened("#story=ack_clock");
  await drawnAfter(tab, 0);
  await tab.click("[aria-label='Zoom in']");
  await tab.click("[aria-label='Show single packets of this time']");
  await tab.waitForFunction(() => !document.getElementById("close").hidden);
  const labels = () => tab.evaluate(() => [...document.querySelectorAll("canvas.close")].map((canvas) => canvas.getAttribute("aria-label")));
  const [sequence, dumbbell] = await labels();
  const sent = Number(/: ([0-9]+) segments sent/.exec(sequence)[1]);
  expect(sent > 20, sequence);
  for (let step = 0; step < 30; step += 1) await tab.click("[aria-label='One event on']");
  const [, later] = await labels();
  expect(later !== dumbbell, "a step shows the same packets");
  await tab.click("#close button[aria-pressed]");
  await tab.waitForFunction((label) => [...document.querySelectorAll("canvas.close")].at(1)?.getAttribute("aria-label") !== label, later);
  await tab.click("#close button[aria-pressed]");
  await tab.click("#close >> text=Close");
  expect(await tab.evaluate(() => document.getElementById("close").hidden), "it stays open");
  await tab.click("text=Whole run");
  await closed(tab);
  return [sequence, later];
});

await check("a drag over a plot zooms", async () => {
  const tab = await opened("#story=sawtooth");
  await drawnAfter(tab, 0);
  const box = await tab.locator(".u-over").first().boundingBox();
  await tab.mouse.move(box.x + box.width * 0.25, box.y + 40);
  await tab.mouse.down();
  await tab.mouse.move(box.x + box.width * 0.5, box.y + 45, { steps: 5 });
  await tab.mouse.up();
  await tab.waitForFunction(() => document.getElementById("said").textContent.startsWith("Shown: "));
  const shown = await tab.textContent("#said");
  const [from, until] = shown.match(/[0-9.]+/g).map(Number);
  expect(Math.abs(from - 15) < 0.5 && Math.abs(until - 30) < 0.5, shown);
  await closed(tab);
});

await check("keyboard", async () => {
  const tab = await opened("#story=sawtooth");
  await drawnAfter(tab, 0);
  await tab.keyboard.press("Tab");
  expect((await tab.evaluate(() => document.activeElement.className)) === "skip", "the first stop is not the link to the plots");
  await tab.focus("#rate");
  const before = [await drawings(tab), await tab.inputValue("#rate-value")];
  await tab.keyboard.press("ArrowRight");
  await drawnAfter(tab, before[0]);
  expect((await tab.inputValue("#rate-value")) !== before[1], "the value stays");
  await tab.focus("#queue");
  await tab.keyboard.press("ArrowDown");
  await drawnAfter(tab, before[0] + 1);
  expect((await tab.evaluate(() => document.activeElement.id)) === "queue", "the focus is lost");
  await closed(tab);
});

await check("a long run shows its progress, leaves the page free and can be cancelled", async () => {
  const tab = await opened("#story=sawtooth");
  await drawnAfter(tab, 0);
  await set(tab, "rate-value", "100");
  await tab.fill("#duration-value", "1500");
  await tab.press("#duration-value", "Enter");
  // One call for all of it, so that a slow machine cannot end the run between two calls. Frames are counted against the run's
  // own progress, not against a clock: a page that the run blocks draws none before the run has ended.
  const frames = await tab.evaluate((drawn) => new Promise((resolve) => {
    let count = 0;
    const next = () => {
      if ((document.querySelector("progress")?.value ?? 0) > 0) count += 1;
      const ended = Number(document.body.dataset.drawn) > drawn || !document.getElementById("error").hidden;
      if (count < 10 && !ended) return void requestAnimationFrame(next);
      document.getElementById("cancel")?.click();
      resolve(count);
    };
    next();
  }), await drawings(tab));
  expect(frames === 10, `${frames} frames before the run had ended`);
  expect((await tab.textContent("#said")) === "The run was cancelled.", await tab.textContent("#said"));
  expect((await tab.locator("progress").count()) === 0, "the progress remains");
  const before = await drawings(tab);
  await tab.fill("#duration-value", "5");
  await tab.press("#duration-value", "Enter");
  await drawnAfter(tab, before);
  await closed(tab);
  return frames;
});

const scriptsAfter = (tab, count) => tab.waitForFunction((count) => Number(document.body.dataset.scripts ?? 0) > count, count);
const scriptsDrawn = (tab) => tab.evaluate(() => Number(document.body.dataset.scripts ?? 0));
const verdict = (tab) => tab.textContent(".verdict");

/** Replaces a part of the script's text and waits for its result. */
async function edit(tab, from, to) {
  const [before, text] = [await scriptsDrawn(tab), await tab.inputValue("#script-text")];
  expect(text.includes(from), `the script has no ${from}`);
  await tab.fill("#script-text", text.replace(from, to));
  await scriptsAfter(tab, before);
}

await check("a script", async () => {
  const tab = await opened("#story=sawtooth");
  await drawnAfter(tab, 0);
  await tab.selectOption("#scripts", "tcp/tail_loss_probe");
  await scriptsAfter(tab, 0);
  expect((await verdict(tab)) === "Equal 4 packets and 2 assertions are as expected", await verdict(tab));
  const label = () => tab.getAttribute("#script canvas", "aria-label");
  expect((await label()) === "8 segments, 2 of them retransmissions; 4 ACKs.", await label());
  expect(!(await tab.isVisible("#runs")) && !(await tab.isVisible("#pin")), "the scenario stays");
  await edit(tab, "> P. 4001:5001(1000)", "> P. 3001:4001(1000)");
  expect((await verdict(tab)).startsWith("Different line 14, at 0.4 s"), await verdict(tab));
  expect((await tab.textContent(".gutter .differs")) === "14", "the line is not marked");
  expect((await label()).includes("The first difference is at 0.4 s"), await label());
  await edit(tab, "0  socket", "0  sock et");
  expect((await verdict(tab)).startsWith("Not a script line 4, column 9: "), await verdict(tab));
  await tab.click("text=Restore");
  await tab.waitForFunction(() => document.querySelector(".verdict b").textContent === "Equal");
  await edit(tab, "+.1 < . 1:1(0) ack 3001 win 65535\n", "`reboot`\n");
  expect((await verdict(tab)).startsWith("Not expressible line 13: "), await verdict(tab));
  await tab.selectOption("#story", "ack_clock");
  await drawnAfter(tab, 1);
  expect((await tab.isVisible("#runs")) && !(await tab.isVisible("#script")), "the script stays");
  await closed(tab);
});

await check("the picture of a script and its lines", async () => {
  const tab = await opened("#script=tcp/tail_loss_probe");
  await scriptsAfter(tab, 0);
  // the probe, of line 14, is the only event at its time
  const box = await tab.locator("#script canvas").boundingBox();
  const found = [];
  for (let x = 0.3; x < 0.9 && found.length === 0; x += 0.005) {
    await tab.mouse.move(box.x + x * box.width, box.y + 40);
    const told = await tab.textContent("#script .tip");
    if (/line 14: 4001:5001 \(1000\), retransmission, as expected$/.test(told)) found.push(x);
  }
  expect(found.length === 1, "the probe is nowhere");
  expect((await tab.textContent(".gutter .pointed")) === "14", "the line is not marked");
  await tab.mouse.click(box.x + found[0] * box.width, box.y + 40);
  const selected = () => tab.evaluate(() => document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd));
  expect((await selected()) === "+.2~+.21 > P. 4001:5001(1000) ack 1", await selected());
  const pixels = () => tab.evaluate(() => document.querySelector("#script canvas").toDataURL());
  const before = await pixels();
  await tab.mouse.move(box.x + 0.5 * box.width, box.y + 100);
  await tab.mouse.down();
  await tab.mouse.move(box.x + 0.8 * box.width, box.y + 110, { steps: 4 });
  await tab.mouse.up();
  const zoomed = await pixels();
  expect(zoomed !== before, "a drag does not zoom");
  await tab.mouse.dblclick(box.x + 0.6 * box.width, box.y + 200);
  expect((await pixels()) !== zoomed, "a double-click does not show all");
  await closed(tab);
});

await check("a script and another sender, shared and saved", async () => {
  const tab = await opened("#script=tcp/undo_eifel");
  await scriptsAfter(tab, 0);
  const before = await scriptsDrawn(tab);
  await tab.selectOption("#script-law", "vegas");
  await scriptsAfter(tab, before);
  expect((await verdict(tab)).startsWith("Different line 17"), await verdict(tab));
  await edit(tab, "9880) = 9880", "8892) = 8892");
  const expected = await verdict(tab);
  await tab.click("#share");
  await tab.waitForFunction(() => location.hash.startsWith("#c="));
  const other = await opened(await tab.evaluate(() => location.hash));
  await scriptsAfter(other, 0);
  expect((await verdict(other)) === expected, `${await verdict(other)} instead of ${expected}`);
  expect((await other.inputValue("#script-law")) === "vegas", "the sender is not shared");
  await closed(other);
  const names = {};
  for (const id of ["packetdrill", "figure", "vector"]) {
    await tab.click("#downloads summary");
    const [download] = await Promise.all([tab.waitForEvent("download"), tab.click(`#${id}`)]);
    names[id] = join(out, `script-${download.suggestedFilename()}`);
    await download.saveAs(names[id]);
  }
  expect(readFileSync(names.packetdrill, "utf8") === (await tab.inputValue("#script-text")), "another script is saved");
  await closed(tab);
  return names;
});

await check("a script from a file", async () => {
  const tab = await opened("#script=tcp/undo_eifel");
  await scriptsAfter(tab, 0);
  const [before, text] = [await scriptsDrawn(tab), await tab.inputValue("#script-text")];
  const file = join(out, "own.pkt");
  writeFileSync(file, text.replace("reno", "cubic"));
  await tab.setInputFiles("#script input[type=file]", file);
  await scriptsAfter(tab, before);
  expect((await tab.textContent("#script h2")) === "Own script", await tab.textContent("#script h2"));
  expect((await tab.inputValue("#script-text")).includes("cubic"), "it is another script");
  await closed(tab);
});

const spoken = (tab) => tab.evaluate(() => document.querySelector(".run figure [role=img]").getAttribute("aria-label"));

await check("changes and stops", async () => {
  const tab = await opened("#story=sawtooth");
  await drawnAfter(tab, 0);
  await set(tab, "duration", "300");
  const base = await numbers(tab);
  await set(tab, "g0-ends", "stop");
  await set(tab, "g0-until", "2 s");
  expect((await said(tab)) === "", await said(tab));
  expect(/ − .* at 2 s\./.test(await spoken(tab)), await spoken(tab));
  const stopped = await numbers(tab);
  expect(stopped !== base, "the group does not stop");
  await tab.click("#add-change");
  await tab.waitForFunction(() => document.getElementById("c0-rate") !== null);
  for (const [id, value] of [["c0-at", "1 s"], ["c0-rate", "500 kbps"], ["c0-also", "loss"], ["c0-also", "up"], ["c0-up", "kept"], ["g0-ends", "active"], ["g0-until", "0 s to 1 s, 1500 ms to 2 s"]]) await set(tab, id, value);
  expect((await said(tab)) === "", await said(tab));
  expect((await spoken(tab)).includes("rate 500 kbps, loss, down at 1 s."), await spoken(tab));
  expect((await numbers(tab)) !== stopped, "the change changes nothing");
  for (const [id, value, message] of [
    ["c0-at", "9 h", "changes.0.at: '9 h' is not allowed; must be before the end"],
    ["c0-rate", "fast", "changes.0.rate: 'fast' is not allowed; must be a rate"],
    ["c0-loss", "much", "changes.0.loss: 'much' is not allowed; must be a table"],
    ["c0-links", "moon", "changes.0.links.0: 'moon' is not allowed; must be the name of a link"],
    ["g0-until", "soon", "clients.0.active: 'soon' is not allowed; must be an array of 1 to 10000 pairs"],
    ["g0-until", "3 s to 2 s", "clients.0.active: [[\"3 s\",\"2 s\"]] is not allowed; in the pair at 0, '2 s' must be later"],
  ]) {
    const before = await tab.inputValue(`#${id}`);
    await set(tab, id, value);
    expect((await said(tab)).startsWith(message), `${id}: ${await said(tab)}`);
    await set(tab, id, before);
    expect((await said(tab)) === "", await said(tab));
  }
  const expected = await numbers(tab);
  await tab.click("#share");
  await tab.waitForFunction(() => location.hash.startsWith("#s="));
  const other = await opened(await tab.evaluate(() => location.hash));
  await drawnAfter(other, 0);
  expect((await numbers(other)) === expected, "the link gives another run");
  expect((await other.inputValue("#g0-until")) === "0 s to 1 s, 1500 ms to 2 s", "the periods are not shared");
  await closed(other);
  await tab.click("#downloads summary");
  const [download] = await Promise.all([tab.waitForEvent("download"), tab.click("#toml")]);
  const file = join(out, "changes.toml");
  await download.saveAs(file);
  await tab.click("#c0-remove");
  await tab.waitForFunction(() => document.getElementById("c0-rate") === null);
  await closed(tab);
  return { toml: file, numbers: expected };
});

await check("390 pixels", async () => {
  for (const story of ["sawtooth", "bufferbloat"]) {
    const tab = await opened(`#story=${story}`, { viewport: { width: 390, height: 844 } });
    await drawnAfter(tab, story === "bufferbloat" ? 1 : 0);
    const width = () => tab.evaluate(() => document.scrollingElement.scrollWidth);
    expect((await width()) <= 390, `${story}: ${await width()} pixels wide`);
    await tab.click("#settings > summary");
    await set(tab, "buffer", "500");
    expect((await width()) <= 390, `${story} with settings: ${await width()} pixels wide`);
    await closed(tab);
  }
  const tab = await opened("#script=tcp/without_sack_timeout&profile=rfc", { viewport: { width: 390, height: 844 } });
  await scriptsAfter(tab, 0);
  const width = await tab.evaluate(() => document.scrollingElement.scrollWidth);
  expect(width <= 390, `a script: ${width} pixels wide`);
  await closed(tab);
});

for (const colorScheme of ["light", "dark"]) {
  await check(`accessibility, ${colorScheme}`, async () => {
    const tab = await opened("#story=bufferbloat", { colorScheme });
    await drawnAfter(tab, 1);
    await settled(tab);
    await tab.evaluate(axe);
    await isAccessible(tab);
    await tab.selectOption("#scripts", "tcp/tail_loss_probe");
    await scriptsAfter(tab, 0);
    await edit(tab, "> P. 4001:5001(1000)", "> P. 3001:4001(1000)");
    await isAccessible(tab);
    await closed(tab);
  });
}

for (const { name, hash, message } of addresses) {
  await check(`address ${name}`, async () => {
    const tab = await opened(hash);
    await tab.waitForFunction(() => !document.getElementById("error").hidden);
    const text = await said(tab);
    expect(text.includes(message), `said: ${text}`);
    const harm = await tab.evaluate(() => ({ polluted: {}.polluted, executed: globalThis.executed, heap: performance.memory?.usedJSHeapSize ?? 0 }));
    expect(harm.polluted === undefined && harm.executed === undefined, "something was executed");
    expect(harm.heap < 200e6, `${harm.heap} bytes in use`);
    await closed(tab);
    return text;
  });
}

for (const { name, file } of cases) {
  await check(`file ${name}`, async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const tab = await context.newPage();
    tab.on("console", (message) => found.console.push(`${message.type()}: ${message.text()}`));
    tab.on("pageerror", (error) => found.console.push(`error: ${error.stack ?? error}`));
    await tab.goto(pathToFileURL(file).href);
    await drawnAfter(tab, 0);
    expect((await said(tab)) === "", await said(tab));
    const before = await numbers(tab);
    const [first] = await tab.evaluate(() => [...document.querySelectorAll("#knobs input[type=range]")].map(({ id }) => id).filter((id) => !["seed", "k-duration", "duration"].includes(id)));
    await set(tab, first, "300");
    expect((await numbers(tab)) !== before, `${first} changes nothing`);
    await tab.click("#share");
    await tab.waitForFunction(() => /^#[ds]=/.test(location.hash));
    const [hash, expected] = [await tab.evaluate(() => location.hash), await numbers(tab)];
    const other = await opened(hash);
    await drawnAfter(other, 0);
    expect((await numbers(other)) === expected, "the shared run differs");
    await closed(other);
    await context.close();
    return first;
  });
}

await check("a law in Python runs on its server", async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const tab = await context.newPage();
  tab.on("console", (message) => found.console.push(`${message.type()}: ${message.text()}`));
  tab.on("pageerror", (error) => found.console.push(`error: ${error.stack ?? error}`));
  tab.on("request", (request) => {
    if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(served.address)) found.requests.push(request.url());
  });
  await tab.goto(served.address);
  await drawnAfter(tab, 0);
  const shows = { alone: await numbers(tab), law: await tab.evaluate(() => document.getElementById("g0-law").selectedOptions[0].textContent) };
  await tab.click("#g0-law-more > summary");
  await tab.waitForSelector("#g0-law-budget");
  await set(tab, "g0-law-budget", "0.07");
  shows.budget = await numbers(tab);
  writeFileSync(served.file, "raise ValueError('half saved')");
  await set(tab, "seed", "2");
  shows.error = await said(tab);
  writeFileSync(served.file, served.text);
  await set(tab, "seed", "1");
  expect((await said(tab)) === "" && (await numbers(tab)) === shows.budget, "the saved law does not run");
  await tab.fill("#duration-value", "9000");
  await tab.press("#duration-value", "Enter");
  await tab.waitForFunction(() => document.querySelector("progress")?.value > 0);
  await set(tab, "duration", "300");
  expect((await said(tab)) === "", await said(tab));
  for (let step = 0; step < 3; step += 1) await tab.click("[aria-label='Zoom in']");
  await tab.click("[aria-label='Show single packets of this time']");
  await tab.waitForFunction(() => !document.getElementById("close").hidden);
  await set(tab, "g0-law", "cubic");
  expect((await said(tab)) === "", await said(tab));
  await context.close();
  return shows;
});

await checkLessons();

await check("same bytes", async () => {
  const tab = await opened("#story=sawtooth");
  await drawnAfter(tab, 0);
  await tab.evaluate(readFileSync(new URL("../../target/lab/page.js", import.meta.url), "utf8"));
  const answers = [];
  for (const { plan, seed } of plans) answers.push(await tab.evaluate(([plan, seed]) => globalThis.runPlan(plan, seed), [plan, seed]));
  await closed(tab);
  return answers;
});

await check("setting to picture", async () => {
  const tab = await opened(`#${cases[0].picture}`);
  await drawnAfter(tab, 0);
  const times = [];
  for (let place = 0; place < 20; place += 1) {
    await set(tab, "buffer", String(400 + 10 * place));
    times.push(await tab.evaluate(() => Number(document.body.dataset.picture)));
  }
  await closed(tab);
  return times;
});

await browser.close();
console.log(JSON.stringify(found));
