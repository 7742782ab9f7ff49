/* Elements of pages: tables, lists of facts, figures, and the tip at the pointer. */
function byid(id) {
  return document.getElementById(id);
}

/* Content: texts and nodes; null is left out. */
function append_to(box, ...content) {
  box.append(...content.filter(one => one !== null && one !== undefined));
  return box;
}

function element(tag, attributes = {}, ...content) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined)
      made.setAttribute(name, value);
  return append_to(made, ...content);
}

function number_cell(...content) {
  return [{class: "number"}, ...content];
}

/* A cell is a text, a node, or [attributes, ...content]. */
function table_row(cells, attributes = {}, tag = "td") {
  return element("tr", attributes, ...cells.filter(cell => cell !== null).map(cell => cell instanceof HTMLTableCellElement ? cell
    : Array.isArray(cell) ? element(tag, ...cell) : element(tag, {}, cell)));
}

/* Titles are cells; a row is a list of cells, or what table_row has made. Wide tables scroll. */
function table(titles, rows) {
  return element("div", {class: "scroll"}, element("table", {}, element("thead", {}, table_row(titles, {}, "th")),
    element("tbody", {}, ...rows.map(row => Array.isArray(row) ? table_row(row) : row))));
}

/* The first `most` rows, and a switch for the rest. */
function table_of_many(titles, rows, most) {
  const rest = element("details", {}, element("summary", {}, `${rows.length - most} more`));
  rest.addEventListener("toggle", () => rest.append(table(titles, rows.slice(most))), {once: true});
  addEventListener("beforeprint", () => { rest.open = true; });
  return rows.length > most ? [table(titles, rows.slice(0, most)), rest] : [table(titles, rows)];
}

/* A part of a page with its heading. */
function section(title, ...content) {
  return element("section", {}, element("h2", {}, title), ...content);
}

/* Facts: [term, text, node or list of lines]. */
function facts_list(facts) {
  const list = element("dl", {class: "facts"});
  for (const [term, value] of facts)
    list.append(element("dt", {}, term), element("dd", {}, !Array.isArray(value) ? value
      : value.length === 1 ? value[0] : element("ul", {}, ...value.map(line => element("li", {}, line)))));
  return list;
}

/* A command, with a button that copies it. */
function command_line(text) {
  const code = element("code", {}, text), copy = element("button", {type: "button"}, "copy");
  copy.addEventListener("click", () => {
    getSelection().selectAllChildren(code);
    document.execCommand("copy");
    copy.textContent = "copied";
  });
  return element("span", {class: "command"}, code, copy);
}

function figure(title, note, ...content) {
  return element("figure", {}, element("figcaption", {}, title, note ? element("span", {}, " " + note) : null), ...content);
}

/* A coloured square or a dot in front of a name, for legends. */
function key_of(paint, ...name) {
  return [element("span", {class: "key " + paint}), ...name];
}

function plural(count, name, many = name + "s") {
  return `${count} ${count === 1 ? name : many}`;
}

const tip = element("div", {id: "tip", role: "status", hidden: ""});
document.body.append(tip);

function show_tip(text, event) {
  tip.hidden = !text;
  if (!text)
    return;
  tip.textContent = text;
  const {width, height} = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8)) + "px";
  tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - height - 8)) + "px";
}
