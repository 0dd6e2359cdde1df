// The picture: a table of cells where it can be read, else the drawn dots; one cell at a time can be reached by Tab,
// the others from it by the arrow keys.
var MARKS = { "worse": "\u25b2 ", "safer": "\u25bc ", "weakly worse": "\u25b3 ", "weakly safer": "\u25bd " };
var grid = [];

function drawPicture() {
  var shown = rows.filter(function (row) { return chosen.event < 0 || row.event === chosen.event; });
  var found = panels(shown), asTable = fits(found, shown), heat = byId("heat");
  grid = [];
  heat.textContent = "";
  document.querySelectorAll("#drawn figure").forEach(function (figure) {
    figure.hidden = asTable || (chosen.event >= 0 && figure.dataset.event !== String(chosen.event));
  });
  if (asTable) { found.forEach(function (panel) { heat.append(heatTable(panel)); }); } else { takeDots(); }
  byId("legend").hidden = data.kind !== "comparison" || !asTable;
  if (grid.length) { firstCell().setAttribute("tabindex", "0"); }
}

function firstCell() { return grid[0].find(function (cell) { return cell; }); }

function heatTable(panel) {
  var columns = Array.from(panel.columns.keys());
  var head = make("tr", {}, make("td"));
  columns.forEach(function (name) { head.append(make("th", { scope: "col", text: name })); });
  var body = make("tbody");
  panel.lines.forEach(function (line, name) {
    var written = make("tr", {}, make("th", { scope: "row", text: name })), cells = [];
    columns.forEach(function (_, at) {
      var cell = line[at] ? heatCell(line[at]) : null;
      cells.push(cell);
      written.append(make("td", {}, cell));
    });
    grid.push(cells);
    body.append(written);
  });
  var bare = columns.length === 1 && columns[0] === "";
  return make("div", { "class": "wide" }, make("table", { "class": "heat" }, make("caption", { text: panel.name }),
    bare ? null : make("thead", {}, head), body));
}

function heatCell(row) {
  var cell = make("button", { type: "button", "class": "cell " + row.look.replace(" ", "-"), tabindex: "-1",
    "aria-label": inWords(row), "data-row": row.number });
  cell.append(make("span", { text: (MARKS[row.look] || "") + row.cells[data.pictured] }));
  if (row.look === "share") { cell.style.setProperty("--part", 100 * (row.keys[data.pictured] || 0) + "%"); }
  return cell;
}

// Give the drawn dots what the cells of a table have: a name, a role, a place in the order of the keyboard.
function takeDots() {
  document.querySelectorAll("#drawn figure:not([hidden]) .tile").forEach(function (tile) {
    tile.setAttribute("role", "button");
    tile.setAttribute("tabindex", "-1");
    tile.setAttribute("aria-label", tile.querySelector("title").textContent);
    grid.push([tile]);
  });
}

function rowOf(element) {
  var number = Number(element.dataset.row);
  return rows.find(function (row) { return row.number === number; });
}

function readOut(event) {
  var cell = event.target.closest("[data-row]"), readout = byId("readout");
  if (!cell) { return; }
  var row = rowOf(cell);
  readout.textContent = "";
  readout.append(make("h3", { text: row.condition.label + ", " + data.events[row.event] }), facts(row));
}

function moveFocus(event) {
  var cell = event.target.closest("[data-row]");
  if (!cell) { return; }
  var line = grid.findIndex(function (cells) { return cells.indexOf(cell) >= 0; }), at = grid[line].indexOf(cell);
  var steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }, step = steps[event.key];
  var next = null;
  if (event.key === "Home") { next = firstCell(); }
  else if (event.key === "End") { next = grid[grid.length - 1].filter(Boolean).pop(); }
  else if (event.key === "Enter" || event.key === " ") { event.preventDefault(); openRow(rowOf(cell), cell); return; }
  else if (step) { next = nextCell(line, at, step); } else { return; }
  event.preventDefault();
  if (next) {
    cell.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  }
}

function nextCell(line, at, step) {
  do { line += step[0]; at += step[1]; } while (grid[line] && at >= 0 && at < grid[line].length && !grid[line][at]);
  return grid[line] && grid[line][Math.min(at, step[0] ? grid[line].length - 1 : at)];
}
