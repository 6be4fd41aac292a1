// Bundles the lab into one page, target/lab/page.html: `make lab` calls it. tools/lab_page.py adds the engine and the
// catalogue.

import { readFileSync, writeFileSync } from "node:fs";
import { build } from "vite";

const out = new URL("../target/lab/", import.meta.url);
const base = { configFile: false, logLevel: "warn", root: new URL(".", import.meta.url).pathname };

async function bundle(input, format, platform = {}) {
  const result = await build({
    ...base,
    ...platform,
    build: {
      write: false,
      target: "es2022",
      minify: platform.ssr === undefined,
      cssMinify: true,
      cssCodeSplit: false,
      ...platform.build,
      rollupOptions: { input, output: { format } },
    },
    worker: { format: "iife" },
  });
  return (Array.isArray(result) ? result : [result]).flatMap(({ output }) => output);
}

const chunk = (outputs) => outputs.find(({ type }) => type === "chunk").code;

if (process.argv.includes("--test")) {
  const outputs = await bundle("test/node.ts", "es", { build: { ssr: true } });
  writeFileSync(new URL("node.mjs", out), chunk(outputs));
  writeFileSync(new URL("page.js", out), chunk(await bundle("test/page.ts", "iife")));
} else {
  const outputs = await bundle("src/main.ts", "iife");
  const style = outputs.find(({ fileName }) => fileName.endsWith(".css")).source;
  // A closing tag inside of a script would end it.
  const inline = (script) => script.replaceAll("</script", "<\\/script");
  const parts = {
    style,
    revision: JSON.parse(readFileSync(new URL("catalogue.json", out), "utf8")).revision,
    script: inline(chunk(outputs)),
    notices: `<!--\n${readFileSync(new URL("../python/THIRD_PARTY.txt", import.meta.url), "utf8")}-->`,
  };
  const page = readFileSync(new URL("index.html", import.meta.url), "utf8").replace(/<!-- (\w+) -->/g, (place, name) => parts[name] ?? place);
  writeFileSync(new URL("page.html", out), page);
}
