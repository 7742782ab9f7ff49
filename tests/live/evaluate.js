/* node evaluate.js PAGE < STATES: T in ticks of each state (a line of JSON), by the page's own script and module, without a browser.
 * First prints the page's facts as a line of JSON. */
const fs = require("fs"), vm = require("vm");
const page = fs.readFileSync(process.argv[2], "utf8");

function data_of(id) {
  const begin = page.indexOf(`id="${id}">`) + id.length + 6;
  return page.slice(begin, page.indexOf("</script>", begin));
}

async function main() {
  const scripts = process.argv.slice(3).map(file => fs.readFileSync(file, "utf8"));
  const context = vm.createContext({WebAssembly, atob, Blob, Response, DecompressionStream, Uint8Array, Map, document: {getElementById: () => ({textContent: '{"severity": null}'})}, console});
  vm.runInContext(scripts.join("\n") + "\nglobalThis.of_page = {live, live_open, live_compute, live_regions, live_sections, live_profile, live_labels, live_parse};", context);
  const {live, live_open, live_compute, live_regions, live_sections, live_profile, live_labels, live_parse} = context.of_page;
  const data = JSON.parse(data_of("live-data"));
  if (data.why)
    return console.log(JSON.stringify({why: data.why}));
  live.engine = await live_open(data_of("live-module"), data.program);
  live.facts = data.facts;
  live.regions = live_regions(data.facts);
  console.log(JSON.stringify({...data.facts, names: [...live.regions.keys()]}));
  for (const line of fs.readFileSync(0, "utf8").split("\n").filter(text => text !== "")) {
    const state = JSON.parse(line);
    for (const key of ["latency", "bandwidth"])
      if (typeof state[key] === "string")
        state[key] = live_parse(key, state[key]);
    const begin = performance.now(), time = live_compute(state);
    const spent = Object.fromEntries(live_profile().map((ticks, i) => [live_labels(data.facts)[i], ticks]));
    console.log(JSON.stringify({time, why: live.why, spent, ms: performance.now() - begin, sections: live_sections(state).join("\n")}));
  }
}

main();
