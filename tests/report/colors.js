/* node colors.js src/report/timeline/colors.js: how much the colours of the first four regions of a time line differ at least, for
 * those who see the least difference; the smallest of many sets of names. */
const fs = require("fs"), vm = require("vm");
const context = vm.createContext({});
vm.runInContext(fs.readFileSync(process.argv[2], "utf8") + `
color_parts = color => ({r: parseInt(color.slice(1, 3), 16), g: parseInt(color.slice(3, 5), 16), b: parseInt(color.slice(5, 7), 16)});
globalThis.least = names => {
  const regions = names.map((name, i) => ({name, total: names.length - i, mpi: false}));
  choose_places({runs: [{regions}]});
  const colors = regions.map(region => color_parts(PALETTE[region.place]));
  return Math.min(...colors.flatMap((one, i) => colors.slice(0, i).map(other => color_distance(one, other))));
};`, context);
let least = Infinity;
for (let set = 0; set < 300; set++)
  least = Math.min(least, context.least([0, 1, 2, 3].map(i => `region ${set} ${i}`)));
console.log(Math.floor(least));
