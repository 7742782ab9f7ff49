/* Lists and trees of any length: only the rows that are visible are elements. One row is selected;
 * the arrow keys move it. */
const ROW = 22; /* pixels, as in page.css */
const PRINTED_ROWS = 200;

class Rows {
  /* items: [{key, ...}] in order; fill(row, item) makes a row's content; choose(item) is told of a
   * selection; fold(item, open, all) of a branch, for trees. */
  constructor(box, {fill, choose, fold}) {
    Object.assign(this, {box, fill, choose, fold, items: [], selected: null, made: new Map(), all: false});
    this.space = element("div", {class: "space"});
    box.append(this.space);
    box.addEventListener("scroll", () => this.draw());
    box.addEventListener("click", event => this.click(event));
    box.addEventListener("dblclick", event => this.double(event));
    box.addEventListener("keydown", event => this.key(event));
    new ResizeObserver(() => this.draw()).observe(box);
  }

  set(items) {
    this.items = items;
    for (const row of this.made.values())
      row.remove();
    this.made.clear();
    this.draw();
  }

  draw() {
    const count = this.all ? Math.min(this.items.length, PRINTED_ROWS) : this.items.length;
    const first = this.all ? 0 : Math.max(0, Math.floor(this.box.scrollTop / ROW) - 4);
    const last = this.all ? count : Math.min(count, Math.ceil((this.box.scrollTop + this.box.clientHeight) / ROW) + 4);
    this.space.style.height = count * ROW + "px";
    this.box.dataset.more = count < this.items.length ? `and ${this.items.length - count} more` : "";
    for (const [i, row] of this.made)
      if (i < first || i >= last) {
        row.remove();
        this.made.delete(i);
      }
    for (let i = first; i < last; i++)
      if (!this.made.has(i))
        this.make(i);
    const at = this.index();
    if (this.made.has(at))
      this.box.setAttribute("aria-activedescendant", this.made.get(at).id);
    else
      this.box.removeAttribute("aria-activedescendant");
  }

  make(i) {
    const item = this.items[i], row = document.createElement("div");
    row.className = "row";
    row.id = this.box.id + "-" + i;
    row.style.top = i * ROW + "px";
    row.setAttribute("role", this.fold ? "treeitem" : "option");
    row.setAttribute("aria-selected", item.key === this.selected);
    row.setAttribute("aria-posinset", i + 1);
    row.setAttribute("aria-setsize", this.items.length);
    if (this.fold) {
      row.setAttribute("aria-level", (item.depth || 0) + 1);
      if (item.branch)
        row.setAttribute("aria-expanded", item.open);
    }
    this.fill(row, item);
    this.made.set(i, row);
    this.space.append(row);
  }

  index() {
    return this.items.findIndex(item => item.key === this.selected);
  }

  mark(key) {
    this.selected = key;
    for (const [i, row] of this.made)
      row.setAttribute("aria-selected", this.items[i].key === key);
  }

  show(key) {
    this.mark(key);
    const top = this.index() * ROW;
    if (top >= 0 && (top < this.box.scrollTop || top + ROW > this.box.scrollTop + this.box.clientHeight))
      this.box.scrollTop = Math.max(0, top - this.box.clientHeight / 3);
    this.draw();
  }

  item_of(event) {
    const row = event.target.closest(".row");
    return row ? this.items[Number(row.id.slice(this.box.id.length + 1))] : null;
  }

  click(event) {
    const item = this.item_of(event);
    if (item && this.fold && item.branch && event.target.closest(".fold"))
      this.fold(item, !item.open, event.shiftKey);
    else if (item)
      this.choose(item);
  }

  double(event) {
    const item = this.item_of(event);
    if (item && this.fold && item.branch && !event.target.closest(".fold"))
      this.fold(item, !item.open, false);
  }

  move_to(i) {
    if (this.items.length === 0)
      return;
    this.choose(this.items[Math.max(0, Math.min(this.items.length - 1, i))]);
    this.show(this.selected);
  }

  branch_key(key, at) {
    const item = this.items[at];
    if (!this.fold || !item)
      return false;
    if (key === "*" && item.branch)
      this.fold(item, true, true);
    else if (key === "ArrowRight" && item.branch && !item.open)
      this.fold(item, true, false);
    else if (key === "ArrowRight" && item.branch)
      this.move_to(at + 1);
    else if (key === "ArrowLeft" && item.branch && item.open)
      this.fold(item, false, false);
    else if (key === "ArrowLeft") {
      let above = at;
      while (above > 0 && (this.items[above].depth || 0) >= (item.depth || 0))
        above--;
      this.move_to(item.depth > 0 ? above : at);
    } else
      return key === "ArrowRight";
    return true;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey)
      return;
    const at = this.index(), page = Math.max(1, Math.floor(this.box.clientHeight / ROW) - 1);
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.items.length - 1, PageDown: at + page, PageUp: at - page}[event.key];
    if (to !== undefined)
      this.move_to(to);
    else if (!this.branch_key(event.key, at))
      return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/* A bar for `value`, full at `most`. */
function bar(value, most, difference) {
  const inner = element("i", difference ? {class: value > 0 ? "more" : "less"} : {});
  inner.style.width = (most > 0 ? Math.min(100, 100 * Math.abs(value) / most) : 0) + "%";
  return element("span", {class: "bar", "aria-hidden": "true"}, inner);
}
